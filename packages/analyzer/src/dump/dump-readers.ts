import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IpFamily } from '@kube-rules/types'
import { type AddressProblemCode, isAddressLine, readAddressLines } from '../dataplane/addresses/parse.js'
import { detectIpsetDump, type IpsetProblemCode, readIpsetLines } from '../dataplane/ipset/parse.js'
import type { IptablesProblemCode } from '../dataplane/iptables/parse/problem.js'
import { detectIptablesDump, readIptablesLines } from '../dataplane/iptables/parse/read.js'
import { detectIpvsDump, type IpvsProblemCode, readIpvsLines } from '../dataplane/ipvs/parse.js'
import type { DumpExtent, DumpSection, DumpSectionsResult } from '../dataplane/netfilter/dump-section.js'
import type { NftablesProblemCode } from '../dataplane/nftables/parse/problem.js'
import { detectNftablesDump as beginsNftables, readNftablesLines } from '../dataplane/nftables/read.js'

/** The reader for dumps of one subsystem. `Code` is the type of its problem codes. */
export interface DumpReader<State, Code extends string> {
  /**
   * Returns the extent of the dump section that starts with a line. Undefined if the line does not belong to the
   * subsystem.
   */
  begins(line: string): DumpExtent | undefined
  /** Parses lines and never throws. `family` is the family of lines that do not show their family. */
  read(lines: readonly DumpSection[], family: IpFamily): DumpSectionsResult<State, Code>
}

/** The problem codes by subsystem. */
interface ProblemCodes {
  readonly nftables: NftablesProblemCode
  readonly ipset: IpsetProblemCode
  readonly ipvs: IpvsProblemCode
  readonly addresses: AddressProblemCode
  readonly iptables: IptablesProblemCode
}

export type SubsystemProblemCode = ProblemCodes[Subsystem]

export const DUMP_READERS: { readonly [S in Subsystem]: DumpReader<StateOf<S>, ProblemCodes[S]> } = {
  nftables: {
    begins: beginsNftables,
    read: readNftablesLines,
  },
  ipset: {
    begins: detectIpsetDump,
    read: readIpsetLines,
  },
  ipvs: {
    begins: detectIpvsDump,
    read: readIpvsLines,
  },
  addresses: {
    begins: (line) => (isAddressLine(line) ? 'line' : undefined),
    read: readAddressLines,
  },
  iptables: {
    begins: detectIptablesDump,
    read: readIptablesLines,
  },
}
