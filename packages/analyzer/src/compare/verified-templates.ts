import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { IptablesState, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isSharedChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { checkDrift } from '../arguments/check-results.js'
import { isInDefaultNodePorts } from '../plan/default-node-ports.js'
import { createAddressRangeParser } from '../program/address-range.js'
import { getTracer } from '../trace/trace.js'
import { checkTraceContext, type TraceContext } from '../trace/trace-context.js'
import type { FamilyReport } from '../verify/report.js'
import { type AddressTemplateLookup, createAddressTemplateLookup } from './address-templates.js'
import { separateChangedParts } from './separate-changed-parts.js'
import { splitStateByOwner } from './state-partition.js'

/**
 * Creates a function that returns the templates of destinations in the state of a verified node: its rules of kube-proxy
 * are those of `expected`, except for `drift`. All rules of the node handle packets to two destinations with the same
 * template alike, except for their addresses and node ports. This applies to packets to ports that are no node ports, and
 * for packets to the node ports of the template at addresses of the node.
 *
 * An address has a template only if no drift and no rule of another program mentions it or a node port of its service
 * port, or jumps to a chain of its service port, and only if the dump is complete. The template of an address says which
 * networks in these rules contain the address, and which ranges of ports may contain the node ports.
 */
export function createVerifiedTemplateLookup(
  actual: NodeState,
  expected: NodeState,
  traceContext: Pick<TraceContext, 'addresses'> = {},
  drift: FamilyReport['drift'] = [],
): AddressTemplateLookup {
  checkState('actual', actual)
  checkSameFamily('expected', actual, checkState('expected', expected))
  checkTraceContext('traceContext', traceContext)
  checkDrift('drift', drift)
  const split = actual.coverage === undefined ? splitStateByOwner(expected, isInDefaultNodePorts) : undefined
  const foreign = foreignContentOf(actual, expected)
  const parts =
    split && separateChangedParts(split, { drift, foreign, family: actual.family, addresses: traceContext.addresses })
  const rangeOf = createAddressRangeParser(actual.family)
  if (parts === undefined || parts.networks.some((network) => rangeOf(network) === undefined)) return NO_TEMPLATE
  const { trace, traceSharedPaths, facts } = getTracer(actual, traceContext)
  const side = { trace, traceSharedPaths, isLocal: facts.isLocal, destinations: [] }
  return createAddressTemplateLookup({
    ...{ family: actual.family, addresses: traceContext.addresses, rangeOf },
    a: { ...side, parts },
    b: { ...side, parts: { shared: [], parts: [] } },
  })
}

const NO_TEMPLATE: AddressTemplateLookup = () => undefined

/** Returns the content of a state that is not known to be the same as in the expected state. */
function foreignContentOf(actual: NodeState, expected: NodeState): unknown {
  const { iptables, ipset, ipvs, nftables, addresses } = actual
  const sets = new Set(expected.ipset?.sets.map(({ name }) => name))
  const servers = new Set(expected.ipvs?.virtualServers.map(serverKey))
  const tables = new Set(expected.nftables?.tables.map(tableKey))
  const bound = new Set(expected.addresses?.addresses)
  return [
    iptables?.tables.map((table) => foreignRulesOf(table, expected.iptables)),
    ipset?.sets.filter(({ name }) => !sets.has(name)),
    ipvs?.virtualServers.filter((server) => !servers.has(serverKey(server))),
    ipvs?.unknownLines,
    nftables?.tables.filter((table) => !tables.has(tableKey(table))),
    addresses?.addresses.filter((address) => !bound.has(address)),
  ]
}

type VirtualServer = NonNullable<NodeState['ipvs']>['virtualServers'][number]
type NftTable = NonNullable<NodeState['nftables']>['tables'][number]

function serverKey({ protocol, address, port }: VirtualServer): string {
  return `${protocol} ${address} ${port}`
}

function tableKey({ family, name }: NftTable): string {
  return `${family} ${name}`
}

/**
 * Returns the policies and rules of a table, except for rules in chains that only kube-proxy writes. The kubelet and other
 * programs also write to built-in chains and to chains of the kubelet.
 */
function foreignRulesOf({ name, policies, jumps, blocks }: Table, expected: IptablesState | undefined): unknown {
  const own = expected?.tables.find((each) => each.name === name)
  const written = new Set(own?.blocks.flatMap(({ chains }) => chains))
  const isForeign = (chain: string) =>
    !written.has(chain) || isBuiltInChain(name, chain) || isSharedChain(formatChainId(name, chain))
  const rules = blocks.flatMap((block) => getBlockRules(block).filter(({ chain }) => isForeign(chain)))
  return { name, policies, jumps, rules }
}
