import fc from 'fast-check'
import { runs } from './runs.js'

/**
 * Every run generates the same inputs, unless FAST_CHECK_SEED says otherwise: `random` for others each time. Laws that say
 * nothing else are tried a third as often by `pnpm test`, too.
 */
const seed = process.env.FAST_CHECK_SEED ?? '1'
fc.configureGlobal({ numRuns: runs(100), ...(seed !== 'random' && { seed: Number(seed) }) })
