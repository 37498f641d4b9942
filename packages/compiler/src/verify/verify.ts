import { familyOf, type IpFamily } from '@kube-rules/types'
import type { CompileResult, FamilyResult } from '../compile.js'
import { compareAddresses } from '../dataplane/addresses/compare.js'
import { type Comparison, joinComparisons, NOTHING_FOUND } from '../dataplane/comparison.js'
import { compareIpset } from '../dataplane/ipset/compare.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import { compareIptables } from '../dataplane/iptables/compare/compare-iptables.js'
import { compareIpvs } from '../dataplane/ipvs/compare.js'
import { changesOf } from '../diff/diff.js'
import { orderChanges } from '../diff/order.js'
import type { Dump } from '../dump/dump.js'
import type { Plan } from '../plan/plan.js'
import { IPTABLES_CUSTODY } from '../targets/iptables-custody.js'
import { addressCustody, ipsetCustody, ipvsCustody } from '../targets/ipvs/custody.js'
import type { IpvsModeState } from '../targets/ipvs/state.js'
import { TARGETS } from '../targets/registry.js'
import { groupDrift, type OwnedDrift } from './group-drift.js'
import { ipvsOwners } from './ipvs-owners.js'
import type { DriftLanguage, FamilyReport, Unverified, VerifyReport } from './report.js'

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
  const comparisons = [compareTables(state, dump)]
  return {
    ...reportOf(family, comparisons),
    repair: TARGETS.iptables.script(patchOf(comparisons), { family, backend }),
  }
}

function verifyIpvs({ family, state, plan }: FamilyResult<IpvsModeState>, dump: Dump, backend: Backend): FamilyReport {
  const comparisons = [compareTables(state.iptables, dump), ...compareServers(state, plan, dump)]
  const { excludeCidrs } = state
  const repair = TARGETS.ipvs.script(patchOf(comparisons), { family, backend, excludeCidrs })
  return { ...reportOf(family, comparisons), repair }
}

/** What the comparison of one language comes to; absent where the dump has nothing of it. */
interface LanguageComparison {
  readonly language: DriftLanguage
  readonly comparison?: Comparison | undefined
  /** What is said where the dump has nothing. */
  readonly missing: string
}

function compareTables(wanted: IptablesState, dump: Dump): LanguageComparison {
  const live = dump.families.find(({ family }) => family === wanted.family)?.iptables
  return {
    language: 'iptables',
    comparison: live && compareIptables(wanted, live, IPTABLES_CUSTODY),
    missing: `the dump has no ${wanted.family} tables`,
  }
}

/** The sets, virtual servers and addresses of one family. */
function compareServers(state: IpvsModeState, plan: Plan, dump: Dump): readonly LanguageComparison[] {
  const { family, excludeCidrs } = state
  const ownerOf = ipvsOwners(state, plan)
  const { ipset } = dump
  const virtualServers = dump.ipvs?.virtualServers.filter(({ address }) => familyOf(address) === family)
  const addresses = dump.addresses?.filter((address) => familyOf(address) === family)
  return [
    {
      language: 'ipset',
      comparison: ipset && compareIpset(state.ipsets, ipset, ipsetCustody(family, ownerOf)),
      missing: 'the dump has no sets, such as ipset save prints',
    },
    {
      language: 'ipvs',
      comparison:
        virtualServers && compareIpvs(state.virtualServers, { virtualServers }, ipvsCustody(excludeCidrs, ownerOf)),
      missing: 'the dump has no virtual servers, such as ipvsadm -Sn prints',
    },
    {
      language: 'addresses',
      comparison:
        addresses && compareAddresses({ addresses: state.boundAddresses }, { addresses }, addressCustody(ownerOf)),
      missing: 'the dump has no addresses, such as ip -o address show dev kube-ipvs0 prints',
    },
  ]
}

function reportOf(family: IpFamily, comparisons: readonly LanguageComparison[]): Omit<FamilyReport, 'repair'> {
  return {
    family,
    drift: groupDrift(comparisons.flatMap(driftOf)),
    unverified: comparisons.flatMap(unverifiedOf),
    otherChains: comparisons.flatMap(({ comparison }) => comparison?.others ?? []),
  }
}

function driftOf({ language, comparison = NOTHING_FOUND }: LanguageComparison): readonly OwnedDrift[] {
  return comparison.findings.map(({ owner, ...drift }) => ({ servicePort: owner, drift: { language, ...drift } }))
}

function unverifiedOf({ language, comparison, missing }: LanguageComparison): readonly Unverified[] {
  if (comparison === undefined) return [{ part: language, reason: missing }]
  return comparison.unverified.map(({ part, reason }) => ({
    part: `${language} ${part}` as Unverified['part'],
    reason,
  }))
}

/** Without digests: it is carried out at once, and nobody else has the state it starts from. */
function patchOf(comparisons: readonly LanguageComparison[]) {
  const { pairs } = joinComparisons(comparisons.flatMap(({ comparison }) => comparison ?? []))
  return { from: '', to: '', changes: orderChanges(changesOf(pairs)) }
}
