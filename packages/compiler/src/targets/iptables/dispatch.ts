import type { Match, Rule, Target } from '../../dataplane/iptables/ast.js'
import { collect } from '../../internal/map-list.js'
import { blockingVerdictOf, defaultClauseOf, isFirewalled, isServed } from '../../plan/frontend.js'
import type { ClauseReason, EndpointPoolName, Frontend, ServicePlan } from '../../plan/plan.js'
import {
  createCommentMatch,
  createDestinationAddressMatch,
  createDestinationPortMatch,
  TO_LOCAL_MATCH,
  TRANSPORT_MATCHES,
} from '../shared/match.js'
import {
  EXTERNAL_SERVICES_CHAIN,
  NODE_PORTS_CHAIN,
  PROXY_FIREWALL_CHAIN,
  SERVICES_CHAIN,
  type ServicePortChains,
} from './chain-names.js'
import { selectFrontendsWithRules } from './legacy-frontends.js'
import type { LoweringContext } from './lowering-context.js'

const LOCALHOST_COUNTER: Match = { kind: 'nfacct', name: 'localhost_nps_accepted_pkts' }
const LOCALNET = createDestinationAddressMatch('127.0.0.0/8')

const ADDRESS_COMMENTS: Readonly<Record<Exclude<Frontend['kind'], 'nodePort'>, string>> = {
  clusterIP: 'cluster IP',
  externalIP: 'external IP',
  loadBalancer: 'loadbalancer IP',
}

const REFUSAL_COMMENTS: Readonly<Partial<Record<ClauseReason, string>>> = {
  noEndpoints: 'has no endpoints',
  noLocalEndpoints: 'has no local endpoints',
}

/** Returns the name of the chain that balances connections over the endpoints of a pool. */
export function policyChainNameOf(chains: ServicePortChains, pool: EndpointPoolName): string {
  return pool === 'local' ? chains.local : chains.cluster
}

/**
 * Returns the rules of nat/KUBE-SERVICES and nat/KUBE-NODEPORTS that send packets of a service port to its own chains.
 */
export function createNatDispatchRules(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  return collect(selectFrontendsWithRules(plan, lowering), (frontend) =>
    isServed(frontend) ? dispatchRules(plan, frontend, chains, lowering) : [],
  )
}

/**
 * Returns the rules of the filter table for a service port: the rules that block frontends without endpoints, the rules
 * that drop packets from sources outside the source ranges, and the rule that accepts packets to the health-check port.
 * The drop rules of all load-balancer IPs precede the blocking rules of load-balancer IPs and node ports.
 */
export function createFilterTableRules(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  const frontends = selectFrontendsWithRules(plan, lowering)
  const special = frontends.filter((frontend) => blockingVerdictOf(frontend) !== undefined || isFirewalled(frontend))
  if (special.length === 0) return createHealthCheckRules(plan)
  const rejected = (kind: Frontend['kind']) =>
    special.filter((frontend) => frontend.kind === kind).flatMap((frontend) => blockingRules(plan, frontend))
  return [
    ...rejected('clusterIP'),
    ...rejected('externalIP'),
    ...special.filter(isFirewalled).map((frontend) => notAcceptedRule(plan, frontend, chains)),
    ...rejected('loadBalancer'),
    ...rejected('nodePort'),
    ...createHealthCheckRules(plan),
  ]
}

/**
 * Returns the matches of a frontend after `comment`: `-m tcp -p tcp -d ADDRESS --dport PORT`. A node port has a match
 * for local addresses instead of one address.
 */
export function createFrontendMatches(
  comment: Match,
  { id }: ServicePlan,
  { address, port: number }: Frontend,
): readonly Match[] {
  const [module, protocol] = TRANSPORT_MATCHES[id.protocol]
  const port = createDestinationPortMatch(number)
  return address === undefined
    ? [comment, TO_LOCAL_MATCH, module, protocol, port]
    : [comment, module, protocol, createDestinationAddressMatch(address), port]
}

/** Returns a comment such as `default/web:http cluster IP`. */
export function createAddressCommentMatch(plan: ServicePlan, kind: keyof typeof ADDRESS_COMMENTS): Match {
  return createCommentMatch(`${plan.id.text} ${ADDRESS_COMMENTS[kind]}`)
}

function dispatchRules(
  plan: ServicePlan,
  frontend: Frontend,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  const target: Target = { kind: 'jump', chain: dispatchChain(frontend, chains) }
  if (frontend.kind === 'nodePort') return nodePortRules(plan, frontend, target, lowering)
  const matches = createFrontendMatches(createAddressCommentMatch(plan, frontend.kind), plan, frontend)
  return [{ chain: SERVICES_CHAIN, matches, target }]
}

function dispatchChain(frontend: Frontend, chains: ServicePortChains): string {
  if (frontend.kind === 'clusterIP') return policyChainNameOf(chains, poolOfClusterIP(frontend))
  return isFirewalled(frontend) ? chains.firewall : chains.external
}

function nodePortRules(
  plan: ServicePlan,
  frontend: Frontend,
  target: Target,
  lowering: LoweringContext,
): readonly Rule[] {
  const name = createCommentMatch(plan.id.text)
  const transport = TRANSPORT_MATCHES[plan.id.protocol]
  const port = createDestinationPortMatch(frontend.port)
  const rule: Rule = { chain: NODE_PORTS_CHAIN, matches: [name, ...transport, port], target }
  if (!lowering.countLocalhostNodePorts) return [rule]
  const matches = [name, ...transport, LOCALNET, port, LOCALHOST_COUNTER]
  return [{ chain: NODE_PORTS_CHAIN, matches, target }, rule]
}

function blockingRules(plan: ServicePlan, frontend: Frontend): readonly Rule[] {
  const { reason } = defaultClauseOf(frontend)
  const rejection = blockingVerdictOf(frontend)
  if (rejection === undefined) return []
  const chain = frontend.kind === 'clusterIP' ? SERVICES_CHAIN : EXTERNAL_SERVICES_CHAIN
  const comment = createCommentMatch(`${plan.id.text} ${REFUSAL_COMMENTS[reason]}`)
  return [{ chain, matches: createFrontendMatches(comment, plan, frontend), target: { kind: rejection } }]
}

function notAcceptedRule(plan: ServicePlan, frontend: Frontend, chains: ServicePortChains): Rule {
  const comment = createCommentMatch(`${plan.id.text} traffic not accepted by ${chains.firewall}`)
  const matches = createFrontendMatches(comment, plan, frontend)
  return { chain: PROXY_FIREWALL_CHAIN, matches, target: { kind: 'drop' } }
}

export function createHealthCheckRules(plan: ServicePlan): readonly Rule[] {
  if (plan.healthCheckNodePort === undefined) return []
  const matches = [
    createCommentMatch(`${plan.id.text} health check node port`),
    ...TRANSPORT_MATCHES.TCP,
    createDestinationPortMatch(plan.healthCheckNodePort),
  ]
  return [{ chain: NODE_PORTS_CHAIN, matches, target: { kind: 'accept' } }]
}

/**
 * Returns the pool of endpoints of a cluster-IP frontend that has endpoints. All clauses of the frontend use the same
 * pool.
 */
function poolOfClusterIP(frontend: Frontend): EndpointPoolName {
  const { action: then } = defaultClauseOf(frontend)
  return then.kind === 'pool' ? then.pool : 'cluster'
}
