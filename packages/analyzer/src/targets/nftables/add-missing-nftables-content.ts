import { createCoverageQueries, type StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Chain, Statement, Table, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { endpointNamesOf } from '@kube-rules/compiler/internal/targets/nftables/names'
import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import type { IpFamily, Protocol } from '@kube-rules/types'
import { joinHostPort, parseIp } from '@kube-rules/types/internal/ip'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import { parseNftables } from '../../dataplane/nftables/parse/parse.js'
import { ASSUMED_RULE_COMMENT } from '../shared/assumed-rule.js'

/**
 * Completes the kube-proxy table of a fragment. Adds the missing chains that look up the existing maps, the jumps to
 * these chains, the mark rules, and the chains of endpoints. The caller reports that the fragment is partial.
 */
export function addMissingNftablesContent(
  state: NftablesState,
  fragment: StateCoverage | undefined,
  family: IpFamily,
): NftablesState {
  const coverage = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => {
    const isAll = coverage.isComplete('nftables', formatTableId(table))
    return isAll || !isKubeProxyTable(table) ? table : withFixedChains(table, family)
  })
  return { ...state, tables }
}

function withFixedChains(table: Table, family: IpFamily): Table {
  const existingChains = new Set(table.chains.map(({ name }) => name))
  const missing = staticChains(table, family).filter(({ name }) => !existingChains.has(name))
  return { ...table, chains: [...table.chains, ...missing] }
}

/** Returns the static chains that look up the maps of the table, such as `services`. */
function staticChains(table: Table, family: IpFamily): readonly Chain[] {
  const address = family === 'IPv4' ? 'ip' : 'ip6'
  const has = (name: string) => table.sets.some((set) => set.name === name)
  const lookups = [
    ...(has('service-ips') ? [`${address} daddr . meta l4proto . th dport vmap @service-ips`] : []),
    ...(has('service-nodeports') ? ['fib daddr type local meta l4proto . th dport vmap @service-nodeports'] : []),
  ]
  const text = [
    `table ${address} kube-proxy {`,
    'chain nat-prerouting { type nat hook prerouting priority dstnat; policy accept; jump services; }',
    'chain nat-output { type nat hook output priority dstnat; policy accept; jump services; }',
    'chain nat-postrouting { type nat hook postrouting priority srcnat; policy accept; jump masquerading; }',
    `chain services { ${lookups.join('; ')}; }`,
    'chain mark-for-masquerade { meta mark set meta mark | 0x00004000; }',
    ...filterChains(has, address),
    ...missingEndpoints(table).map((endpoint) => endpointChain(endpoint, address)),
    'chain masquerading { meta mark & 0x00004000 == 0x00000000 return; masquerade; }',
    '}',
  ].join('\n')
  const parsed = parseNftables(text.replaceAll('; ', '\n').replaceAll('{ ', '{\n'))
  const chains = parsed.ok ? (parsed.value[0]?.chains ?? []) : []
  return chains.map((chain) => ({
    ...chain,
    rules: chain.rules.map((rule) => ({ ...rule, comment: ASSUMED_RULE_COMMENT })),
  }))
}

/** Returns the static chains of type filter that look up the maps of the table. */
function filterChains(has: (map: string) => boolean, address: 'ip' | 'ip6'): readonly string[] {
  const [services, nodePorts] = [has('no-endpoint-services'), has('no-endpoint-nodeports')]
  const isFiltered = services || nodePorts
  const atServices = services ? ' ct state new jump service-endpoints-check;' : ''
  const atNodePorts = nodePorts ? ' ct state new jump nodeport-endpoints-check;' : ''
  const hook = (name: string) => `type filter hook ${name}`
  return [
    ...(has('firewall-ips')
      ? [
          `chain filter-prerouting-pre-dnat { ${hook('prerouting')} priority dstnat - 10; policy accept; ct state new jump firewall-check; }`,
          `chain filter-output-pre-dnat { ${hook('output')} priority dstnat - 10; policy accept; ct state new jump firewall-check; }`,
          `chain firewall-check { ${address} daddr . meta l4proto . th dport vmap @firewall-ips; }`,
        ]
      : []),
    ...(isFiltered
      ? [
          `chain filter-input { ${hook('input')} priority filter; policy accept;${atNodePorts}${atServices} }`,
          'chain reject-chain { reject; }',
        ]
      : []),
    ...(services
      ? [
          `chain filter-forward { ${hook('forward')} priority filter; policy accept;${atServices} }`,
          `chain filter-output { ${hook('output')} priority filter; policy accept;${atServices} }`,
          `chain service-endpoints-check { ${address} daddr . meta l4proto . th dport vmap @no-endpoint-services; }`,
        ]
      : []),
    ...(nodePorts
      ? ['chain nodeport-endpoints-check { fib daddr type local meta l4proto . th dport vmap @no-endpoint-nodeports; }']
      : []),
  ]
}

/** An endpoint of a service port, as the name of its chain has it. */
interface NamedEndpoint {
  readonly chain: string
  readonly protocol: Protocol
  readonly ip: string
  readonly port: number
}

/**
 * Returns the endpoints that a table sends packets to without their chains. The name of such a chain has the
 * service port and the endpoint; its rules are known if the hash in it is that of the rest.
 */
function missingEndpoints({ chains, sets }: Table): readonly NamedEndpoint[] {
  const verdicts = [
    ...chains.flatMap(({ rules }) => rules.flatMap(({ statements }) => statements.flatMap(verdictsOf))),
    ...sets.flatMap(({ elements }) => elements.flatMap(({ verdict }) => verdict ?? [])),
  ]
  const own = new Set(chains.map(({ name }) => name))
  const targets = verdicts.flatMap((verdict) => ('chain' in verdict && !own.has(verdict.chain) ? [verdict.chain] : []))
  return [...new Set(targets)].flatMap((chain) => parseEndpointChain(chain) ?? [])
}

function verdictsOf(statement: Statement): readonly Verdict[] {
  if (statement.kind === 'jump' || statement.kind === 'goto') return [statement]
  if (statement.kind !== 'vmap' || statement.map.kind !== 'anonymous') return []
  return statement.map.elements.flatMap(({ verdict }) => verdict ?? [])
}

/** Matches `endpoint-KSEMDTQY-default/web/tcp/http__10.244.1.5/8080`. In an IPv6 address, dots replace colons. */
const ENDPOINT_CHAIN = /^endpoint-[A-Z2-7]{8}-([\w.-]+)\/([\w.-]+)\/([a-z]+)\/([\w.-]*?)__([0-9a-f.]+)\/(\d+)$/

function parseEndpointChain(chain: string): NamedEndpoint | undefined {
  const [, namespace, name, protocolName = '', portName = '', address = '', portText] = ENDPOINT_CHAIN.exec(chain) ?? []
  const protocol = PROTOCOLS_BY_NAME.get(protocolName)
  if (namespace === undefined || name === undefined || protocol === undefined) return undefined
  const id = { namespace, name, portName, protocol, text: '' }
  const port = Number(portText)
  const ip = parseIp(address)?.text ?? parseIp(address.replaceAll('.', ':'))?.text
  if (ip === undefined || endpointNamesOf(id, { ip, port }).chain !== chain) return undefined
  return { chain, protocol, ip, port }
}

function endpointChain({ chain, protocol, ip, port }: NamedEndpoint, address: 'ip' | 'ip6'): string {
  const masquerade = `${address} saddr ${ip} jump mark-for-masquerade`
  return `chain ${chain} { ${masquerade}; meta l4proto ${protocol.toLowerCase()} dnat to ${joinHostPort(ip, port)}; }`
}
