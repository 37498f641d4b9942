import { type Diagnostic, formatDiagnostic, IP_FAMILIES, type Service } from '@kube-rules/types'
import fc from 'fast-check'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { type NodeState, presentSubsystemsOf } from '../../src/dataplane/node-state.js'
import { type Case, cases } from './clusters.js'
import { spoiled } from './hostile.js'
import { foreignLines } from './line-grammar.js'
import { printFamily } from './print-family.js'
import { refusalsIn } from './subsystems.js'

/** A Service with all fields that the library reads. */
export const VALID_SERVICE: Service = {
  metadata: { namespace: 'a', name: 'web', labels: { app: 'x' }, annotations: { note: 'x' } },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ipFamilies: ['IPv4'],
    externalIPs: ['192.0.2.1'],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 300 } },
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    healthCheckNodePort: 32000,
    ports: [{ name: 'http', protocol: 'TCP', port: 80, nodePort: 30080 }],
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.1', ipMode: 'VIP', hostname: 'lb.test' }] } },
}

/** Generates cases with any hostile part of the objects: names, addresses, lists, numbers. */
export const spoiledObjects: fc.Arbitrary<Case> = cases.chain(({ cluster, options }) => {
  const { configuration, host, ...objects } = cluster
  return spoiled(fc.constant(objects), 6).map((hostile) => ({
    // The lists themselves are not data, because the type checker rejects anything else.
    cluster: { ...asLists(hostile), configuration, host },
    options,
  }))
})

/** Generates cases with a hostile configuration, host or Nodes. */
export const spoiledMachines: fc.Arbitrary<Case> = cases.chain(({ cluster, options }) => {
  const { configuration, host, nodes } = cluster
  return spoiled(fc.constant({ configuration, host, nodes }), 2).map((hostile) => ({
    cluster: {
      ...cluster,
      configuration: hostile?.configuration ?? {},
      host: hostile?.host,
      nodes: Array.isArray(hostile?.nodes) ? hostile.nodes : [],
    },
    options,
  }))
})

function asLists(
  objects: unknown,
): Pick<Cluster, 'services' | 'endpointSlices' | 'endpoints' | 'nodes' | 'serviceCIDRs'> {
  const lists = new Map(Object.entries(Object(objects)))
  const list = <T>(name: string): readonly T[] => {
    const value = lists.get(name)
    return Array.isArray(value) ? value : []
  }
  return {
    services: list('services'),
    endpointSlices: list('endpointSlices'),
    endpoints: list('endpoints'),
    nodes: list('nodes'),
    serviceCIDRs: list('serviceCIDRs'),
  }
}

/**
 * Returns the lines of all texts of a result that kube-proxy would not write, and the reasons for a kernel rejection.
 */
export function foreignLinesOf(result: CompileResult): readonly string[] {
  const { mode, kubernetesVersion } = result
  return [
    ...IP_FAMILIES.flatMap((family) => [
      ...foreignLines(printFamily(result, { family }), mode, 'restore', kubernetesVersion),
      ...foreignLines(printFamily(result, { family, format: 'save' }), mode, 'save', kubernetesVersion),
    ]),
    ...result.families.flatMap(({ state }) => refusalsOf(state)).filter((rejection) => !isKnownRefusal(rejection)),
  ]
}

/** Reports whether nft rejects a line that kube-proxy writes: before 1.35 it looks up an interface by its prefix. */
export function isKnownRefusal(rejection: string): boolean {
  return /iif takes no prefix/.test(rejection)
}

/** Returns the reasons why the tools or the kernel would reject a state, for each subsystem separately. */
export function refusalsOf(state: NodeState): readonly string[] {
  return presentSubsystemsOf(state).flatMap((name) =>
    refusalsIn(name, state).map((problem) => formatDiagnostic(problem)),
  )
}

export function errorsOf(diagnostics: readonly Diagnostic[], kind: string): readonly Diagnostic[] {
  return diagnostics.filter(({ severity, object }) => severity === 'error' && object.kind === kind)
}
