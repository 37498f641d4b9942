import { readExamples } from '../../builder/gallery.js'
import type { PacketAnswer } from '../../src/engine/answers.js'
import { createEngine } from '../../src/engine/engine.js'
import type { Question } from '../../src/question/question.js'

/** Returns the request of an example. */
export function example(name: string): Question {
  const found = readExamples().find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no example ${name}`)
  return found.question
}

/** Traces the packet of an example. */
export function answerTo(name: string, fields: Partial<Question> = {}): PacketAnswer {
  return createEngine().answer('packet', { ...example(name), ...fields })
}
