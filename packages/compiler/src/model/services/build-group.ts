import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { appendAll } from '../../internal/append-all.js'
import { compactList } from '../../internal/compact-list.js'
import { mapList } from '../../internal/map-list.js'
import type { Features } from '../configuration/features.js'
import { type EndpointsByPort, mergeEndpointsByPort, type PortEndpoints } from '../endpoints/endpoints-by-port.js'
import { type EndpointsHeader, readLegacyEndpoints } from '../endpoints/legacy-endpoints.js'
import type { ModelContext } from '../endpoints/model-context.js'
import { readEndpointSlice } from '../endpoints/read-endpoint-slice.js'
import { LABEL_PATH, type SliceHeader } from '../endpoints/slice-header.js'
import { referenceOf } from '../reading/metadata.js'
import type { ServiceGroup } from './group-objects.js'
import { findHealthCheckPort, type HealthCheckNodePort } from './health-checks.js'
import type { ServiceFacts } from './service-facts.js'
import type { ServicePort } from './service-port.js'
import { createServicePorts } from './service-ports.js'
import { findUnassignedEndpoints, type UnassignedEndpoints } from './unassigned-endpoints.js'

/** The model of one group: a Service with its slices or its Endpoints object. */
export interface ServiceGroupModel {
  /**
   * The Service; absent if the Service does not exist or has no rules. With the feature `newPortsKeepConnections`, it
   * exists without service ports, because endpoints without a service port matter.
   */
  readonly service: ServiceModel | undefined
  /** The diagnostics of individual objects, followed by the diagnostics of their combination. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Builds the model of a group. The result depends only on the arguments, so a cached result is valid as long as the
 * arguments are the same objects. `readPorts` reads the service ports for the mode.
 */
export function buildServiceGroupModel(
  group: ServiceGroup,
  context: ModelContext,
  readPorts: typeof createServicePorts = createServicePorts,
): ServiceGroupModel {
  const { service, slices, endpoints } = group
  const isRead = service?.facts !== undefined || context.features.newPortsKeepConnections
  const built = isRead ? buildServiceModel(group, context, readPorts) : undefined
  const diagnostics: Diagnostic[] = []
  if (service !== undefined) appendAll(diagnostics, service.diagnostics)
  for (const slice of slices) appendAll(diagnostics, slice.diagnostics)
  if (endpoints !== undefined) appendAll(diagnostics, endpoints.diagnostics)
  if (built !== undefined && service?.facts !== undefined) appendAll(diagnostics, built.diagnostics)
  if (service === undefined) appendAll(diagnostics, slices.map(orphanSlice))
  if (endpoints !== undefined) appendAll(diagnostics, unusedEndpoints(group, endpoints, context))
  return { service: built, diagnostics: compactList(diagnostics) }
}

function orphanSlice(slice: SliceHeader): Diagnostic {
  const message = 'there is no Service of this name'
  return {
    severity: 'warning',
    code: 'orphanSlice',
    object: referenceOf('EndpointSlice', slice.original),
    path: LABEL_PATH,
    message,
  }
}

/** Returns diagnostics about the Endpoints object or the slices of a group that kube-proxy does not use. */
function unusedEndpoints(
  group: ServiceGroup,
  { original, fields }: EndpointsHeader,
  { features }: ModelContext,
): readonly Diagnostic[] {
  const { service, slices } = group
  if (service === undefined) return fields ? [unused('Endpoints', original, 'there is no Service of this name')] : []
  if (service.facts === undefined || slices.length === 0) return []
  if (features.endpointSlices) {
    return fields ? [unused('Endpoints', original, 'the Service has EndpointSlices, which are used instead')] : []
  }
  const message = 'the Service has an Endpoints object, which is used instead'
  return slices.map((slice) => unused('EndpointSlice', slice.original, message))
}

function unused(kind: string, given: unknown, message: string): Diagnostic {
  return { severity: 'info', code: 'unusedEndpoints', object: referenceOf(kind, given), message }
}

/** The model of one Service. */
export interface ServiceModel {
  /** The model of each family; absent for a family without a cluster IP, and for a family that is not compiled. */
  readonly families: { readonly [family in IpFamily]: FamilyServiceModel | undefined }
  readonly diagnostics: readonly Diagnostic[]
}

/** One Service in one family. */
export interface FamilyServiceModel {
  readonly servicePorts: readonly ServicePort[]
  /** The endpoints of UDP ports without a service port; empty without the feature `newPortsKeepConnections`. */
  readonly unassignedEndpoints: readonly UnassignedEndpoints[]
  readonly healthCheck: HealthCheckNodePort | undefined
}

/**
 * Builds one Service from its slices, in order of precedence. If the Service has no slices, its Endpoints object is
 * used. Up to 1.18, the Endpoints object has precedence over slices. The result depends only on the arguments, so a
 * cached result is valid as long as the arguments are the same objects.
 */
function buildServiceModel(
  { key, service, slices, endpoints }: ServiceGroup,
  context: ModelContext,
  readPorts: typeof createServicePorts,
): ServiceModel {
  const isOfEndpoints = endpoints !== undefined && (slices.length === 0 || !context.features.endpointSlices)
  const contributions = isOfEndpoints
    ? [readLegacyEndpoints(endpoints, context)]
    : mapList(slices, (slice) => readEndpointSlice(slice, context))
  const mergesDuplicates = !isOfEndpoints || context.features.endpointSlices || context.features.realServersOnce
  const portEndpoints: PortEndpoints[] = []
  const diagnostics: Diagnostic[] = []
  for (const contribution of contributions) {
    appendAll(portEndpoints, contribution.portEndpoints)
    appendAll(diagnostics, contribution.diagnostics)
  }
  const endpointsOf = (family: IpFamily) =>
    mergeEndpointsByPort(portEndpoints, family, context.features, mergesDuplicates)
  const familyOf = (family: IpFamily) => {
    if (!context.families.includes(family)) return undefined
    const model = buildFamily(service?.facts, family, endpointsOf, context, readPorts)
    return context.features.newPortsKeepConnections
      ? addUnassignedEndpoints(key, model, endpointsOf(family), context.features)
      : model
  }
  return { families: { IPv4: familyOf('IPv4'), IPv6: familyOf('IPv6') }, diagnostics }
}

function buildFamily(
  facts: ServiceFacts | undefined,
  family: IpFamily,
  endpointsOf: (family: IpFamily) => EndpointsByPort,
  context: ModelContext,
  readPorts: typeof createServicePorts,
): FamilyServiceModel | undefined {
  const clusterIP = facts?.clusterIPs[family]
  if (facts === undefined || clusterIP === undefined) return undefined
  const endpoints = endpointsOf(family)
  return {
    servicePorts: readPorts(facts, family, clusterIP, endpoints, context.features),
    unassignedEndpoints: NO_UNASSIGNED_ENDPOINTS,
    healthCheck: findHealthCheckPort(facts, endpoints),
  }
}

const NO_UNASSIGNED_ENDPOINTS: readonly UnassignedEndpoints[] = []

/** Adds the endpoints without a service port. Returns undefined if the family has neither these nor a cluster IP. */
function addUnassignedEndpoints(
  key: string,
  model: FamilyServiceModel | undefined,
  endpoints: EndpointsByPort,
  features: Features,
): FamilyServiceModel | undefined {
  const servicePorts = model?.servicePorts ?? []
  const unassignedEndpoints = findUnassignedEndpoints(key, endpoints, servicePorts, features)
  if (unassignedEndpoints.length === 0) return model
  return { servicePorts, unassignedEndpoints, healthCheck: model?.healthCheck }
}
