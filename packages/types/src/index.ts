// The exports of this file are the public API. Names that are not exported here can change at any time.
export type { Cidr } from './cidr.js'
export {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  formatDiagnostic,
  formatReference,
  type ObjectReference,
  type Severity,
} from './diagnostic.js'
export type { HostFacts, NetworkInterface } from './host.js'
export {
  IP_FAMILIES,
  type IpFamily,
} from './ip.js'
export type { KubeProxyConfiguration } from './kube-proxy-configuration.js'
export type {
  EndpointSlice,
  SliceEndpoint,
  SlicePort,
} from './kubernetes/endpoint-slice.js'
export type { EndpointPort, EndpointSubset, Endpoints } from './kubernetes/endpoints.js'
export type { Node } from './kubernetes/node.js'
export type {
  LoadBalancerIngress,
  Service,
  ServicePortSpec,
  ServiceSpec,
} from './kubernetes/service.js'
export type { ServiceCIDR } from './kubernetes/service-cidr.js'
export type { Outcome } from './outcome.js'
export type { Origin, Packet } from './packet.js'
export type { Protocol } from './protocol.js'
export type { Result } from './result.js'
