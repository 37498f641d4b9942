import type { Element, Statement, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { PortRange } from '../../../program/program.js'
import type { SelectorNeed, SelectorRow } from './selector-row.js'

/**
 * One statement of a rule. Statements that the model of the compiler represents, words and JSON all become clauses.
 */
export type Clause = ClauseContent &
  (
    | { readonly source: Statement }
    /** The statement as nft prints it. */
    | { readonly text: string }
  )

export type ClauseContent =
  | ComparisonClause
  /** A verdict map. */
  | { readonly kind: 'dispatch'; readonly lookup: MapLookup }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'reject'; readonly with?: string | undefined }
  | SetMarkClause
  | TranslateClause
  /** A statement that has no effect on the path of the packet. `needs` of its selectors may keep it from matching. */
  | { readonly kind: 'pass'; readonly needs: readonly SelectorNeed[] }
  /** A statement that matches or not for reasons outside the packet, such as a limit. */
  | { readonly kind: 'unknownMatch'; readonly needs: readonly SelectorNeed[] }
  | { readonly kind: 'untrack' }
  /** A statement after which packets cannot be followed. With `mayMatch`, it takes only some of the packets. */
  | { readonly kind: 'unknownEffect'; readonly needs: readonly SelectorNeed[]; readonly mayMatch?: boolean | undefined }
  /** A statement that cannot be read. */
  | { readonly kind: 'unread' }

/** A value of a packet that a statement compares, looks up or stores. */
export type KeyPart =
  | { readonly kind: 'selector'; readonly row: SelectorRow }
  /** A number from `offset` on, below `offset + mod`. Only `numgen random` has known probabilities. */
  | {
      readonly kind: 'generated'
      readonly isRandom: boolean
      readonly mod: number
      readonly offset: number
      readonly needs: readonly SelectorNeed[]
    }

export type ComparisonOperator = '==' | '!=' | '<' | '>' | '<=' | '>=' | 'any' | 'none'

/** A match. */
export interface ComparisonClause {
  readonly kind: 'comparison'
  readonly left: readonly KeyPart[]
  /** The bits that are compared, as a word or words joined with `|`; absent if all are. */
  readonly mask?: string | undefined
  /** With `any` or `none`, at least one, or none, of the bits of the value is set. */
  readonly operator: ComparisonOperator
  readonly right:
    | { readonly kind: 'keys'; readonly keys: readonly string[] }
    | { readonly kind: 'named'; readonly set: string }
}

/** A lookup in a map. */
export interface MapLookup {
  readonly key: readonly KeyPart[]
  readonly map:
    | { readonly kind: 'anonymous'; readonly elements: readonly Element[] }
    | { readonly kind: 'named'; readonly set: string }
}

export type MarkOwner = 'packet' | 'connection'

export interface SetMarkClause {
  readonly kind: 'setMark'
  readonly of: MarkOwner
  readonly value: MarkValue
}

export type MarkValue =
  /** (from & keep) ^ flip. Without `from`, the value is `flip`. */
  | { readonly kind: 'bits'; readonly from?: MarkOwner | undefined; readonly keep: number; readonly flip: number }
  | { readonly kind: 'map'; readonly lookup: MapLookup }
  /** A generated number. */
  | { readonly kind: 'generated'; readonly part: KeyPart & { readonly kind: 'generated' } }
  /** A value that cannot be computed. */
  | { readonly kind: 'unknown'; readonly needs: readonly SelectorNeed[] }

/** A statement that changes an address or port of a connection. */
export interface TranslateClause {
  readonly kind: 'translate'
  readonly statement: 'dnat' | 'snat' | 'redirect' | 'masquerade'
  readonly family?: 'ip' | 'ip6' | undefined
  readonly to: Translation
  /** Whether the kernel chooses a port at random. */
  readonly isRandom?: boolean | undefined
}

export type Translation =
  /** An address and a port, each only if the statement has one. */
  | { readonly kind: 'fixed'; readonly address?: string | undefined; readonly port?: number | undefined }
  | { readonly kind: 'map'; readonly lookup: MapLookup }
  /** One of several addresses, and one of several ports. Without addresses or ports, the packet keeps its own. */
  | {
      readonly kind: 'range'
      readonly addresses?: { readonly first: string; readonly last: string } | undefined
      readonly ports?: PortRange | undefined
    }
  /** A value that cannot be computed. */
  | { readonly kind: 'unknown' }

/** Returns what a packet needs so that a value exists. */
export function needsOfKey(key: readonly KeyPart[]): readonly SelectorNeed[] {
  return key.flatMap((part) => (part.kind === 'selector' ? part.row.needs : part.needs))
}

/** Returns the types of the parts of a key, in the notation of set types. */
export function typesOfKey(key: readonly KeyPart[]): readonly string[] {
  return key.map((part) => (part.kind === 'selector' ? part.row.type : 'integer'))
}
