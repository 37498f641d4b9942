import type { ProxyMode } from '../model/configuration/versions.js'

/** A kind of objects that a proxy lists and watches. */
export interface WatchedKind {
  readonly kind: 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDR'
  /** The path of the list in the API. */
  readonly path: string
  /** The parameters of the list and of the watch. */
  readonly query?: Readonly<Record<string, string>>
  /** Whether the kind may be missing on the API server, which then has no such objects. */
  readonly isOptional?: boolean
  /** Whether a deleted object remains in use, because rules depend on it until it is created again. */
  readonly staysAfterDeletion?: boolean
}

/** Whether the rules of a mode depend on ServiceCIDRs. */
const USES_SERVICE_CIDRS: { readonly [M in ProxyMode]: boolean } = {
  iptables: false,
  ipvs: false,
  nftables: true,
  userspace: false,
}

/**
 * Returns the kinds of objects that the rules of a node depend on. Like kube-proxy, uses label selectors to exclude the
 * objects of other proxies.
 *
 * @example
 * ```ts
 * watchedKindsOf('node-1', 'iptables').map(({ kind }) => kind) // => ['Service', 'EndpointSlice', 'Node']
 * ```
 */
export function watchedKindsOf(nodeName: string, mode: ProxyMode): readonly WatchedKind[] {
  const kinds: readonly WatchedKind[] = [
    {
      kind: 'Service',
      path: '/api/v1/services',
      query: { labelSelector: '!service.kubernetes.io/service-proxy-name' },
    },
    {
      kind: 'EndpointSlice',
      path: '/apis/discovery.k8s.io/v1/endpointslices',
      query: { labelSelector: '!service.kubernetes.io/headless' },
    },
    {
      kind: 'Node',
      path: '/api/v1/nodes',
      query: { fieldSelector: `metadata.name=${nodeName}` },
      staysAfterDeletion: true,
    },
  ]
  if (!USES_SERVICE_CIDRS[mode]) return kinds
  return [...kinds, { kind: 'ServiceCIDR', path: '/apis/networking.k8s.io/v1/servicecidrs', isOptional: true }]
}
