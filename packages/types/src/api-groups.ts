/** The API group of each kind of object that rules depend on; empty for the core group. */
const GROUPS: Readonly<Record<string, string>> = {
  Service: '',
  EndpointSlice: 'discovery.k8s.io',
  Endpoints: '',
  Node: '',
  ServiceCIDR: 'networking.k8s.io',
  KubeProxyConfiguration: 'kubeproxy.config.k8s.io',
}

/**
 * Reports whether the `apiVersion` of an object is not the one of its kind, such as that of a Knative Service
 * (`serving.knative.dev/v1`). kube-proxy never receives such an object. An absent `apiVersion` is accepted, because the
 * items of typed lists have none.
 */
export function isOfOtherGroup(kind: string, object: unknown): boolean {
  const apiVersion = readApiVersion(object)
  const group = GROUPS[kind]
  if (apiVersion === undefined || apiVersion === null || apiVersion === '' || group === undefined) return false
  if (typeof apiVersion !== 'string') return true
  return group === '' ? apiVersion !== 'v1' : !apiVersion.startsWith(`${group}/`)
}

/** Returns the `apiVersion` of an object; undefined if the object has none or cannot be read. */
export function readApiVersion(object: unknown): unknown {
  try {
    return typeof object === 'object' && object !== null && 'apiVersion' in object ? object.apiVersion : undefined
  } catch {
    // The object has a getter that throws, or is a proxy that throws. The reader of the object reports it.
    return undefined
  }
}

/** Returns the usual `apiVersion` of a kind. */
export function expectedApiVersion(kind: string): string {
  return GROUPS[kind] ? `${GROUPS[kind]}/v1` : 'v1'
}
