import type { z } from 'zod'
import type {
  LoadBalancerIngress,
  Service,
  ServicePortSpec,
  ServiceSpec,
  ServiceStatus,
  SessionAffinityConfig,
} from '../kubernetes/service.js'
import {
  dnsLabel,
  dnsLabelOrEmpty,
  kindOf,
  listOf,
  objectOf,
  port,
  portOrZero,
  protocol,
  type Shape,
  text,
  wholeNumber,
} from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const portSchema = objectOf({
  name: dnsLabelOrEmpty.nullish(),
  protocol: protocol.nullish(),
  port,
  nodePort: portOrZero.nullish(),
} satisfies Shape<ServicePortSpec>)

const clientIPSchema = objectOf({ timeoutSeconds: wholeNumber(1, 86400).nullish() })

const affinitySchema = objectOf({ clientIP: clientIPSchema.nullish() } satisfies Shape<SessionAffinityConfig>)

const specSchema = objectOf({
  type: text.nullish(),
  clusterIP: text.nullish(),
  clusterIPs: listOf(text).nullish(),
  ipFamilies: listOf(text).nullish(),
  ports: listOf(portSchema).nullish(),
  externalIPs: listOf(text).nullish(),
  loadBalancerSourceRanges: listOf(text).nullish(),
  sessionAffinity: text.nullish(),
  sessionAffinityConfig: affinitySchema.nullish(),
  externalTrafficPolicy: text.nullish(),
  internalTrafficPolicy: text.nullish(),
  healthCheckNodePort: portOrZero.nullish(),
} satisfies Shape<ServiceSpec>)

const ingressSchema = objectOf({
  ip: text.nullish(),
  ipMode: text.nullish(),
  hostname: text.nullish(),
} satisfies Shape<LoadBalancerIngress>)

const loadBalancerSchema = objectOf({ ingress: listOf(ingressSchema).nullish() })

const statusSchema = objectOf({ loadBalancer: loadBalancerSchema.nullish() } satisfies Shape<ServiceStatus>)

/** The shape, names and ranges of a Service; addresses, networks and policies stay free text, as for kube-proxy. */
export const serviceSchema: z.ZodType<Service, Service> = objectOf({
  apiVersion: text.nullish(),
  kind: kindOf('Service'),
  metadata: objectMetaOf(dnsLabel),
  spec: specSchema.nullish(),
  status: statusSchema.nullish(),
} satisfies Shape<Service>)

/** The same object typed as a Service, or every problem it has. */
export function safeParseService(value: unknown): ParseResult<Service> {
  return safeParseWith(serviceSchema, 'Service', value)
}

/** The same object typed as a Service; throws a {@link DiagnosticsError} with every problem it has. */
export function parseService(value: unknown): Service {
  return parseWith(serviceSchema, 'Service', value)
}
