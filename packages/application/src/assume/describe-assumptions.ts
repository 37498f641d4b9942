import type { AssumedKind, AssumedValue } from '@kube-rules/types/manifests'
import { formatCount } from '../messages/lines.js'

const NOUNS: readonly (readonly [AssumedKind, string])[] = [
  ['clusterIP', 'cluster IP'],
  ['nodePort', 'node port'],
  ['healthCheckNodePort', 'health-check node port'],
  ['loadBalancerIP', 'load-balancer IP'],
  ['endpoint', 'endpoint'],
]

/** Describes assumed values in a phrase such as `1 cluster IP, 2 endpoints`; empty if nothing was assumed. */
export function describeAssumptions(assumed: readonly AssumedValue[]): string {
  const counts = NOUNS.flatMap(([kind, noun]) => {
    const number = assumed.filter((each) => each.kind === kind).length
    return number === 0 ? [] : [formatCount(number, noun)]
  })
  const namespaces = new Set(assumed.filter(({ kind }) => kind === 'namespace').map(({ value }) => value))
  const node = assumed.find(({ kind }) => kind === 'node')
  return [
    ...[...namespaces].map((name) => `namespace ${name}`),
    ...(node === undefined ? [] : [`node ${node.object.name}`]),
    ...counts,
  ].join(', ')
}

/** Maximum number of listed Services without pods. */
const MAX_NAMED = 5

/**
 * Returns complete lines for assumed values, and for Services with a selector that selects nothing.
 * `canSetNamespace`: the option `--namespace` sets the namespace of objects.
 */
export function formatAssumptionNotes(assumed: readonly AssumedValue[], canSetNamespace: boolean): readonly string[] {
  const phrase = describeAssumptions(assumed)
  const isHomeless = canSetNamespace && assumed.some(({ kind }) => kind === 'namespace')
  const options = `--no-assume disables this${isHomeless ? ', and --namespace NAME sets another namespace' : ''}`
  const unselected = assumed.filter(({ kind }) => kind === 'noEndpoints')
  const more = unselected.length - MAX_NAMED
  return [
    ...(phrase === '' ? [] : [`note: assumed, because they are not in the input: ${phrase}; ${options}`]),
    ...unselected
      .slice(0, MAX_NAMED)
      .map(({ object, value }) => `warning: Service ${object.namespace}/${object.name}: no endpoints: ${value}`),
    ...(more > 0 ? [`warning: … and ${formatCount(more, 'more Service')} without endpoints`] : []),
  ]
}
