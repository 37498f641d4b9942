import type { Diagnostic, IpFamily } from '@kube-rules/types'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { readObjectLists } from '../../src/compilation/snapshot.js'
import type { ModelContext } from '../../src/model/endpoints/model-context.js'
import { diffObjectLists, NO_OBJECTS } from '../../src/model/reading/object-changes.js'
import { buildServiceGroupModel, type ServiceGroupModel } from '../../src/model/services/build-group.js'
import { EMPTY_CLUSTER, regroupObjects, reportUngroupedObjects } from '../../src/model/services/group-objects.js'
import type { HealthCheckNodePort } from '../../src/model/services/health-checks.js'
import { compareServicePortIds, type ServicePort } from '../../src/model/services/service-port.js'

/** The model of a cluster's objects for one family. */
export interface ObjectModel {
  readonly family: IpFamily
  /** The service ports, in code-unit order of `id.text`, then protocol. */
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
 * Builds the service ports of every family. The order of the input does not matter, except that the last of several
 * duplicate objects counts. Omits and reports invalid objects, and never throws.
 */
export function buildModels(input: CompileInput, context: ModelContext): ObjectModels {
  const { groups, objects } = regroupObjects(
    EMPTY_CLUSTER,
    diffObjectLists(NO_OBJECTS, readObjectLists(input, NO_OBJECTS)),
    () => undefined,
    context.features,
  )
  const built = groups.map((group) => buildServiceGroupModel(group, context))
  return {
    models: context.families.map((family) => objectModel(family, built)),
    diagnostics: [...reportUngroupedObjects(objects), ...built.flatMap((group) => group.diagnostics)],
  }
}

function objectModel(family: IpFamily, groups: readonly ServiceGroupModel[]): ObjectModel {
  const parts = groups.flatMap(({ service }) => service?.families[family] ?? [])
  return {
    family,
    servicePorts: parts.flatMap((part) => part.servicePorts).sort((a, b) => compareServicePortIds(a.id, b.id)),
    healthCheckNodePorts: parts.flatMap((part) => part.healthCheck ?? []),
  }
}
