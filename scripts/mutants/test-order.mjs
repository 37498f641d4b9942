import { mirrorOf } from './related-tests.mjs'

/** The assumed duration in seconds of a test without a measurement. Property tests run many cases. */
const GUESS = { written: 1, generated: 10 }

/**
 * Orders the tests for a mutant by their detection rate relative to their duration: `first` has the mirroring test and
 * the quick ones, `rest` the property tests. It learns with `record`. `tests` is the result of `readTests`.
 */
export function createTestOrder(tests) {
  const seen = new Map()
  return {
    testsFor: (source) => {
      const related = tests
        .filter(({ imports }) => imports.has(source))
        .map((test) => ({ ...test, worth: worthOf(test, source, seen.get(test.file)) }))
        .sort((a, b) => b.worth - a.worth)
      const isFirst = (test) => !test.generated || isNear(test, source)
      return {
        first: related.filter(isFirst).map(({ file }) => file),
        rest: related.filter((test) => !isFirst(test)).map(({ file }) => file),
      }
    },
    record: (file, { found, seconds }) => {
      const known = seen.get(file) ?? { runs: 0, found: 0, seconds: 0 }
      const mean = (known.seconds * known.runs + seconds) / (known.runs + 1)
      seen.set(file, { runs: known.runs + 1, found: known.found + (found ? 1 : 0), seconds: mean })
    },
  }
}

function worthOf(test, source, known = { runs: 0, found: 0, seconds: undefined }) {
  if (test.file === mirrorOf(source)) return Number.POSITIVE_INFINITY
  const seconds = known.seconds ?? (test.generated ? GUESS.generated : GUESS.written)
  return ((isNear(test, source) ? 1 : 0) + (known.found + 0.5) / (known.runs + 5)) / (seconds + 0.3)
}

/** Reports whether a test imports the source directly, or is in the folder of its mirror. */
function isNear({ file, imports }, source) {
  return imports.get(source) === 1 || folderOf(file) === folderOf(mirrorOf(source))
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/'))
