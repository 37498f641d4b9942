import type { Resource } from '../../diff/resource.js'
import { setId } from '../netfilter/set-id.js'
import type { Entry, IpSet, IpsetState, SetDefinition } from './ast.js'
import { entryText } from './entries.js'

/** The value of an entry's resource. With the definition of its set, so that a set made anew has all entries anew. */
export interface EntryValue {
  readonly set: SetDefinition
  readonly entry: Entry
}

/**
 * What a state consists of, for `diff`: `ipset NAME` for each set, with its definition, and `ipset NAME ENTRY` for each
 * entry, which refers to its set. An entry that is there twice counts once, and the order of entries not at all.
 */
export function resourcesOf({ sets }: IpsetState): ReadonlyMap<string, Resource> {
  return new Map(sets.flatMap(resourcesOfSet).map((resource) => [resource.id, resource]))
}

function resourcesOfSet(set: IpSet): readonly Resource[] {
  const { entries, ...definition } = set
  return [setResource(definition), ...entries.map((entry) => entryResource(definition, entry))]
}

export function setResource(set: SetDefinition): Resource {
  return { id: setId(set.name), refs: [], value: set }
}

export function entryResource(set: SetDefinition, entry: Entry): Resource {
  const id = setId(set.name)
  const value: EntryValue = { set, entry }
  return { id: `${id} ${entryText(entry)}`, refs: [id], value }
}

/** Whether a resource of this language is an entry; otherwise it is a set. */
export function isEntry(resource: Resource): resource is Resource & { readonly value: EntryValue } {
  return resource.refs.length > 0
}

/** Whether an id is one of this language. */
export function isIpsetId(id: string): boolean {
  return id.startsWith('ipset ')
}
