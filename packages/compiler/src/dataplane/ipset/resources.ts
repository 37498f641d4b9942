import { addToGroup } from '../../internal/group-items.js'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import { formatIpsetId } from '../netfilter/format-ipset-id.js'
import type { Entry, EntryWithSet, IpSet, IpsetState, SetDefinition } from './ast.js'
import { formatEntry } from './entries.js'

/**
 * Lists the resources of a state, for `diff`. A set has the resource `ipset NAME`, which contains the definition of the
 * set. An entry has the resource `ipset NAME ENTRY`, which refers to the set. The value of an entry includes the
 * definition of the set; therefore, if a set is recreated, all its entries are added again. A duplicate entry counts
 * once, and the order of entries is ignored.
 */
export function resourcesOf({ sets }: IpsetState): Resources {
  return indexResourcesById(sets.flatMap(resourcesOfSet))
}

function resourcesOfSet(set: IpSet): readonly Resource[] {
  const { entries, ...definition } = set
  return [createSetResource(definition), ...entries.map((entry) => createEntryResource(definition, entry))]
}

/** Returns the set definition in a set resource. */
export function ipsetDefinitionOfResource({ value }: Resource): SetDefinition {
  return value as SetDefinition
}

/** Builds the state from these resources. The sets keep the order of the resources. */
export function assembleIpset(resources: Resources): IpsetState {
  const entries = new Map<string, Entry[]>()
  for (const resource of resources.values()) {
    if (!isEntryResource(resource)) continue
    const { set, entry } = resource.value
    addToGroup(entries, set.name, entry)
  }
  const definitions = Array.from(resources.values()).filter((resource) => !isEntryResource(resource))
  return {
    sets: definitions.map((resource) => {
      const definition = ipsetDefinitionOfResource(resource)
      return { ...definition, entries: entries.get(definition.name) ?? [] } as IpSet
    }),
  }
}

export function createSetResource(set: SetDefinition): Resource {
  return { id: formatIpsetId(set.name), refs: [], value: set }
}

export function createEntryResource(set: SetDefinition, entry: Entry): Resource {
  const value: EntryWithSet = { set, entry }
  return { id: formatEntryId(value), refs: [formatIpsetId(set.name)], value }
}

/** Formats the id of an entry: `ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80`. */
export function formatEntryId({ set, entry }: EntryWithSet): string {
  return `${formatIpsetId(set.name)} ${formatEntry(entry)}`
}

/** Reports whether a resource of this subsystem is an entry rather than a set. */
export function isEntryResource(resource: Resource): resource is Resource & { readonly value: EntryWithSet } {
  return resource.refs.length > 0
}

/** Reports whether an id belongs to this subsystem. */
export function isIpsetId(id: string): boolean {
  return id.startsWith('ipset ')
}
