import fc from 'fast-check'

/** Every run generates the same inputs, unless FAST_CHECK_SEED says otherwise: `random` for others each time. */
const seed = process.env.FAST_CHECK_SEED ?? '1'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
