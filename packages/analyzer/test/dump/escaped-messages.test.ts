import { describe, expect, it } from 'vitest'
import { CORPUS_DUMPS } from '../../../compiler/test/support/read-dump.js'
import { parseDump } from '../../src/dump/parse-dump.js'

const CONTROLS = ['\u001b[2J', '\r', '\u009b31m', '\u202e', '\u0007']
const WORDS = /[\w./:-]+/g

/** Returns texts of the corpus in which one word of each line in turn has a character that a terminal interprets. */
function texts(control: string): readonly string[] {
  return [...CORPUS_DUMPS.values()].slice(0, 4).flatMap((text) => {
    const lines = text.split('\n').slice(0, 25)
    return lines.flatMap((line, index) =>
      [...line.matchAll(WORDS)].slice(0, 3).map(({ index: at, 0: word }) => {
        const end = at + Math.ceil(word.length / 2)
        const spoiled = line.slice(0, end) + control + line.slice(end)
        return [...lines.slice(0, index), spoiled, ...lines.slice(index + 1)].join('\n')
      }),
    )
  })
}

describe('the messages of a dump', () => {
  it.each(CONTROLS)('contain no characters that a terminal interprets: %j', (control) => {
    let problems = 0
    for (const text of texts(control)) {
      const [strict, lenient] = [parseDump(text), parseDump(text, { lenient: true })]
      const notes = lenient.ok ? [...lenient.notes, ...lenient.problems] : lenient.problems
      for (const { message } of [...(strict.ok ? [] : strict.problems), ...notes]) {
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
        problems++
      }
    }
    expect(problems).toBeGreaterThan(20)
  })
})
