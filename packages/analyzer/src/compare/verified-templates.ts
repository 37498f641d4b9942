import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { IptablesState, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isSharedChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { createAddressRangeParser } from '../program/address-range.js'
import { getTracer } from '../trace/trace.js'
import { checkTraceContext, type TraceContext } from '../trace/trace-context.js'
import { type AddressTemplateLookup, createAddressTemplateLookup } from './address-templates.js'
import { normalizeTemplate } from './normalized-template.js'
import { splitStateByOwner } from './state-partition.js'

/**
 * Creates a function that returns the templates of destinations in the state of a node that has no drift: its rules of
 * kube-proxy are those of `expected`. All rules of the node handle packets to two destinations with the same template
 * alike, except for their addresses.
 *
 * Only addresses that no rule of another program mentions have a template, and only if the dump is complete. The template
 * of an address says which networks in rules of other programs contain the address.
 */
export function createVerifiedTemplateLookup(
  actual: NodeState,
  expected: NodeState,
  traceContext: Pick<TraceContext, 'addresses'> = {},
): AddressTemplateLookup {
  checkState('actual', actual)
  checkSameFamily('expected', actual, checkState('expected', expected))
  checkTraceContext('traceContext', traceContext)
  const split = actual.coverage === undefined ? splitStateByOwner(expected) : undefined
  if (split === undefined) return NO_TEMPLATE
  const foreign = foreignContentOf(actual, expected)
  const rangeOf = createAddressRangeParser(actual.family)
  const { networks, text } = normalizeTemplate(foreign, actual.family)
  if (networks.some((network) => rangeOf(network) === undefined) || SERVICE_CHAIN.test(text)) return NO_TEMPLATE
  const { trace, traceSharedPaths, facts } = getTracer(actual, traceContext)
  const side = { trace, traceSharedPaths, isLocal: facts.isLocal, destinations: [] }
  return createAddressTemplateLookup({
    ...{ family: actual.family, addresses: traceContext.addresses, rangeOf },
    a: { ...side, parts: { ...split, shared: [...split.shared, foreign] } },
    b: { ...side, parts: { shared: [], parts: [] } },
  })
}

const NO_TEMPLATE: AddressTemplateLookup = () => undefined

/** Matches the name of a chain of a service port, which no rule of another program may jump to. */
const SERVICE_CHAIN = /\bKUBE-(?:SVC|SVL|EXT|FW|SEP|XLB)-/

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
