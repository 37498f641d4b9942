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
  type AddressTemplate,
  boundedInteger,
  dnsLabel,
  dnsLabelOrEmpty,
  kindOf,
  listOf,
  nullish,
  objectOf,
  port,
  portOrZero,
  protocol,
  text,
} from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { parseWith, safeParseWith } from './parse-with.js'

const portSchema = objectOf({
  name: nullish(dnsLabelOrEmpty),
  protocol: nullish(protocol),
  port,
  nodePort: nullish(portOrZero),
} satisfies AddressTemplate<ServicePortSpec>)

const clientIPSchema = objectOf({ timeoutSeconds: nullish(boundedInteger(1, 86400)) })

const affinitySchema = objectOf({ clientIP: nullish(clientIPSchema) } satisfies AddressTemplate<SessionAffinityConfig>)

const specSchema = objectOf({
  type: nullish(text),
  clusterIP: nullish(text),
  clusterIPs: nullish(listOf(text)),
  ipFamilies: nullish(listOf(text)),
  ports: nullish(listOf(portSchema)),
  externalIPs: nullish(listOf(text)),
  loadBalancerSourceRanges: nullish(listOf(text)),
  sessionAffinity: nullish(text),
  sessionAffinityConfig: nullish(affinitySchema),
  externalTrafficPolicy: nullish(text),
  internalTrafficPolicy: nullish(text),
  healthCheckNodePort: nullish(portOrZero),
  topologyKeys: nullish(listOf(text)),
} satisfies AddressTemplate<ServiceSpec>)

const ingressSchema = objectOf({
  ip: nullish(text),
  ipMode: nullish(text),
  hostname: nullish(text),
} satisfies AddressTemplate<LoadBalancerIngress>)

const loadBalancerSchema = objectOf({ ingress: nullish(listOf(ingressSchema)) })

const statusSchema = objectOf({ loadBalancer: nullish(loadBalancerSchema) } satisfies AddressTemplate<ServiceStatus>)

/** The structure, names and ranges of a Service. Addresses, networks and policies are free text, as for kube-proxy. */
export const serviceSchema: z.ZodMiniType<Service, Service> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('Service'),
  metadata: objectMetaOf(dnsLabel),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
} satisfies AddressTemplate<Service>)

/** Validates a Service and returns the same object, or all problems. */
export function safeParseService(value: unknown): Result<Service> {
  return safeParseWith(serviceSchema, 'Service', value)
}

/**
 * Validates a Service and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseService(value: unknown): Service {
  return parseWith(serviceSchema, 'Service', value)
}
