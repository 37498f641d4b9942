import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { isVersionAtLeast, newestVersionOf } from '../../src/model/configuration/versions.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { Frontend, Plan, ServicePlan } from '../../src/plan/plan.js'
import { type Case, cases, understoodCluster } from '../support/clusters.js'

// A second implementation of kube-proxy's CategorizeEndpoints, from the fields of the Service. It follows the reference
// and is independent of the library, so that neither can repeat an error of the other.

interface Expected {
  readonly cluster: readonly string[]
  readonly local: readonly string[]
  /**
   * The destination of packets that no earlier clause of the frontend matches: for cluster IPs, and for all other
   * frontends.
   */
  readonly internal: string
  readonly external: string
}

function expectedOf(given: Case, plan: Plan, { id, endpoints, frontends }: ServicePlan): Expected {
  const service = serviceOf(given, id)
  const isInternalLocal = service.spec?.internalTrafficPolicy === 'Local'
  const isExternalLocal = isExternalUsesLocalPolicy(service)
  const isAccessible = frontends.some(({ kind }) => kind !== 'clusterIP')
  const usesCluster = !isInternalLocal || isAccessible
  const usesLocal = isInternalLocal || (isExternalLocal && isAccessible)
  const ready = endpoints.filter((endpoint) => endpoint.ready)
  const draining = endpoints.filter((endpoint) => !endpoint.ready && endpoint.serving && endpoint.terminating)
  const cluster = ready.length > 0 ? hintedFor(ready, given, plan, service) : draining
  const localReady = ready.filter((endpoint) => endpoint.local)
  const local = localReady.length > 0 ? localReady : draining.filter((endpoint) => endpoint.local)
  const end = (isLocal: boolean): string => {
    if (ready.length + draining.length === 0) return 'reject'
    if (!isLocal) return 'cluster'
    return local.length > 0 ? 'local' : 'drop'
  }
  return {
    cluster: usesCluster ? textsOf(cluster) : [],
    local: usesLocal ? textsOf(local) : [],
    internal: end(isInternalLocal),
    external: end(isExternalLocal),
  }
}

type List = readonly Endpoint[]

function textsOf(endpoints: List): readonly string[] {
  return endpoints.map(({ text }) => text)
}

function serviceOf({ cluster }: Case, { namespace, name }: ServicePlan['id']): Service {
  const service = cluster.services.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name)
  if (service === undefined) throw new Error(`no Service ${namespace}/${name}`)
  return service
}

function isExternalUsesLocalPolicy({ spec }: Service): boolean {
  if (spec?.externalTrafficPolicy !== 'Local') return false
  return spec.type === 'LoadBalancer' || spec.type === 'NodePort' || (spec.externalIPs ?? []).length > 0
}

/** Applies hints if all ready endpoints have some, and one includes this node: first nodes, then zones. */
function hintedFor(ready: List, { options }: Case, { node }: Plan, { metadata }: Service): List {
  const minor = Number((options.kubernetesVersion ?? newestVersionOf('iptables')).slice('1.'.length))
  if (minor === 30 && metadata?.annotations?.['service.kubernetes.io/topology-mode'] === undefined) return ready
  const byNode = minor >= 34 ? chosen(ready, ({ hints }) => hints.nodes, node.name) : undefined
  return byNode ?? chosen(ready, ({ hints }) => hints.zones, node.zone) ?? ready
}

function chosen(ready: List, hintsOf: (endpoint: Endpoint) => readonly string[], expected: string): List | undefined {
  if (expected === '' || ready.some((endpoint) => hintsOf(endpoint).length === 0)) return undefined
  const found = ready.filter((endpoint) => hintsOf(endpoint).includes(expected))
  return found.length > 0 ? found : undefined
}

function endOf({ clauses }: Frontend): string {
  const then = clauses.at(-1)?.action
  return then?.kind === 'pool' ? then.pool : (then?.kind ?? 'nowhere')
}

/** Excludes userspace mode, and versions before 1.30, whose categories of endpoints differ. */
const casesOfRules = cases.filter(
  ({ options: { mode, kubernetesVersion = newestVersionOf('iptables') } }) =>
    mode !== 'userspace' && isVersionAtLeast(kubernetesVersion, '1.30'),
)

it('a plan has the endpoints and last clauses that CategorizeEndpoints in kube-proxy defines', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(casesOfRules, (original) => {
      const configuration = { ...original.cluster.configuration, featureGates: undefined }
      const cluster = understoodCluster({ ...original.cluster, configuration }, original.options)
      const given = { ...original, cluster }
      for (const { plan } of compile(given.cluster, given.options).families) {
        for (const service of plan.services) {
          const { cluster, local, internal, external } = expectedOf(given, plan, service)
          const pools = { cluster: textsOf(service.pools.cluster), local: textsOf(service.pools.local) }
          expect({ id: service.id, ...pools }).toEqual({ id: service.id, cluster, local })
          const ends = service.frontends.map((frontend) => `${frontend.kind} ${endOf(frontend)}`)
          expect(ends).toEqual(
            service.frontends.map(({ kind }) => `${kind} ${kind === 'clusterIP' ? internal : external}`),
          )
          for (const end of ends)
            seen.add(end.replace(/^\w+/, (kind) => (kind === 'clusterIP' ? 'internal' : 'external')))
        }
      }
    }),
  )
  // Every destination must have occurred, both for cluster IPs and for other frontends. The kinds of the other
  // frontends are random.
  const all = ['internal', 'external'].flatMap((policy) =>
    ['cluster', 'drop', 'local', 'reject'].map((end) => `${policy} ${end}`),
  )
  expect([...seen].sort()).toEqual(all.sort())
})
