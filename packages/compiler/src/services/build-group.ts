import type { Diagnostic } from '@kube-rules/types'
import type { EndpointsHead } from '../endpoints/legacy-endpoints.js'
import type { ModelContext } from '../endpoints/model-context.js'
import type { SliceHead } from '../endpoints/slice-head.js'
import { append } from '../internal/append.js'
import { compact } from '../internal/compact.js'
import { buildService, type ServiceModel } from './build-service.js'
import type { ServiceGroup } from './group-objects.js'

/** What the objects of one group come to. */
export interface GroupModel {
  /** Absent where there are no rules for the Service, or no Service. */
  readonly service: ServiceModel | undefined
  /** First those of the objects themselves, then those of what they come to together. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Depends on the arguments alone, so that the result may be kept for as long as the objects are the same. */
export function buildGroup(group: ServiceGroup, context: ModelContext): GroupModel {
  const { service, slices, endpoints } = group
  const built = service?.facts && buildService(service.facts, slices, endpoints, context)
  const diagnostics: Diagnostic[] = []
  if (service !== undefined) append(diagnostics, service.diagnostics)
  for (const slice of slices) append(diagnostics, slice.diagnostics)
  if (endpoints !== undefined) append(diagnostics, endpoints.diagnostics)
  if (built !== undefined) append(diagnostics, built.diagnostics)
  if (service === undefined) append(diagnostics, slices.map(orphanSlice))
  if (endpoints !== undefined) append(diagnostics, unusedEndpoints(group, endpoints))
  return { service: built, diagnostics: compact(diagnostics) }
}

function orphanSlice(slice: SliceHead): Diagnostic {
  const path = 'metadata.labels[kubernetes.io/service-name]'
  const message = 'there is no Service of this name'
  return { severity: 'warning', code: 'orphanSlice', object: slice.object, path, message }
}

function unusedEndpoints(group: ServiceGroup, { object, fields }: EndpointsHead): readonly Diagnostic[] {
  const message = fields && reasonNotToUse(group)
  return message === undefined ? [] : [{ severity: 'info', code: 'unusedEndpoints', object, message }]
}

/** Nothing is said about Services that have no rules anyway. */
function reasonNotToUse({ service, slices }: ServiceGroup): string | undefined {
  if (service === undefined) return 'there is no Service of this name'
  const replaced = service.facts !== undefined && slices.length > 0
  return replaced ? 'the Service has EndpointSlices, which are used instead' : undefined
}
