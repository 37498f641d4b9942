import type { DraftTable } from './draft.js'

/**
 * The reason for rejecting a transaction: `absent` (ENOENT), `exists` (EEXIST), `busy` (EBUSY: still referenced),
 * `changed` (an existing base chain or set with another definition), `loop` and `depth` (EMLINK, for the whole
 * transaction), `typeMismatch` (an element or rule that does not fit its set, map or chain), `otherTable`.
 */
export type TransactionErrorCode =
  | 'absent'
  | 'exists'
  | 'busy'
  | 'changed'
  | 'loop'
  | 'depth'
  | 'typeMismatch'
  | 'otherTable'

/** The reason why the kernel would reject a transaction. */
export interface TransactionError {
  /** A stable code. */
  readonly code: TransactionErrorCode
  /** The index of the command, from 0; absent if the error concerns the whole transaction. */
  readonly command?: number | undefined
  /** One line of readable text. */
  readonly message: string
}

/** A problem without the index of its command. */
export type TransactionErrorReason = Omit<TransactionError, 'command'>

export function createMissingObjectError(what: string): TransactionErrorReason {
  return { code: 'absent', message: `there is no ${what}` }
}

export function createObjectExistsError(what: string): TransactionErrorReason {
  return { code: 'exists', message: `${what} already exists` }
}

export function createObjectInUseError(what: string): TransactionErrorReason {
  return { code: 'busy', message: `${what} is still referenced` }
}

/** Checks the target of a rule or element: it must be an existing chain that is not a base chain. */
export function checkJumpTarget(table: DraftTable, name: string): TransactionErrorReason | undefined {
  const chain = table.chains.get(name)
  if (chain === undefined) return createMissingObjectError(`chain ${name}`)
  return chain.base === undefined ? undefined : { code: 'typeMismatch', message: `chain ${name} is a base chain` }
}
