import type { Match, PhysdevMatch, Rule } from '../../dataplane/iptables/ast.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend } from '../../plan/plan.js'
import {
  createCommentMatch,
  createDestinationAddressMatch,
  createDestinationPortMatch,
  TO_LOCAL_MATCH,
  TRANSPORT_MATCHES,
} from '../shared/match.js'
import {
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
  NODE_PORT_NON_LOCAL_CHAIN,
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
} from './chain-names.js'
import { createContainerPortalTarget, createHostPortalTarget, type LoweringContext } from './lowering-context.js'
import type { UserspaceContribution } from './userspace-contribution.js'

const NOT_BY_BRIDGE: PhysdevMatch = { kind: 'physdev', is: 'in', negated: true }
const NEW_CONNECTION: Match = { kind: 'state', states: ['NEW'], negated: false }

/**
 * Returns the nat rules for one frontend of a service port; `port` is its port in the userspace proxy. Mirrors
 * `openOnePortal` and `openNodePort` of the userspace proxier of kube-proxy v1.20 and v1.25.
 */
export function createNatRules(
  { id, lowering }: UserspaceContribution,
  frontend: Frontend,
  port: number,
): readonly Rule[] {
  const common = matchesOf(id, frontend.port, destinationMatch(frontend, lowering))
  const container = createContainerPortalTarget(lowering, port)
  const host = createHostPortalTarget(lowering, port)
  switch (frontend.kind) {
    case 'clusterIP':
    case 'loadBalancer':
      return [
        { chain: PORTALS_CONTAINER_CHAIN, matches: common, target: container },
        { chain: PORTALS_HOST_CHAIN, matches: common, target: host },
      ]
    case 'externalIP':
      return [
        { chain: PORTALS_CONTAINER_CHAIN, matches: [...common, NOT_BY_BRIDGE], target: container },
        { chain: PORTALS_CONTAINER_CHAIN, matches: [...common, TO_LOCAL_MATCH], target: container },
        { chain: PORTALS_HOST_CHAIN, matches: [...common, TO_LOCAL_MATCH], target: host },
      ]
    case 'nodePort':
      return [
        { chain: NODE_PORT_CONTAINER_CHAIN, matches: common, target: container },
        { chain: NODE_PORT_HOST_CHAIN, matches: common, target: host },
      ]
  }
}

/**
 * Returns the filter rule for a service port with a node port. The rule accepts packets on their way to the userspace
 * proxy.
 */
export function createNonLocalRule({ id }: UserspaceContribution, port: number): Rule {
  const matches = [...matchesOf(id, port, []), NEW_CONNECTION]
  return { chain: NODE_PORT_NON_LOCAL_CHAIN, matches, target: { kind: 'accept' } }
}

/** Returns the matches that all portal rules have in common. Mirrors `iptablesCommonPortalArgs`. */
function matchesOf({ text, protocol }: ServicePortId, port: number, addresses: readonly Match[]): readonly Match[] {
  const [module, over] = TRANSPORT_MATCHES[protocol]
  return [createCommentMatch(text), over, module, createDestinationPortMatch(port), ...addresses]
}

function destinationMatch({ address }: Frontend, { destinationSuffix }: LoweringContext): readonly Match[] {
  return address === undefined ? [] : [createDestinationAddressMatch(`${address}${destinationSuffix}`)]
}
