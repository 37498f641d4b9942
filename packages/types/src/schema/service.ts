import type * as z from 'zod/mini'
import type {
  LoadBalancerIngress,
  Service,
  ServicePortSpec,
  ServiceSpec,
  ServiceStatus,
  SessionAffinityConfig,
} from '../kubernetes/service.js'
import type { Result } from '../result.js'
import {
  boundedIntegerSchema,
  dnsLabelOrEmptySchema,
  dnsLabelSchema,
  kindSchema,
  listSchema,
  nullish,
  objectSchema,
  portNumberOrZeroSchema,
  portNumberSchema,
  protocolSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const portSchema = objectSchema<ServicePortSpec, 'targetPort' | 'appProtocol'>({
  name: nullish(dnsLabelOrEmptySchema),
  protocol: nullish(protocolSchema),
  port: portNumberSchema,
  nodePort: nullish(portNumberOrZeroSchema),
})

const clientIPSchema = objectSchema<NonNullable<SessionAffinityConfig['clientIP']>>({
  timeoutSeconds: nullish(boundedIntegerSchema(1, 86400)),
})

const affinitySchema = objectSchema<SessionAffinityConfig>({ clientIP: nullish(clientIPSchema) })

const specSchema = objectSchema<
  ServiceSpec,
  | 'selector'
  | 'publishNotReadyAddresses'
  | 'trafficDistribution'
  | 'ipFamilyPolicy'
  | 'externalName'
  | 'loadBalancerIP'
  | 'loadBalancerClass'
  | 'allocateLoadBalancerNodePorts'
>({
  type: nullish(stringSchema),
  clusterIP: nullish(stringSchema),
  clusterIPs: nullish(listSchema(stringSchema)),
  ipFamilies: nullish(listSchema(stringSchema)),
  ports: nullish(listSchema(portSchema)),
  externalIPs: nullish(listSchema(stringSchema)),
  loadBalancerSourceRanges: nullish(listSchema(stringSchema)),
  sessionAffinity: nullish(stringSchema),
  sessionAffinityConfig: nullish(affinitySchema),
  externalTrafficPolicy: nullish(stringSchema),
  internalTrafficPolicy: nullish(stringSchema),
  healthCheckNodePort: nullish(portNumberOrZeroSchema),
  topologyKeys: nullish(listSchema(stringSchema)),
})

const ingressSchema = objectSchema<LoadBalancerIngress>({
  ip: nullish(stringSchema),
  ipMode: nullish(stringSchema),
  hostname: nullish(stringSchema),
})

const loadBalancerSchema = objectSchema<NonNullable<ServiceStatus['loadBalancer']>>({
  ingress: nullish(listSchema(ingressSchema)),
})

const statusSchema = objectSchema<ServiceStatus>({ loadBalancer: nullish(loadBalancerSchema) })

/**
 * The schema of a Service: its structure, names and ranges. The addresses, networks and policies may be any text, like
 * in kube-proxy.
 */
export const serviceSchema: z.ZodMiniType<Service, Service> = objectSchema<Service>({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('Service'),
  metadata: objectMetaSchema(dnsLabelSchema),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
})

/** Validates a Service and returns the same object, or all problems. */
export function safeParseService(value: unknown): Result<Service> {
  return safeParseWith(serviceSchema, 'Service', value)
}
