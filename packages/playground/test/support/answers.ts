import { readExamples } from '../../builder/gallery.js'
import { createEngine } from '../../src/engine/engine.js'
import type { PacketResult } from '../../src/engine/results.js'
import type { PlaygroundRequest } from '../../src/question/playground-request.js'

/** Returns the request of an example. */
export function example(name: string): PlaygroundRequest {
  const found = readExamples().find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no example ${name}`)
  return found.question
}

/** Traces the packet of an example. */
export function answerTo(name: string, fields: Partial<PlaygroundRequest> = {}): PacketResult {
  return createEngine().answer('packet', { ...example(name), ...fields })
}
