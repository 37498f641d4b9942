import type { Step } from '../dataplane/netfilter/branch.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Plan } from '../plan/plan.js'
import type { Answer } from './answer.js'
import {
  fateText,
  type PacketFacts,
  packetsText,
  ruleText,
  sendingStep,
  serviceText,
  type VersionChange,
  type Wanted,
} from './packet-facts.js'

type Cause = Pick<Answer, 'code' | 'why'> & { readonly otherwise?: string }

/** That a newer version of kube-proxy does otherwise with the packet, and what changed. */
export function versionChangeAnswer({ packet, ways, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || !('frontend' in wanted.decision)) return undefined
  const change = wanted.change()
  const step = ways[0] && sendingStep(ways[0])
  if (change === undefined || step === undefined) return undefined
  const { servicePort } = wanted.decision
  const { code, why, otherwise } = causeOf(wanted, change, step)
  const update = `update kube-proxy to ${change.version} or newer`
  return {
    code,
    happens: `${packetsText(packet)} ${fateText(ways)} by kube-proxy ${wanted.version}; from ${change.version} on they ${fateText(change.ways)}`,
    why: `${why} (${ruleText(step)})`,
    todo: otherwise === undefined ? update : `${update}, or ${otherwise}`,
    object: serviceText(servicePort),
    rule: step.text,
  }
}

function causeOf(wanted: Wanted, change: VersionChange, step: Step): Cause {
  return (
    hiddenEndpoint(wanted, change) ??
    zeroSourceRange(wanted, change) ??
    earlyFilter(wanted, change, step) ??
    unnamed(wanted, change)
  )
}

/** An endpoint that is known in another condition by the newer version: there are two of this address. */
function hiddenEndpoint({ decision, plan, podOf }: Wanted, change: VersionChange): Cause | undefined {
  if (!('servicePort' in decision)) return undefined
  const { servicePort } = decision
  const { text } = servicePort
  const [before, after] = [endpointsOf(plan, text), endpointsOf(change.plan, text)]
  for (const hiding of before) {
    const hidden = after.find((each) => each.text === hiding.text)
    if (hidden === undefined || conditionOf(hidden) === conditionOf(hiding)) continue
    const [old, other] = [hiding, hidden].map((each) => podOf(servicePort, each))
    const names = [old, other].map((pod) => (pod === undefined ? 'the one that is' : `pod ${pod},`))
    const why = `${serviceText(servicePort)} lists ${hiding.text} twice: ${names[0]} ${conditionOf(hiding)}, hides ${names[1]} ${conditionOf(hidden)}; before ${change.version} the first counts, but for one on this node`
    const pod = old === undefined ? 'the old pod' : `pod ${old}`
    return { code: 'hiddenEndpoint', why, otherwise: `delete ${pod}, whose address another one has now` }
  }
  return undefined
}

function endpointsOf({ services }: Plan, text: string): readonly Endpoint[] {
  return services.find(({ id }) => id.text === text)?.endpoints ?? []
}

/** `terminating and not serving, on node-1`. */
function conditionOf({ ready, serving, terminating, nodeName }: Endpoint): string {
  const state = ready ? 'ready' : terminating ? `terminating and ${serving ? 'still' : 'not'} serving` : 'not ready'
  return nodeName === '' ? state : `${state}, on ${nodeName}`
}

/** A source range of prefix length 0, which later versions do not read. */
function zeroSourceRange({ decision, plan }: Wanted, change: VersionChange): Cause | undefined {
  if (!('frontend' in decision)) return undefined
  const { servicePort, frontend } = decision
  const zero = frontend.allowedSources?.ranges.find(({ prefixLength }) => prefixLength === 0)
  if (zero === undefined || plan === change.plan) return undefined
  return {
    code: 'zeroSourceRange',
    why: `loadBalancerSourceRanges of ${serviceText(servicePort)} has ${zero.text}, which an ipset cannot hold: before ${change.version} its entry in KUBE-LOAD-BALANCER-SOURCE-CIDR is missing, and nobody is accepted`,
    otherwise: 'leave loadBalancerSourceRanges empty',
  }
}

/** Filters of mode nftables that see packets before their destination is changed. */
function earlyFilter({ decision, mode }: Wanted, change: VersionChange, { hook }: Step): Cause | undefined {
  if (mode !== 'nftables' || decision.outcome !== 'endpoints' || !decision.frontend.policyLocal) return undefined
  return {
    code: 'earlyFilter',
    why: `${serviceText(decision.servicePort)} has policy Local and no endpoint on this node; before ${change.version} that is asked at ${hook} before the destination is changed (filter before nat), so that the way of the node itself to all endpoints is never reached`,
    otherwise: 'use the cluster IP from the node',
  }
}

function unnamed({ decision }: Wanted, { version }: VersionChange): Cause {
  const object = 'servicePort' in decision ? serviceText(decision.servicePort) : ''
  return { code: 'changedByVersion', why: `kube-proxy reads ${object} otherwise from ${version} on` }
}
