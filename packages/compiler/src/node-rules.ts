import { familyOf, type IpFamily } from '@kube-rules/types'
import type { CompileResult, FamilyResult } from './compile.js'
import type { IpsetState } from './dataplane/ipset/ast.js'
import type { IptablesState } from './dataplane/iptables/ast.js'
import type { IpvsState } from './dataplane/ipvs/ast.js'
import type { Dump } from './dump/dump.js'
import { attributeRules } from './targets/iptables/attribute-rules.js'
import { serverOwners } from './targets/ipvs/server-owners.js'
import { kernelSetName } from './targets/ipvs/sets.js'

/** The rules of one address family on a node, compiled or read from dumps. What is absent is taken for empty. */
export interface NodeRules {
  readonly family: IpFamily
  readonly iptables?: IptablesState | undefined
  readonly ipsets?: IpsetState | undefined
  readonly ipvs?: IpvsState | undefined
  /**
   * Every address of the node but for loopback ones and those of `kube-ipvs0`. Absent: not known, so that nobody can tell
   * whether another address is the node's own.
   */
  readonly addresses?: readonly string[] | undefined
  /** Those of `kube-ipvs0`. */
  readonly boundAddresses?: readonly string[] | undefined
  /** The service port (`default/web:http/TCP`) of each virtual server (`10.96.0.1:80/TCP`), where that is known. */
  readonly serverOwners?: ReadonlyMap<string, string> | undefined
}

/** The rules of one family of a result, and the node's addresses. Undefined where the family was not compiled. */
export function nodeRules(result: CompileResult, family: IpFamily): NodeRules | undefined {
  if (result.mode === 'iptables') {
    const found = familyOfResult(result.families, family)
    return found && { ...addressesOf(found), family, iptables: found.state }
  }
  const found = familyOfResult(result.families, family)
  if (found === undefined) return undefined
  const { iptables, ipsets, virtualServers: ipvs, boundAddresses } = found.state
  const owners = serverOwners(found.state, found.plan.services)
  return { ...addressesOf(found), family, iptables, ipsets, ipvs, boundAddresses, serverOwners: owners }
}

/**
 * The rules of one family of a dump, each in a block of the service port it belongs to; `addresses` are the node's own,
 * where they are known. What the dump lacks is taken for empty.
 */
export function dumpedRules(dump: Dump, family: IpFamily, addresses?: readonly string[] | undefined): NodeRules {
  const isOfFamily = (address: string): boolean => familyOf(address) === family
  const iptables = dump.families.find((each) => each.family === family)?.iptables
  const bound = dump.addresses ?? addressesIn(dump.ipset, kernelSetName('KUBE-IPVS-IPS', family))
  return {
    family,
    iptables: iptables && attributeRules(iptables),
    ipsets: dump.ipset,
    ipvs: dump.ipvs && {
      ...dump.ipvs,
      virtualServers: dump.ipvs.virtualServers.filter(({ address }) => isOfFamily(address)),
    },
    addresses: addresses?.filter(isOfFamily),
    boundAddresses: bound.filter(isOfFamily),
  }
}

function familyOfResult<State>(
  families: readonly FamilyResult<State>[],
  family: IpFamily,
): FamilyResult<State> | undefined {
  return families.find((each) => each.family === family)
}

function addressesOf({ plan }: FamilyResult<unknown>): Pick<NodeRules, 'addresses'> {
  return { addresses: plan.node.addresses.map(({ address }) => address) }
}

function addressesIn(ipset: IpsetState | undefined, name: string): readonly string[] {
  const entries = ipset?.sets.find((set) => set.name === name)?.entries ?? []
  return entries.flatMap((entry) => (entry.kind === 'ip' ? entry.address : []))
}
