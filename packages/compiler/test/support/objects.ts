import type {
  DiagnosticCode,
  EndpointSlice,
  IpFamily,
  Service,
  ServicePortSpec,
  ServiceSpec,
  SliceEndpoint,
} from '@kube-rules/types'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { type Features, featuresOf } from '../../src/model/configuration/features.js'
import { newestVersionOf } from '../../src/model/configuration/versions.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { ModelContext } from '../../src/model/endpoints/model-context.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { buildModels, type ObjectModel } from './build-models.js'

export const V1_30: Features = featuresOf('iptables', '1.30', new Map())
export const NEWEST: Features = featuresOf('iptables', newestVersionOf('iptables'), new Map())

/** Builds a context for both families on `node-1` as v1.30, with overrides. */
export function context(fields: Partial<ModelContext> = {}): ModelContext {
  return { families: ['IPv4', 'IPv6'], features: V1_30, nodeName: 'node-1', ...fields }
}

/** Builds the ClusterIP Service `ns1/web` at 10.96.0.1 with the port `http` 80, with overrides. */
export function service(spec: ServiceSpec = {}, rest: Omit<Service, 'spec'> = {}): Service {
  return {
    metadata: { namespace: 'ns1', name: 'web' },
    ...rest,
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.1', ports: [{ name: 'http', port: 80 }], ...spec },
  }
}

export const DUAL_STACK: ServiceSpec = {
  clusterIP: '10.96.0.1',
  clusterIPs: ['10.96.0.1', 'fd00:96::1'],
  ipFamilies: ['IPv4', 'IPv6'],
}

/** Builds a LoadBalancer Service with one load-balancer IP. */
export function loadBalancer(spec: ServiceSpec = {}): Service {
  return service(
    { type: 'LoadBalancer', ...spec },
    { status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } }, metadata: { namespace: 'ns1', name: 'web' } },
  )
}

/** Builds an IPv4 slice `web-1` of `ns1/web` with the port `http` 8080, with overrides. */
export function slice(
  endpoints: readonly SliceEndpoint[],
  fields: Partial<EndpointSlice> & { readonly name?: string; readonly service?: string } = {},
): EndpointSlice {
  const { name = 'web-1', service: serviceName = 'web', ...rest } = fields
  return {
    metadata: { namespace: 'ns1', name, labels: { 'kubernetes.io/service-name': serviceName } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints,
    ...rest,
  }
}

/** Builds endpoints of a slice that only have an address. */
export function at(...addresses: readonly string[]): readonly SliceEndpoint[] {
  return addresses.map((address) => ({ addresses: [address] }))
}

export function build(
  input: Partial<CompileInput>,
  fields: Partial<ModelContext> = {},
): ReturnType<typeof buildModels> {
  return buildModels({ services: [], endpointSlices: [], endpoints: [], ...input }, context(fields))
}

/** Returns the model of one family. */
export function modelOf(
  input: Partial<CompileInput>,
  family: IpFamily,
  fields: Partial<ModelContext> = {},
): ObjectModel {
  const model = build(input, { ...fields, families: [family] }).models[0]
  if (model === undefined) throw new Error('no model')
  return model
}

export function portsOf(
  input: Service | Partial<CompileInput>,
  fields: Partial<ModelContext> = {},
  family: IpFamily = 'IPv4',
): readonly ServicePort[] {
  const objects = 'services' in input || 'endpointSlices' in input ? input : { services: [input as Service] }
  return modelOf(objects, family, fields).servicePorts
}

/** Returns the endpoints of the only service port of `ns1/web`. */
export function endpointsOf(
  endpointSlices: readonly EndpointSlice[],
  fields: Partial<ModelContext> = {},
  ports?: readonly ServicePortSpec[],
): readonly Endpoint[] {
  const services = [service(ports === undefined ? {} : { ports })]
  return portsOf({ services, endpointSlices }, fields)[0]?.endpoints ?? []
}

/** Formats every diagnostic as `severity code path`. */
export function codes(input: Partial<CompileInput>, fields: Partial<ModelContext> = {}): readonly string[] {
  return build(input, fields).diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`.trim())
}

/** Returns the messages of the diagnostics with a code. */
export function messagesOf(
  code: DiagnosticCode,
  input: Partial<CompileInput>,
  fields: Partial<ModelContext> = {},
): readonly string[] {
  return build(input, fields).diagnostics.flatMap((each) => (each.code === code ? [each.message] : []))
}
