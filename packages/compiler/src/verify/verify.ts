import type { IpFamily } from '@kube-rules/types'
import type { CompileResult, FamilyResult } from '../compile.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import { changesOf } from '../diff/diff.js'
import { orderChanges } from '../diff/order.js'
import type { Dump } from '../dump/dump.js'
import type { IpvsModeState } from '../targets/ipvs/state.js'
import { TARGETS } from '../targets/registry.js'
import { compareIpvs } from './compare-ipvs.js'
import { compareTables, type TableComparison } from './compare-tables.js'
import { type Comparison, joinComparisons, NOTHING_FOUND } from './finding.js'
import { groupFindings } from './group-findings.js'
import type { FamilyReport, VerifyReport } from './report.js'

export interface VerifyOptions {
  /** Which iptables the node has, for the repairing runs. Default `nft`. */
  readonly backend?: 'nft' | 'legacy' | undefined
}

/**
 * Compares what was compiled with what a node holds, and says what to run so that the node holds what was compiled.
 *
 * Rules are equal where the kernel cannot tell them apart. The order of service ports in chains that they share is no
 * drift: kube-proxy leaves it to chance. What is not kube-proxy's is left alone: chains and rules of others; of
 * KUBE-FIREWALL all but the rule of kube-proxy, KUBE-MARK-DROP and the canaries; virtual servers within `excludeCIDRs` and
 * real servers that wait with weight 0 for the end of their connections. What the dump says nothing of is `unverified`.
 */
export function verify(desired: CompileResult, dump: Dump, options: VerifyOptions = {}): VerifyReport {
  const { mode } = desired
  const { backend = 'nft' } = options
  const families =
    mode === 'ipvs'
      ? desired.families.map((each) => verifyIpvs(each, dump, backend))
      : desired.families.map((each) => verifyIptables(each, dump, backend))
  return { mode, families }
}

type Backend = NonNullable<VerifyOptions['backend']>

function verifyIptables({ family, state }: FamilyResult<IptablesState>, dump: Dump, backend: Backend): FamilyReport {
  const tables = compareWithDump(state, dump)
  const repair = TARGETS.iptables.script(patchOf(tables), { family, backend })
  return { ...reportOf(family, tables), otherChains: tables.otherChains, repair }
}

function verifyIpvs({ family, state, plan }: FamilyResult<IpvsModeState>, dump: Dump, backend: Backend): FamilyReport {
  const tables = compareWithDump(state.iptables, dump)
  const all = joinComparisons([tables, compareIpvs(state, plan, dump)])
  const repair = TARGETS.ipvs.script(patchOf(all), { family, backend, excludeCidrs: state.excludeCidrs })
  return { ...reportOf(family, all), otherChains: tables.otherChains, repair }
}

function compareWithDump(wanted: IptablesState, dump: Dump): TableComparison {
  const live = dump.families.find(({ family }) => family === wanted.family)?.iptables
  if (live !== undefined) return compareTables(wanted, live)
  const unverified = [{ part: 'iptables', reason: `the dump has no ${wanted.family} tables` } as const]
  return { ...NOTHING_FOUND, unverified, otherChains: [] }
}

function reportOf(
  family: IpFamily,
  { findings, unverified }: Comparison,
): Pick<FamilyReport, 'family' | 'drift' | 'unverified'> {
  return { family, drift: groupFindings(findings), unverified }
}

/** Without digests: it is carried out at once, and nobody else has the state it starts from. */
function patchOf({ pairs }: Comparison) {
  return { from: '', to: '', changes: orderChanges(changesOf(pairs)) }
}
