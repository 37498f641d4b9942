import type { DraftTable } from './draft.js'

/**
 * The reason for rejecting a transaction: `absent` (ENOENT), `exists` (EEXIST), `busy` (EBUSY: still referenced),
 * `changed` (an existing base chain or set with another definition), `loop` and `depth` (EMLINK, for the whole
 * transaction), `misfit` (an element or rule that does not fit its set, map or chain), `otherTable`.
 */
export type RefusalCode = 'absent' | 'exists' | 'busy' | 'changed' | 'loop' | 'depth' | 'misfit' | 'otherTable'

export interface Refusal {
  readonly code: RefusalCode
  /** The index of the command, from 0; absent for the whole transaction. */
  readonly command?: number | undefined
  readonly message: string
}

/** A problem without the index of its command. */
export type Reason = Omit<Refusal, 'command'>

export function absent(what: string): Reason {
  return { code: 'absent', message: `there is no ${what}` }
}

export function exists(what: string): Reason {
  return { code: 'exists', message: `${what} is there already` }
}

export function busy(what: string): Reason {
  return { code: 'busy', message: `something still leads to ${what}` }
}

/** Checks the target of a rule or element: it must be an existing chain that is not a base chain. */
export function reasonAgainstTarget(table: DraftTable, name: string): Reason | undefined {
  const chain = table.chains.get(name)
  if (chain === undefined) return absent(`chain ${name}`)
  return chain.base === undefined ? undefined : { code: 'misfit', message: `chain ${name} is a base chain` }
}
