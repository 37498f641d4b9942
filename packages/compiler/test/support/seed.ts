import fc from 'fast-check'
import { runs } from './runs.js'

/**
 * Every run generates the same inputs by default; FAST_CHECK_SEED selects another seed, or `random`. By default
 * `pnpm test` uses a third of the runs.
 */
const seed = process.env.FAST_CHECK_SEED ?? '1'
fc.configureGlobal({ numRuns: runs(100), ...(seed !== 'random' && { seed: Number(seed) }) })
