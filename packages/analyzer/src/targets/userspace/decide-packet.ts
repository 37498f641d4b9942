import {
  type Decision,
  decide,
  type EndpointCandidate,
  type FrontendDecision,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { findPortConflicts } from '@kube-rules/compiler/internal/plan/port-conflicts'
import { userspaceProxyPlanOf } from '@kube-rules/compiler/internal/targets/userspace/planning/plan-service'
import type { Packet } from '@kube-rules/types'
import { endsOfDecision } from '../../plan/ends-of-decision.js'
import { findExternalIPs, removeFrontends } from '../../plan/remove-frontends.js'
import type { ModeDecision } from '../mode-decision.js'
import { combineDecisions, withEffectiveLimitations } from '../shared/effective-limitations.js'
import type { PacketWalk } from '../shared/packet-walk.js'

/**
 * Decides how userspace mode handles a packet: as the plan decides, except for packets to an external IP. Each deviation
 * from `expected`, the decision of the objects or of the plan of another mode, has the code of a limitation.
 */
export function decideInUserspaceMode(
  plan: Plan,
  packet: Packet,
  expected: Decision = decide(plan, packet),
): ModeDecision {
  const walk = { plan, packet, expected }
  return combineDecisions(
    decisionsOf(plan, packet).map((decision) => {
      const ends = endsOfDecision(decision, plan, packet)
      return withEffectiveLimitations({ ends, limitations: nameDeviations(walk, decision) }, walk)
    }),
  )
}

/**
 * Returns the possible decisions about a packet. No rule of an external IP matches packets of the node and packets of
 * pods that come through a bridge, unless the external IP is an address of the node. Whether a packet comes through a
 * bridge is unknown.
 */
function decisionsOf(plan: Plan, packet: Packet): readonly Decision[] {
  const decision = decide(plan, packet)
  const { origin, source, destination } = packet
  if (origin === 'outside' || isNodeAddress(plan.node, destination)) return [decision]
  if (!('frontend' in decision) || decision.frontend.kind !== 'externalIP') return [decision]
  const bypassed = decide(removeFrontends(plan, findExternalIPs(plan, packet)), packet)
  return origin === 'pod' && !isNodeAddress(plan.node, source) ? [decision, bypassed] : [bypassed]
}

/** Returns the limitations that explain the difference between a decision and the expected decision. */
function nameDeviations({ plan, packet, expected }: PacketWalk, decision: Decision): readonly string[] {
  if (decision.kind === 'proxy') return nameProxy(plan, expected, decision)
  return 'frontend' in expected ? [nameMissingRules(plan, packet, expected)] : []
}

/** Returns the limitations of a packet that the userspace proxy accepts. */
function nameProxy(
  plan: Plan,
  expected: Decision,
  decision: Extract<Decision, { readonly kind: 'proxy' }>,
): readonly string[] {
  switch (expected.kind) {
    case 'proxy':
    case 'healthCheck':
      return []
    case 'unmatched':
      return decision.frontend.kind === 'loadBalancer' ? ['ipModeIgnored'] : []
    case 'reject':
      return ['connectionsTaken']
    case 'drop':
      return [expected.reason === 'sourceRange' ? 'sourceRangesIgnored' : 'policiesIgnored', 'connectionsTaken']
    case 'endpoints': {
      if (haveSameEndpoints(expected.candidates, decision.candidates)) return ['connectionsTaken']
      const ignored = findProxyPlan(plan, expected)?.ignores.includes('policies')
        ? 'policiesIgnored'
        : 'topologyIgnored'
      return [ignored, 'connectionsTaken']
    }
  }
}

function haveSameEndpoints(some: readonly EndpointCandidate[], others: readonly EndpointCandidate[]): boolean {
  const texts = new Set(others.map(({ endpoint }) => endpoint.text))
  return some.length === others.length && some.every(({ endpoint }) => texts.has(endpoint.text))
}

/** Returns the limitation that explains why no rule matches a packet. */
function nameMissingRules(plan: Plan, packet: Packet, { servicePort, frontend }: FrontendDecision): string {
  if (packet.protocol === 'SCTP') return 'noSctp'
  const proxied = findProxyPlan(plan, { servicePort })
  if (proxied?.isOpened !== true) return 'oneFamily'
  const isOfAnyAddress = packet.origin === 'outside' || isNodeAddress(plan.node, packet.destination)
  if (frontend.kind === 'externalIP' && !isOfAnyAddress) return 'externalIPsOfOthers'
  return hasConflict(plan, { servicePort }) ? 'claimStops' : 'otherFamilyStops'
}

type ServicePortOf = Pick<FrontendDecision, 'servicePort'>

/** Reports whether another service port already uses a port that a service port claims. */
function hasConflict(plan: Plan, { servicePort: { text, protocol } }: ServicePortOf): boolean {
  return findPortConflicts(plan.services, plan).some(({ id }) => id.text === text && id.protocol === protocol)
}

function findProxyPlan({ services }: Plan, { servicePort: { text, protocol } }: ServicePortOf) {
  return userspaceProxyPlanOf(services.find(({ id }) => id.text === text && id.protocol === protocol))
}
