/** Pseudorandom numbers; the same seed always produces the same numbers. */
export interface Random {
  /** Returns an integer from 0 to `limit - 1`. */
  readonly below: (limit: number) => number
  /** Returns true with the probability 1/`of`. */
  readonly once: (of: number) => boolean
  readonly oneOf: <Choice>(choices: readonly Choice[]) => Choice
}

/** The generator mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed | 0
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    once: (of) => below(of) === 0,
    oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number],
  }
}
