import type { Element, Verdict } from '../../dataplane/nftables/ast.js'
import type { SetElement } from '../../dataplane/nftables/state.js'
import { MAX_COMMENT_BYTES } from '../../dataplane/nftables/words.js'
import { mapList } from '../../internal/map-list.js'
import { exceedsUtf8Length, truncateUtf8 } from '../../internal/utf8.js'
import { blockingVerdictOf, hasAllowedSources, isServed } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { policyChainNameOf, type ServicePortChains } from './names.js'
import { formatNodePortKey, formatServiceIPKey } from './statements.js'
import {
  CLUSTER_IPS_SET,
  FIREWALL_ALLOW_SET,
  FIREWALL_IPS_MAP,
  FIREWALL_SET,
  HAIRPIN_CONNECTIONS_SET,
  LOCALHOST_REJECT_CHAINS,
  LOCALHOST_REJECT_PORTS_MAP,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  REJECT_CHAIN,
  SERVICE_IPS_MAP,
  SERVICE_NODE_PORTS_MAP,
} from './static-names.js'

/** Returns the set and map elements of one service port. Mirrors the service loop of the nftables proxier. */
export function createServiceElements(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly SetElement[] {
  const elements = [
    ...hairpinElements(plan, lowering),
    ...plan.frontends.flatMap((frontend) => [
      ...clusterIPElements(frontend, lowering),
      ...loopbackElements(plan, frontend, lowering),
      ...servedElements(plan, frontend, chains),
      ...guardElements(plan, frontend, chains, lowering),
      ...blockingElements(plan, frontend, lowering),
    ]),
  ]
  const mayRepeat = plan.frontends.length > 1 && lowering.features.laterFrontendWins
  return mayRepeat ? lastOfEachKey(elements) : elements
}

/** Returns the last element with each key, because kube-proxy replaces an earlier element (`ensureElem`). */
function lastOfEachKey(elements: readonly SetElement[]): readonly SetElement[] {
  const byKey = new Map(elements.map((each) => [formatElementKey(each), each]))
  return byKey.size === elements.length ? elements : [...byKey.values()]
}

/** Reports whether several elements have the same key but different verdicts, so that nft rejects them together. */
export function haveConflictingVerdicts(elements: readonly SetElement[]): boolean {
  const chains = new Map<string, string>()
  return elements.some((each) => {
    const [key, verdict] = [formatElementKey(each), JSON.stringify(each.element.verdict)]
    const earlier = chains.get(key) ?? verdict
    chains.set(key, verdict)
    return earlier !== verdict
  })
}

function formatElementKey({ set, element: { key } }: SetElement): string {
  return `${set} ${key}`
}

/**
 * Returns the set elements for hairpin traffic, from an endpoint to itself. Only endpoints on this node can send
 * hairpin traffic here.
 */
function hairpinElements({ id, reachable }: ServicePlan, { features }: LoweringContext): readonly SetElement[] {
  if (!features.squashedEndpoints) return []
  const local = reachable.filter((endpoint) => endpoint.local)
  return mapList(local, ({ ip, port }) => ({
    set: HAIRPIN_CONNECTIONS_SET,
    element: { key: `${ip} . ${formatServiceIPKey(ip, id.protocol, port)}` },
  }))
}

function clusterIPElements({ kind, address = '' }: Frontend, { features }: LoweringContext): readonly SetElement[] {
  return kind === 'clusterIP' && !features.alphaTable ? [{ set: CLUSTER_IPS_SET, element: { key: address } }] : []
}

/** Returns the map elements that reject packets to a node port on loopback addresses, with or without endpoints. */
function loopbackElements(
  { id }: ServicePlan,
  { kind, port }: Frontend,
  { rejectedOnLoopback }: LoweringContext,
): readonly SetElement[] {
  if (kind !== 'nodePort' || !rejectedOnLoopback.includes(id.protocol)) return []
  const verdict: Verdict = { kind: 'goto', chain: LOCALHOST_REJECT_CHAINS[id.protocol] }
  return [{ set: LOCALHOST_REJECT_PORTS_MAP, element: { key: formatNodePortKey(id.protocol, port), verdict } }]
}

/** Returns the elements that dispatch packets of a frontend to its chain, if packets may reach an endpoint. */
function servedElements(plan: ServicePlan, frontend: Frontend, chains: ServicePortChains): readonly SetElement[] {
  if (!isServed(frontend)) return []
  const set = frontend.kind === 'nodePort' ? SERVICE_NODE_PORTS_MAP : SERVICE_IPS_MAP
  return [{ set, element: { key: keyOf(plan, frontend), verdict: { kind: 'goto', chain: chainOf(frontend, chains) } } }]
}

/**
 * Returns the chain of a frontend. For a cluster IP, this is the chain of its pool; for other frontends, the chain for
 * external destinations.
 */
function chainOf({ kind, clauses }: Frontend, chains: ServicePortChains): string {
  const pool = clauses.find(({ action: then }) => then.kind === 'pool')?.action
  return kind === 'clusterIP' && pool?.kind === 'pool' ? policyChainNameOf(chains, pool.pool) : chains.external
}

function guardElements(
  plan: ServicePlan,
  frontend: Frontend,
  { firewall: chain }: ServicePortChains,
  { features }: LoweringContext,
): readonly SetElement[] {
  if (features.alphaTable) return allowedSourceElements(frontend, keyOf(plan, frontend), plan.id.text)
  if (!hasAllowedSources(frontend)) return []
  const comment = features.firewallElementComments ? commentOf(plan, features) : {}
  return [
    { set: FIREWALL_IPS_MAP, element: { key: keyOf(plan, frontend), verdict: { kind: 'goto', chain }, ...comment } },
  ]
}

const REFUSALS: Readonly<Record<'reject' | 'drop', Verdict>> = {
  reject: { kind: 'goto', chain: REJECT_CHAIN },
  drop: { kind: 'drop' },
}

function blockingElements(plan: ServicePlan, frontend: Frontend, { features }: LoweringContext): readonly SetElement[] {
  const rejection = blockingVerdictOf(frontend)
  if (rejection === undefined) return []
  const set = frontend.kind === 'nodePort' ? NO_ENDPOINT_NODE_PORTS_MAP : NO_ENDPOINT_SERVICES_MAP
  const verdict = REFUSALS[rejection]
  return [{ set, element: { key: keyOf(plan, frontend), verdict, ...commentOf(plan, features) } }]
}

function keyOf({ id }: ServicePlan, { address, port }: Frontend): string {
  return address === undefined ? formatNodePortKey(id.protocol, port) : formatServiceIPKey(address, id.protocol, port)
}

function commentOf({ id }: ServicePlan, { cutComments }: LoweringContext['features']): Pick<Element, 'comment'> {
  return { comment: cutComments ? truncateUtf8(id.text, MAX_COMMENT_BYTES) : id.text }
}

/** Reports whether a comment is too long for nft. */
export function isCommentTooLong(text: string): boolean {
  return exceedsUtf8Length(text, MAX_COMMENT_BYTES)
}

/**
 * Returns the set elements for the source ranges of a frontend in kube-proxy v1.29: its destination, and each pair of
 * destination and permitted source. Later versions have a firewall chain for each service port, see
 * `service-contribution`.
 */
function allowedSourceElements(
  { address = '', allowedSources }: Frontend,
  key: string,
  comment: string,
): readonly SetElement[] {
  if (allowedSources === undefined) return []
  const { ranges, includesThisNode } = allowedSources
  return [
    { set: FIREWALL_SET, element: { key, comment } },
    ...ranges.map(({ text }) => ({ set: FIREWALL_ALLOW_SET, element: { key: `${key} . ${text}`, comment } })),
    ...(includesThisNode ? [{ set: FIREWALL_ALLOW_SET, element: { key: `${key} . ${address}` } }] : []),
  ]
}
