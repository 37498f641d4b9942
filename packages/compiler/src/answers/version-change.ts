import type { Endpoint } from '../endpoints/endpoint.js'
import type { Plan } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Answer } from './answer.js'
import {
  fateText,
  onNode,
  type PacketFacts,
  packetsText,
  ruleOf,
  sendingStep,
  serviceText,
  type VersionChange,
  type Wanted,
} from './packet-facts.js'
import { ANYWHERE, clusterIpText, isName, policyFieldOf, serviceCommand } from './remedies.js'

/** `todo` is what helps without a newer version. */
type Cause = Pick<Answer, 'code' | 'why'> & { readonly todo?: string | undefined }

/** That a newer version of kube-proxy does otherwise with the packet, and what changed. */
export function versionChangeAnswer({ packet, ways, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || !('frontend' in wanted.decision)) return undefined
  const change = wanted.change()
  const step = ways[0] && sendingStep(ways[0])
  if (change === undefined || step === undefined) return undefined
  const { servicePort } = wanted.decision
  const { code, why, todo } = causeOf(wanted, change)
  const update = `updating kube-proxy to ${change.version} or newer mends it for good`
  return {
    code,
    happens: onNode(
      wanted.plan,
      `${packetsText(packet)} ${fateText(ways)} by kube-proxy ${wanted.version}; from ${change.version} on they ${fateText(change.ways)}`,
    ),
    why,
    todo: todo === undefined ? `update kube-proxy to ${change.version} or newer` : `${todo}; ${update}`,
    object: serviceText(servicePort),
    ...ruleOf(step),
  }
}

function causeOf(wanted: Wanted, change: VersionChange): Cause {
  return (
    hiddenEndpoint(wanted, change) ??
    zeroSourceRange(wanted, change) ??
    earlyFilter(wanted, change) ??
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
    const why = `${serviceText(servicePort)} lists ${hiding.text} twice: ${names[0]} ${conditionOf(hiding)}, hides ${names[1]} ${conditionOf(hidden)}; before ${change.version} kube-proxy knows one of them only, the first or the one on its own node`
    return { code: 'hiddenEndpoint', why, todo: deleteText(servicePort, old) }
  }
  return undefined
}

/** Takes away the pod whose address another one has now; who has no name here is looked for. */
function deleteText(service: ServicePortId, pod: string | undefined): string {
  return serviceCommand(
    service,
    (namespace, name) =>
      isName(pod)
        ? `kubectl -n ${namespace} delete pod ${pod} (${ANYWHERE}; another pod has its address now); only if it stays Terminating: the same with --force, which does not wait for its containers to end`
        : `kubectl -n ${namespace} get endpointslices -l kubernetes.io/service-name=${name} -o yaml (${ANYWHERE}) shows who they are: delete the one that is gone`,
    'delete the pod that is gone',
  )
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
    why: `loadBalancerSourceRanges of ${serviceText(servicePort)} has ${zero.text}, which means everybody; before ${change.version} kube-proxy in mode ipvs cannot write that down (no ipset holds it), and then nobody is accepted`,
    todo: serviceCommand(
      servicePort,
      (namespace, name) =>
        `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"loadBalancerSourceRanges":null}}' (${ANYWHERE}; without ranges everybody is accepted, too)`,
      'leave loadBalancerSourceRanges empty: without ranges everybody is accepted, too',
    ),
  }
}

/** Filters of mode nftables that see packets before their destination is changed. */
function earlyFilter({ decision, mode, plan }: Wanted, change: VersionChange): Cause | undefined {
  if (mode !== 'nftables' || decision.outcome !== 'endpoints' || !decision.frontend.policyLocal) return undefined
  const clusterIp = clusterIpText(decision, plan)
  return {
    code: 'earlyFilter',
    why: `${policyFieldOf(decision.frontend.kind)} of ${serviceText(decision.servicePort)} is Local and no endpoint is on this node; the node itself and pods may use those of other nodes, but before ${change.version} kube-proxy drops the packets before it asks for that`,
    todo: clusterIp && `use ${clusterIp} from nodes and pods instead, there is nothing to change`,
  }
}

function unnamed({ decision }: Wanted, { version }: VersionChange): Cause {
  const object = 'servicePort' in decision ? serviceText(decision.servicePort) : ''
  return { code: 'changedByVersion', why: `kube-proxy reads ${object} otherwise from ${version} on` }
}
