import { parseVerdictAfter } from '../parse/parse-element.js'
import type { StatementReader } from './read-side-effect.js'

/** Creates a reader for the rest of a verdict after its first word. */
export function readVerdict(word: string): StatementReader {
  return (scanner) => {
    const verdict = parseVerdictAfter(word, scanner)
    return verdict && { kind: 'verdict', verdict }
  }
}
