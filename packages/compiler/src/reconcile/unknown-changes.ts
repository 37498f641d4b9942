import type { BuiltInJumps } from '../dataplane/iptables/resources.js'
import { isJumpsValue } from '../dataplane/iptables/resources.js'
import { languageNames, languageOf } from '../dataplane/language-of.js'
import type { LanguageName, NodeState } from '../dataplane/languages.js'
import { orderChanges } from '../diff/order.js'
import type { Change } from '../diff/patch.js'
import { type Resource, type Resources, sameValue } from '../diff/resource.js'
import { liveModeOf } from '../targets/live-mode-of.js'
import { modeNames, modeOf } from '../targets/mode-of.js'
import type { CompiledMode } from '../targets/modes.js'

/** What is wanted of one family, and what the node may hold. */
export interface UnknownNode {
  readonly mode: CompiledMode
  readonly state: NodeState
  readonly suspected: Resources
}

/** What is known of a language: all, nothing, or that a dump has nothing of it, which others have. */
export type Knowledge = 'known' | 'unknown' | 'notDumped'

/**
 * The changes in languages of which it is not known what the node holds: all that is wanted is created, and what may be there and is not
 * wanted is deleted: what is suspected, and what modes have on every node. Where there is a dump, a language of other modes
 * that it lacks has nothing but what is suspected.
 */
export function changesFromUnknown(
  { mode, state, suspected }: UnknownNode,
  knowledgeOf: (name: LanguageName) => Knowledge,
): readonly Change[] {
  const own = new Set(modeOf(mode).languages)
  const changes = languageNames().flatMap((name): readonly Change[] => {
    const knowledge = knowledgeOf(name)
    if (knowledge === 'known') return []
    const language = languageOf(name)
    const wanted = state[name] === undefined ? new Map<string, Resource>() : language.resources(state[name])
    const isFixed = knowledge === 'unknown' || own.has(name)
    const fixed = isFixed ? modeNames().flatMap((each) => liveModeOf(each).fixed(state.family)) : []
    const maybe = [...suspected.values(), ...fixed].filter(({ id }) => language.owns(id))
    return [...wanted.values()].length + maybe.length === 0 ? [] : languageChanges(wanted, merged(maybe))
  })
  return orderChanges(changes)
}

function languageChanges(wanted: Resources, maybe: Resources): readonly Change[] {
  return [
    ...Array.from(wanted.values(), (resource): Change => {
      const before = maybe.get(resource.id)
      const isJumps = before !== undefined && isJumpsValue(before.value)
      return isJumps ? { kind: 'update', id: resource.id, before, after: resource } : { kind: 'create', resource }
    }),
    ...[...maybe.values()].flatMap((resource): readonly Change[] =>
      wanted.has(resource.id) ? [] : [{ kind: 'delete', resource }],
    ),
  ]
}

/** By id; jumps from one built-in chain are put together. */
export function merged(resources: Iterable<Resource>): Resources {
  const byId = new Map<string, Resource>()
  for (const resource of resources) {
    const known = byId.get(resource.id)
    byId.set(resource.id, known === undefined ? resource : mergeOne(known, resource))
  }
  return byId
}

function mergeOne(known: Resource, other: Resource): Resource {
  if (known === other || !isJumpsValue(known.value) || !isJumpsValue(other.value)) return known
  const { jumps } = known.value
  const more = other.value.jumps.filter((rule) => !jumps.some((each) => sameValue(each, rule)))
  if (more.length === 0) return known
  const value: BuiltInJumps = { jumps: [...jumps, ...more] }
  return { ...known, refs: [...new Set([...known.refs, ...other.refs])].sort(), value }
}
