import { readFileSync } from 'node:fs'
import type { Plugin } from 'vitest/config'

/**
 * Runs each test file with property tests once for every seed, in one process, which loads its modules only
 * once. The tests of a seed are in the suite `seed 7`. A slow test that draws nothing runs only for the first seed,
 * because it does the same for all seeds.
 */
export function testsOfSeeds(seeds: readonly number[]): Plugin {
  return {
    name: 'tests-of-seeds',
    enforce: 'pre',
    load(id) {
      if (seeds.length === 0 || !id.endsWith('.test.ts')) return undefined
      return readFileSync(id, 'utf8').includes("from 'fast-check'") ? suitesOf(id, seeds) : undefined
    },
  }
}

/** The milliseconds from which a test is slow. */
const SLOW = 50

/**
 * Returns a module with a suite for each seed. With a query, an import evaluates the tests again. fast-check reads the
 * seed for every draw.
 */
function suitesOf(id: string, seeds: readonly number[]): string {
  const suites = seeds.map(
    (seed, index) => `describe('seed ${seed}', async () => {
  const useSeed = () => fc.configureGlobal({ ...settings, get seed() { drawing.add(nameOfTest()); return ${seed} } })
  beforeAll(useSeed)
  useSeed()
  ${index === 0 ? 'noteSlowTests()' : 'skipSlowTestsWithoutDraws()'}
  await import('${id}?seed=${seed}')
})`,
  )
  return [
    "import fc from 'fast-check'",
    "import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'",
    'const settings = fc.readConfigureGlobal()',
    `
const drawing = new Set()
const slow = new Set()
function nameOfTest() {
  return (expect.getState().currentTestName ?? '').replace(/^seed \\d+ > /, '')
}
function noteSlowTests() {
  let start = 0
  beforeEach(() => { start = performance.now() })
  afterEach(() => { if (performance.now() - start > ${SLOW}) slow.add(nameOfTest()) })
}
function skipSlowTestsWithoutDraws() {
  beforeEach(({ skip }) => skip(slow.has(nameOfTest()) && !drawing.has(nameOfTest()), 'draws nothing'))
}`,
    ...suites,
  ].join('\n')
}
