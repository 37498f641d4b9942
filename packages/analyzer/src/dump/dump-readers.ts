import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IpFamily } from '@kube-rules/types'
import {
  ADDRESS_PROBLEM_CODES,
  type AddressProblemCode,
  isAddressLine,
  readAddresses,
} from '../dataplane/addresses/parse.js'
import { IPSET_PROBLEM_CODES, type IpsetProblemCode, readIpsetLines, recognizeIpset } from '../dataplane/ipset/parse.js'
import { IPTABLES_PROBLEM_CODES, type IptablesProblemCode } from '../dataplane/iptables/parse/problem.js'
import { parseFamilyHeading, readIptables, recognizeIptables } from '../dataplane/iptables/parse/read.js'
import { IPVS_PROBLEM_CODES, type IpvsProblemCode, readIpvs, recognizeIpvs } from '../dataplane/ipvs/parse.js'
import type { DumpLines, LineGrouping, ReadLinesResult } from '../dataplane/netfilter/dump-lines.js'
import { NFTABLES_PROBLEM_CODES, type NftablesProblemCode } from '../dataplane/nftables/parse/problem.js'
import { recognizeNftables as beginsNftables, readNftables } from '../dataplane/nftables/read.js'

/** The reader for dumps of one subsystem. `Code` is the type of its problem codes. */
export interface DumpReader<State, Code extends string> {
  /**
   * Returns the extent of the dump lines that begin with a line. Undefined if the line does not belong to the
   * subsystem.
   */
  begins(line: string): LineGrouping | undefined
  /**
   * Returns the family that a comment line declares for the following lines. `unknown` ends an earlier declaration.
   * Undefined if the line declares no family.
   */
  headingOf?(line: string): IpFamily | 'unknown' | undefined
  /** Parses lines and never throws. `family` is the family of lines that do not show their family. */
  read(lines: readonly DumpLines[], family: IpFamily): ReadLinesResult<State, Code>
  /** All problem codes of `read`. */
  readonly problemCodes: readonly Code[]
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
    read: readNftables,
    problemCodes: NFTABLES_PROBLEM_CODES,
  },
  ipset: {
    begins: recognizeIpset,
    read: readIpsetLines,
    problemCodes: IPSET_PROBLEM_CODES,
  },
  ipvs: {
    begins: recognizeIpvs,
    read: readIpvs,
    problemCodes: IPVS_PROBLEM_CODES,
  },
  addresses: {
    begins: (line) => (isAddressLine(line) ? 'line' : undefined),
    read: readAddresses,
    problemCodes: ADDRESS_PROBLEM_CODES,
  },
  iptables: {
    begins: recognizeIptables,
    headingOf: parseFamilyHeading,
    read: readIptables,
    problemCodes: IPTABLES_PROBLEM_CODES,
  },
}
