import type { IptablesState, Match, Rule, Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import {
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
} from '@kube-rules/compiler/internal/targets/userspace/chain-names'
import type { HostFacts, IpFamily, Protocol } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { findMatch, readMatchedFrontend } from '../shared/read-matched-frontend.js'
import type { ProxyListener, StateFrontend } from '../state-frontend.js'

const PORTAL_CHAINS: ReadonlySet<string> = new Set([PORTALS_CONTAINER_CHAIN, PORTALS_HOST_CHAIN])
const HOST_CHAINS: ReadonlySet<string> = new Set([PORTALS_HOST_CHAIN, NODE_PORT_HOST_CHAIN])
const CHAINS: ReadonlySet<string> = new Set([...PORTAL_CHAINS, ...HOST_CHAINS, NODE_PORT_CONTAINER_CHAIN])

const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['tcp', 'TCP'],
  ['udp', 'UDP'],
])

/** A rule that redirects packets to the proxy process. */
interface ProxyRule {
  readonly owner: string
  readonly chain: string
  readonly place: ProxyListener
  readonly frontend: Pick<StateFrontend, 'address' | 'port'> | undefined
}

function proxyRules({ family, tables }: IptablesState): readonly ProxyRule[] {
  const nat = tables.find(({ name }) => name === 'nat')
  return (nat?.blocks ?? []).flatMap((block) =>
    getBlockRules(block).flatMap((rule) => {
      const proxy = CHAINS.has(rule.chain) ? proxyRule(rule, block.owner, family) : undefined
      return proxy === undefined ? [] : [proxy]
    }),
  )
}

function proxyRule(
  { chain, matches, target: ruleTarget }: Rule,
  owner: string,
  family: IpFamily,
): ProxyRule | undefined {
  const protocol = PROTOCOLS.get(findMatch(matches, 'protocol')?.protocol ?? '')
  const target = ruleTarget && targetOf(ruleTarget, family)
  if (protocol === undefined || target === undefined) return undefined
  const servicePort = servicePortName(findMatch(matches, 'comment')?.text ?? '')
  return { owner, chain, place: { servicePort, protocol, ...target }, frontend: frontendOf(chain, matches) }
}

function targetOf(target: Target, family: IpFamily): Pick<ProxyListener, 'address' | 'port'> | undefined {
  if (target.kind === 'redirect') return { port: target.port }
  if (target.kind !== 'dnat') return undefined
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(target.destination) ?? []
  const address = parseIp(host.replace(/^\[(.*)\]$/, '$1'))
  return address?.family === family ? { address: address.text, port: Number(port) } : undefined
}

/**
 * Returns the frontend that a rule matches on. Undefined without an individual port, or for a rule of a KUBE-PORTALS
 * chain without an individual address, which kube-proxy never writes.
 */
function frontendOf(chain: string, matches: readonly Match[]): Pick<StateFrontend, 'address' | 'port'> | undefined {
  const frontend = readMatchedFrontend(matches)
  if (frontend === undefined) return undefined
  if (!PORTAL_CHAINS.has(chain)) return { port: frontend.port }
  return frontend.address === undefined ? undefined : frontend
}

/**
 * Parses `default/web:http`. Up to Kubernetes 1.18, the colon is also present without a port name. Returns an empty
 * string for any other text.
 */
function servicePortName(comment: string): string {
  return /^([^\s/:]+\/[^\s/:]+(?::[^\s/:]+)?):?$/.exec(comment)?.[1] ?? ''
}

/** Returns the distinct addresses and ports that the rules redirect packets to, in rule order. */
export function readProxyListeners(state: IptablesState): readonly ProxyListener[] {
  return eachOnce(
    proxyRules(state).map(({ place }) => place),
    ({ servicePort, protocol, address, port }) => `${servicePort} ${protocol} ${address} ${port}`,
  )
}

/** Returns the distinct frontends that the rules of a state match on, in order. */
export function readFrontends(state: IptablesState): readonly StateFrontend[] {
  const frontends = proxyRules(state).flatMap(({ owner, place: { protocol }, frontend }): readonly StateFrontend[] =>
    frontend === undefined ? [] : [{ owner, protocol, ...frontend }],
  )
  return eachOnce(frontends, ({ protocol, address, port }) => `${protocol} ${address} ${port}`)
}

/**
 * Infers facts about the host from the rules of userspace mode: the host address, and the port of the userspace proxy
 * for each service port.
 */
export function inferUserspaceHostFacts(state: IptablesState): HostFacts {
  const rules = proxyRules(state)
  const named = rules.flatMap(({ place: { servicePort, port } }) => (servicePort === '' ? [] : [[servicePort, port]]))
  const hostIP = rules.find(({ chain }) => HOST_CHAINS.has(chain))?.place.address
  return { proxyPorts: Object.fromEntries(named), ...(hostIP === undefined ? {} : { hostIP }) }
}

function eachOnce<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const byKey = new Map<string, Item>()
  for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item)
  return [...byKey.values()]
}
