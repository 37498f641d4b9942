import type { IpFamily } from '@kube-rules/types'
import type { IpsetState } from '../dataplane/ipset/ast.js'
import type { IpsetParseErrorCode } from '../dataplane/ipset/parse.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import type { ParseErrorCode } from '../dataplane/iptables/parse-error.js'
import type { IpvsState } from '../dataplane/ipvs/ast.js'
import type { IpvsParseErrorCode } from '../dataplane/ipvs/parse.js'

/** What dumps say a node holds. What is absent was not dumped, or a tool had nothing to print: nobody can tell which. */
export interface Dump {
  /** In the order IPv4, IPv6; only those of which there are tables. */
  readonly families: readonly FamilyDump[]
  /** Sets of both families. */
  readonly ipset?: IpsetState | undefined
  /** Virtual servers of both families. */
  readonly ipvs?: IpvsState | undefined
  /** Those of the device `kube-ipvs0`, of both families, canonical and without prefix length. */
  readonly addresses?: readonly string[] | undefined
}

/** One family's part of a dump. */
export interface FamilyDump {
  readonly family: IpFamily
  /** The tables that were dumped. Each has one block. */
  readonly iptables: IptablesState
}

export type DumpErrorCode =
  | ParseErrorCode
  | IpsetParseErrorCode
  | IpvsParseErrorCode
  /** A line that none of the tools prints. */
  | 'unknownLine'
  /** A table that the same family has already. */
  | 'duplicateTable'

/** One place at which a dump could not be read. */
export interface DumpError {
  readonly code: DumpErrorCode
  /** Which of the texts, from 0. */
  readonly text: number
  /** Line and column count from 1, columns in UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** The line with a mark under the place, in two lines of text. */
  readonly frame: string
}
