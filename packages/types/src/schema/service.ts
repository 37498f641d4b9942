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
  dnsLabelSchema,
  kindSchema,
  labelOrEmptySchema,
  listSchema,
  nullish,
  type ObjectShape,
  objectSchema,
  portNumberSchema,
  portOrZeroSchema,
  protocolSchema,
  text,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const portSchema = objectSchema({
  name: nullish(labelOrEmptySchema),
  protocol: nullish(protocolSchema),
  port: portNumberSchema,
  nodePort: nullish(portOrZeroSchema),
} satisfies ObjectShape<ServicePortSpec>)

const clientIPSchema = objectSchema({ timeoutSeconds: nullish(boundedIntegerSchema(1, 86400)) })

const affinitySchema = objectSchema({ clientIP: nullish(clientIPSchema) } satisfies ObjectShape<SessionAffinityConfig>)

const specSchema = objectSchema({
  type: nullish(text),
  clusterIP: nullish(text),
  clusterIPs: nullish(listSchema(text)),
  ipFamilies: nullish(listSchema(text)),
  ports: nullish(listSchema(portSchema)),
  externalIPs: nullish(listSchema(text)),
  loadBalancerSourceRanges: nullish(listSchema(text)),
  sessionAffinity: nullish(text),
  sessionAffinityConfig: nullish(affinitySchema),
  externalTrafficPolicy: nullish(text),
  internalTrafficPolicy: nullish(text),
  healthCheckNodePort: nullish(portOrZeroSchema),
  topologyKeys: nullish(listSchema(text)),
} satisfies ObjectShape<ServiceSpec>)

const ingressSchema = objectSchema({
  ip: nullish(text),
  ipMode: nullish(text),
  hostname: nullish(text),
} satisfies ObjectShape<LoadBalancerIngress>)

const loadBalancerSchema = objectSchema({ ingress: nullish(listSchema(ingressSchema)) })

const statusSchema = objectSchema({ loadBalancer: nullish(loadBalancerSchema) } satisfies ObjectShape<ServiceStatus>)

/** The structure, names and ranges of a Service. Addresses, networks and policies are free text, as for kube-proxy. */
export const serviceSchema: z.ZodMiniType<Service, Service> = objectSchema({
  apiVersion: nullish(text),
  kind: kindSchema('Service'),
  metadata: objectMetaSchema(dnsLabelSchema),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
} satisfies ObjectShape<Service>)

/** Validates a Service and returns the same object, or all problems. */
export function safeParseService(value: unknown): Result<Service> {
  return safeParseWith(serviceSchema, 'Service', value)
}
