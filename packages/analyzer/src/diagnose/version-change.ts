import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findEndpointStep,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
  type VersionChange,
} from './packet-diagnosis-context.js'
import {
  createClusterIpStep,
  createClusterPolicyStep,
  createServicePatch,
  createUpdateStep,
  findClusterIp,
  formatServiceCommand,
  isShellSafeName,
  trafficPolicyFieldOf,
} from './remedies.js'

/** The change of kube-proxy that is the cause. `steps` are the steps that help without a newer version. */
type Cause = Pick<Diagnosis, 'code' | 'cause' | 'steps'>

/** Reports that a newer version of kube-proxy handles the packet differently, and the responsible change. */
export function diagnoseVersionChange({ packet, paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected === undefined || !('frontend' in expected.decision)) return undefined
  const change = expected.change()
  const step = paths[0] && findEndpointStep(paths[0])
  if (change === undefined || step === undefined) return undefined
  const { servicePort } = expected.decision
  const { code, cause, steps } = causeOf(expected, change)
  return {
    code,
    summary: prefixWithNode(
      expected.plan,
      `with kube-proxy ${expected.version}, ${formatPackets(packet)} ${formatOutcomes(paths)}; from ${change.version} on they ${formatOutcomes(change.paths)}`,
    ),
    cause,
    steps: [...steps, createUpdateStep(change.version, steps.length === 0 ? '' : 'For a permanent fix')],
    object: formatService(servicePort),
    ...createDiagnosisRule(step),
  }
}

function causeOf(expected: ExpectedHandling, change: VersionChange): Cause {
  return (
    hiddenEndpoint(expected, change) ??
    zeroSourceRange(expected, change) ??
    earlyFilter(expected, change) ??
    unspecificCause(expected, change)
  )
}

/**
 * Finds an endpoint with a different condition in the newer version. The reason is a second endpoint with the same
 * address, which hides it in the older version.
 */
function hiddenEndpoint({ decision, plan, podOf }: ExpectedHandling, change: VersionChange): Cause | undefined {
  if (!('servicePort' in decision)) return undefined
  const { servicePort } = decision
  const { text } = servicePort
  const [before, after] = [endpointsOf(plan, text), endpointsOf(change.plan, text)]
  for (const hiding of before) {
    const hidden = after.find((each) => each.text === hiding.text)
    if (hidden === undefined || conditionOf(hidden) === conditionOf(hiding)) continue
    const [old, other] = [hiding, hidden].map((each) => podOf(servicePort, each))
    const names = [old, other].map((pod) => (pod === undefined ? 'the pod that is' : `pod ${pod},`))
    const cause = `${formatService(servicePort)} lists ${hiding.text} twice: ${names[0]} ${conditionOf(hiding)}, hides ${names[1]} ${conditionOf(hidden)}; before ${change.version} kube-proxy uses only one of them, the first or the one on its own node`
    return { code: 'hiddenEndpoint', cause, steps: deleteSteps(servicePort, old) }
  }
  return undefined
}

/**
 * Steps that delete the pod that no longer owns the address. If the name of the pod is unknown, the first step finds
 * the pod.
 */
function deleteSteps(service: ServicePortId, pod: string | undefined): readonly DiagnosisStep[] {
  if (!isShellSafeName(pod)) {
    return [
      {
        text: 'List both pods with kubectl, and delete the pod that no longer owns the address',
        command: formatServiceCommand(
          service,
          (namespace, name) =>
            `kubectl -n ${namespace} get endpointslices -l kubernetes.io/service-name=${name} -o yaml`,
        ),
      },
    ]
  }
  const command = formatServiceCommand(service, (namespace) => `kubectl -n ${namespace} delete pod ${pod}`)
  return [
    {
      text: `Delete pod ${pod} with kubectl; another pod has its address now`,
      command,
      change: { kind: 'deletePod', namespace: service.namespace, name: pod },
    },
    {
      text: 'If it stays Terminating, force its deletion',
      command: command && `${command} --force`,
      impact: 'Kubernetes then does not wait for the containers of the pod to stop',
    },
  ]
}

function endpointsOf({ services }: Plan, text: string): readonly Endpoint[] {
  return services.find(({ id }) => id.text === text)?.endpoints ?? []
}

/** Formats the condition of an endpoint: `terminating and not serving, on node-1`. */
function conditionOf({ ready, serving, terminating, nodeName }: Endpoint): string {
  const state = ready ? 'ready' : terminating ? `terminating and ${serving ? 'still' : 'not'} serving` : 'not ready'
  return nodeName === '' ? state : `${state}, on ${nodeName}`
}

/** Finds a zero CIDR (prefix length 0) in the source ranges, which older versions of kube-proxy cannot add to an ipset. */
function zeroSourceRange({ decision, plan }: ExpectedHandling, change: VersionChange): Cause | undefined {
  if (!('frontend' in decision)) return undefined
  const { servicePort, frontend } = decision
  const zero = frontend.allowedSources?.ranges.find(({ prefixLength }) => prefixLength === 0)
  if (zero === undefined || plan === change.plan) return undefined
  return {
    code: 'zeroSourceRange',
    cause: `loadBalancerSourceRanges of ${formatService(servicePort)} contains ${zero.text}, which allows every client; before ${change.version} kube-proxy in ipvs mode cannot add it to an ipset, and then allows no client`,
    steps: [
      {
        text: `Remove loadBalancerSourceRanges from ${formatService(servicePort)} with kubectl`,
        command: formatServiceCommand(
          servicePort,
          (namespace, name) =>
            `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"loadBalancerSourceRanges":null}}'`,
        ),
        change: createServicePatch(servicePort, { loadBalancerSourceRanges: null }),
        impact: 'without source ranges, every other client is allowed as well',
      },
    ],
  }
}

/** Finds the cause that only the older version filters packets before DNAT (feature `earlyFilters`). */
function earlyFilter({ decision, plan, healthChecks }: ExpectedHandling, change: VersionChange): Cause | undefined {
  const isEarlier = plan.kernel.features.earlyFilters && !change.plan.kernel.features.earlyFilters
  if (!isEarlier || decision.kind !== 'endpoints' || !decision.frontend.usesLocalPolicy) return undefined
  const { servicePort, frontend } = decision
  const { namespace, name } = servicePort
  const clusterIp = findClusterIp(decision, plan)
  const health = healthChecks.find((each) => each.namespace === namespace && each.name === name)
  return {
    code: 'earlyFilter',
    cause: `${trafficPolicyFieldOf(frontend.kind)} of ${formatService(servicePort)} is Local and no endpoint is on this node; clients in the cluster should reach endpoints on other nodes nevertheless, but kube-proxy before ${change.version} drops the packets of this client`,
    steps:
      clusterIp === undefined
        ? []
        : [
            createClusterIpStep(clusterIp),
            createClusterPolicyStep(
              trafficPolicyFieldOf(frontend.kind),
              servicePort,
              'If clients cannot use the cluster IP',
              health?.port,
            ),
          ],
  }
}

function unspecificCause({ decision }: ExpectedHandling, { version }: VersionChange): Cause {
  const object = 'servicePort' in decision ? formatService(decision.servicePort) : ''
  return {
    code: 'changedByVersion',
    cause: `kube-proxy ${version} and newer interpret ${object} differently`,
    steps: [],
  }
}
