export { endpointSliceSchema, parseEndpointSlice, safeParseEndpointSlice } from './endpoint-slice.js'
export { endpointsSchema, parseEndpoints, safeParseEndpoints } from './endpoints.js'
export { hostSchema, parseHost, safeParseHost } from './host.js'
export {
  kubeProxyConfigurationSchema,
  parseKubeProxyConfiguration,
  safeParseKubeProxyConfiguration,
} from './kube-proxy-configuration.js'
export { nodeSchema, parseNode, safeParseNode } from './node.js'
export { type Manifests, type ParseManifestsOptions, parseManifests } from './parse-manifests.js'
export { parseService, safeParseService, serviceSchema } from './service.js'
export { parseServiceCIDR, safeParseServiceCIDR, serviceCIDRSchema } from './service-cidr.js'
export { findUnknownConfigurationFields } from './unknown-configuration-fields.js'
