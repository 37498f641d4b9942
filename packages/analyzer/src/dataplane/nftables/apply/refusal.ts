import type { DraftTable } from './draft.js'

/**
 * Why a transaction is refused: `absent` (ENOENT), `exists` (EEXIST), `busy` (EBUSY: something leads there), `changed` (a base
 * chain or set that is there otherwise), `loop` and `depth` (EMLINK, of the transaction as a whole), `misfit` (an element or
 * rule that its set, map or chain cannot take), `otherTable`.
 */
export type RefusalCode = 'absent' | 'exists' | 'busy' | 'changed' | 'loop' | 'depth' | 'misfit' | 'otherTable'

export interface Refusal {
  readonly code: RefusalCode
  /** Which of the commands, from 0; absent where it is all of them together. */
  readonly command?: number | undefined
  readonly message: string
}

/** What is wrong with a command, whichever it is. */
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

/** Rules and elements lead to chains that are there and that no hook calls. */
export function reasonAgainstTarget(table: DraftTable, name: string): Reason | undefined {
  const chain = table.chains.get(name)
  if (chain === undefined) return absent(`chain ${name}`)
  return chain.base === undefined ? undefined : { code: 'misfit', message: `chain ${name} is a base chain` }
}
