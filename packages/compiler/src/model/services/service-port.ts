import type { Cidr, Protocol } from '@kube-rules/types'
import type { Endpoint } from '../endpoints/endpoint.js'

/** The identity of a service port. `text` is `namespace/name`, and `:port` where the port has a name. */
export interface ServicePortId {
  readonly namespace: string
  readonly name: string
  readonly portName: string
  readonly protocol: Protocol
  readonly text: string
}

/** One port of one Service as one family sees it. Mirrors `BaseServicePortInfo` of kube-proxy v1.30. */
export interface ServicePort {
  readonly id: ServicePortId
  readonly clusterIP: string
  readonly port: number
  /** 0 where there is none. */
  readonly nodePort: number
  readonly externalIPs: readonly string[]
  readonly loadBalancerIPs: readonly string[]
  /** Empty means that every source is accepted. */
  readonly sourceRanges: readonly Cidr[]
  /** Seconds of ClientIP affinity; absent without affinity. */
  readonly affinitySeconds?: number | undefined
  readonly internalPolicyLocal: boolean
  /** Already gated by the Service's type. */
  readonly externalPolicyLocal: boolean
  /** 0 where there is none; already gated by type and policy. */
  readonly healthCheckNodePort: number
  /** Whether topology hints may be used for this Service at all. */
  readonly topologyHints: boolean
  /** Every known endpoint, ready or not, in the byte order of `text`. */
  readonly endpoints: readonly Endpoint[]
}

/** The identity of a service port; `portName` is empty where the port has no name. */
export function servicePortId(namespace: string, name: string, portName: string, protocol: Protocol): ServicePortId {
  // In one piece: names are compared very often.
  const text = portName === '' ? [namespace, name].join('/') : [namespace, '/', name, ':', portName].join('')
  return { namespace, name, portName, protocol, text }
}

/** Code-unit order of `text`, then protocol: the order of service ports everywhere. */
export function byServicePortId(a: ServicePortId, b: ServicePortId): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1
  if (a.protocol === b.protocol) return 0
  return a.protocol < b.protocol ? -1 : 1
}
