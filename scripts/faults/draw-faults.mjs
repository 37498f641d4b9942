import { createHash } from 'node:crypto'

/**
 * The faults in the order in which a seed draws them: one of each kind after the other. The place of a fault depends on
 * the seed and on what it says, so that a change elsewhere does not draw others.
 */
export function drawFaults(faults, seed) {
  const kinds = new Map()
  for (const ranked of faults.map((fault) => ({ fault, rank: rankOf(fault, seed) })).sort(byRank)) {
    const ofKind = kinds.get(ranked.fault.kind) ?? []
    kinds.set(ranked.fault.kind, [...ofKind, { ...ranked, turn: ofKind.length }])
  }
  return [...kinds.values()]
    .flat()
    .sort((a, b) => a.turn - b.turn || byRank(a, b))
    .map(({ fault }) => fault)
}

/** What a fault is known by: not its line, which moves. */
export function keyOf({ file, within, before, after }) {
  return JSON.stringify([file, within, before, after])
}

function rankOf(fault, seed) {
  return createHash('sha256')
    .update(`${seed} ${keyOf(fault)}`)
    .digest('hex')
}

function byRank(a, b) {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0
}
