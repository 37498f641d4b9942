import { readFileSync } from 'node:fs'
import type { Plugin } from 'vitest/config'

/**
 * Runs each test file with property tests once for every seed, in one process, which loads its modules only
 * once. The tests of a seed are in the suite `seed 7`.
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

/** Returns a module with a suite for each seed. With a query, an import evaluates the tests again. */
function suitesOf(id: string, seeds: readonly number[]): string {
  const suites = seeds.map(
    (seed) => `describe('seed ${seed}', async () => {
  const useSeed = () => fc.configureGlobal({ ...settings, seed: ${seed} })
  beforeAll(useSeed)
  useSeed()
  await import('${id}?seed=${seed}')
})`,
  )
  return [
    "import fc from 'fast-check'",
    "import { beforeAll, describe } from 'vitest'",
    'const settings = fc.readConfigureGlobal()',
    ...suites,
  ].join('\n')
}
