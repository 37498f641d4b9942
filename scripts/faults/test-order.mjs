import { mirrorOf } from './related-tests.mjs'

/** Seconds, before a test has been seen: generated ones run many cases. */
const GUESS = { written: 1, generated: 10 }

/**
 * Which tests to ask of a fault, and in which order: first the one that mirrors the source, then by how likely each finds
 * it for its time. Learns both with `record`. `tests` as `readTests` gives them.
 */
export function createTestOrder(tests) {
  const seen = new Map()
  return {
    testsFor: (source) =>
      tests
        .filter(({ imports }) => imports.has(source))
        .map((test) => ({ file: test.file, worth: worthOf(test, source, seen.get(test.file)) }))
        .sort((a, b) => b.worth - a.worth)
        .map(({ file }) => file),
    record: (file, { found, seconds }) => {
      const known = seen.get(file) ?? { runs: 0, found: 0, seconds: 0 }
      const mean = (known.seconds * known.runs + seconds) / (known.runs + 1)
      seen.set(file, { runs: known.runs + 1, found: known.found + (found ? 1 : 0), seconds: mean })
    },
  }
}

function worthOf({ file, imports, generated }, source, known = { runs: 0, found: 0, seconds: undefined }) {
  if (file === mirrorOf(source)) return Number.POSITIVE_INFINITY
  const seconds = known.seconds ?? (generated ? GUESS.generated : GUESS.written)
  const near = imports.get(source) === 1 || folderOf(file) === folderOf(mirrorOf(source)) ? 1 : 0
  return (near + (known.found + 0.5) / (known.runs + 5)) / (seconds + 0.3)
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/'))
