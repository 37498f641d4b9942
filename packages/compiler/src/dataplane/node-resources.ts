import type { IpFamily } from '@kube-rules/types'
import { type Change, idOf } from '../diff/patch.js'
import type { Resource, Resources } from '../diff/resource.js'
import { invariant } from '../internal/invariant.js'
import { languageNames, languageOf, languagesIn } from './language-of.js'
import type { LanguageName, NodeState } from './languages.js'

/** What a state consists of, in all its languages; undefined stands for nothing. */
export function resourcesOf(state: NodeState | undefined): Resources {
  if (state === undefined) return new Map()
  return new Map(languagesIn(state).flatMap((name) => [...languageOf(name).resources(state[name])]))
}

/** The state that consists of these resources: the inverse of `resourcesOf`, but for whose things are. */
export function assembleState(resources: Resources, family: IpFamily): NodeState {
  const byLanguage = new Map<LanguageName, Map<string, Resource>>()
  for (const [id, resource] of resources) {
    const name = languageOfId(id)
    const known = byLanguage.get(name)
    if (known === undefined) byLanguage.set(name, new Map([[id, resource]]))
    else known.set(id, resource)
  }
  const states = Array.from(byLanguage, ([name, own]) => [name, languageOf(name).assemble(own, family)])
  return { family, ...Object.fromEntries(states) }
}

/** The changes by the language whose resources they are about. */
export function changesByLanguage(changes: readonly Change[]): ReadonlyMap<LanguageName, readonly Change[]> {
  const sorted = new Map<LanguageName, Change[]>()
  for (const change of changes) {
    const name = languageOfId(idOf(change))
    const known = sorted.get(name)
    if (known === undefined) sorted.set(name, [change])
    else known.push(change)
  }
  return sorted
}

function languageOfId(id: string): LanguageName {
  const name = languageNames().find((each) => languageOf(each).owns(id))
  invariant(name !== undefined, `${JSON.stringify(id)} is a resource of no language`)
  return name
}
