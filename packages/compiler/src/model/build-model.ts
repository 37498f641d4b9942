import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { buildService, type ServiceModel } from './build-service.js'
import type { HealthCheckNodePort } from './health-checks.js'
import { type ObjectSet, objectKey } from './last-of-each.js'
import type { ServicePort } from './model.js'
import type { ModelContext } from './model-context.js'
import { type ModelInput, type ModelObjects, readObjects } from './read-objects.js'
import { unusedObjects } from './unused-objects.js'

/** What the objects of a cluster say, for one family. */
export interface ObjectModel {
  readonly family: IpFamily
  /** In code-unit order of `id.text`, then protocol. */
  readonly servicePorts: readonly ServicePort[]
  /** In code-unit order of `namespace/name`. */
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
}

export interface ObjectModels {
  /** In the order of `families` of the context. */
  readonly models: readonly ObjectModel[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The service ports of every family. The order of the input does not matter, but for objects given twice, of which the
 * last counts. Invalid objects are left out and reported; nothing throws, whatever the objects hold.
 */
export function buildModels(input: ModelInput, context: ModelContext): ObjectModels {
  const objects = readObjects(input, context.features)
  const services = buildServices(objects, context)
  return {
    models: context.families.map((family) => objectModel(family, services)),
    diagnostics: [
      ...[objects.services, objects.slices, objects.endpoints].flatMap(objectDiagnostics),
      ...services.flatMap((service) => service.diagnostics),
      ...unusedObjects(objects),
    ],
  }
}

function buildServices(objects: ModelObjects, context: ModelContext): readonly ServiceModel[] {
  const built: ServiceModel[] = []
  for (const { object, facts } of objects.services.sorted) {
    if (facts === undefined) continue
    const key = objectKey(object)
    const endpoints = objects.endpoints.byKey.get(key)
    built.push(buildService(facts, objects.slicesByService.get(key) ?? [], endpoints, context))
  }
  return built
}

function objectDiagnostics(objects: ObjectSet<{ readonly diagnostics: readonly Diagnostic[] }>): readonly Diagnostic[] {
  return [...objects.diagnostics, ...objects.sorted.flatMap((object) => object.diagnostics)]
}

function objectModel(family: IpFamily, services: readonly ServiceModel[]): ObjectModel {
  const parts = services.flatMap((service) => service.families[family] ?? [])
  return {
    family,
    servicePorts: parts.flatMap((part) => part.servicePorts).sort(byId),
    healthCheckNodePorts: parts.flatMap((part) => part.healthCheck ?? []),
  }
}

function byId({ id: a }: ServicePort, { id: b }: ServicePort): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1
  return a.protocol < b.protocol ? -1 : 1
}
