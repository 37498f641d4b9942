import { createHash } from 'node:crypto'

/**
 * Orders the mutants by a seed, with alternating kinds. The position of a mutant depends on the seed and on its text,
 * so that unrelated changes do not affect the selection.
 */
export function drawMutants(mutants, seed) {
  const kinds = new Map()
  for (const ranked of mutants.map((mutant) => ({ mutant, rank: rankOf(mutant, seed) })).sort(byRank)) {
    const ofKind = kinds.get(ranked.mutant.kind) ?? []
    kinds.set(ranked.mutant.kind, [...ofKind, { ...ranked, turn: ofKind.length }])
  }
  return [...kinds.values()]
    .flat()
    .sort((a, b) => a.turn - b.turn || byRank(a, b))
    .map(({ mutant }) => mutant)
}

/** Returns the identity of a mutant, without its line, which can change. */
export function keyOf({ file, within, before, after }) {
  return JSON.stringify([file, within, before, after])
}

function rankOf(mutant, seed) {
  return createHash('sha256')
    .update(`${seed} ${keyOf(mutant)}`)
    .digest('hex')
}

function byRank(a, b) {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0
}
