import { encodeRequestHash } from '../src/question/permalink.js'
import { type Files, requestOfCase } from './examples.js'

/** Returns the hash of a link that opens a case in the playground: its first question, with the texts of its files. */
export function encodeCaseHash(questions: string, files: Files): Promise<string> {
  return encodeRequestHash(requestOfCase(questions, files))
}
