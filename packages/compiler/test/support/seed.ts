import fc from 'fast-check'
import { runs } from './runs.js'

/**
 * Every run generates the same inputs by default; FAST_CHECK_SEED selects another seed, or `random`. By default
 * `pnpm test` uses a third of the runs. FAST_CHECK_SHRINK=no reports a failing input as it was generated, which takes
 * much less time than the search for a smaller input.
 */
const seed = process.env.FAST_CHECK_SEED ?? '1'
fc.configureGlobal({
  numRuns: runs(100),
  endOnFailure: process.env.FAST_CHECK_SHRINK === 'no',
  ...(seed !== 'random' && { seed: Number(seed) }),
})
