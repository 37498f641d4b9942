import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Element, Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { createFraction, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { type ChainResult, endPathAsUnknown, TOO_MANY_PATHS } from '../../netfilter/chain-result.js'
import { partitionBySource } from '../../netfilter/partition-by-source.js'
import { type PathState, scaleWeight, spendChoices } from '../../netfilter/path-state.js'
import { findElement } from './match.js'
import { evaluateSelectors, passageAt, type RuleAt } from './rule-at.js'
import type { SetIndex } from './set-index.js'

/** A lookup of selector values in a map. */
export interface Lookup {
  readonly key: readonly Selector[]
  readonly elements: SetIndex | undefined
  /** What the lookup finds: `matching element` or `destination`. */
  readonly result: string
}

/** Follows a path with the element that a lookup has found. */
type Take = (path: PathState, element: Element) => readonly ChainResult[]

/**
 * Follows the path of each map element that matches, with `take`. A path without a matching element continues at the
 * next rule.
 */
export function runLookup(at: RuleAt, lookup: Lookup, branch: PathState, take: Take): readonly ChainResult[] {
  const choices = partitionBySource(branch, (path) => choose(lookup, passageAt(at, path)), formatChoice)
  const [only] = choices
  if (only !== undefined && choices.length === 1) return takeChosen(at, lookup, only.path, only.matches, take)
  return choices.flatMap(({ path, matches }) => takeChosen(at, lookup, path, matches, take))
}

type Choice = readonly { readonly element: Element; readonly share: Fraction | undefined }[] | 'unknown'

/**
 * Returns the map elements that match a packet. For `numgen`, each element has its probability (`share`). Returns
 * `unknown` if the elements cannot be determined.
 */
function choose({ key, elements }: Lookup, passage: HookPacket): Choice {
  if (elements === undefined) return 'unknown'
  const [only] = key
  if (key.length === 1 && only?.kind === 'numgen') return chooseByChance(only, elements)
  const element = evaluateSelectors(key, passage, (each) => findElement(elements, key, each))
  if (element === 'unknown') return 'unknown'
  return element === 'none' ? [] : [{ element, share: undefined }]
}

function chooseByChance(
  { mod, offset }: Selector & { readonly kind: 'numgen' },
  { exact, intervals }: SetIndex,
): Choice {
  if (intervals.length > 0) return 'unknown'
  const share = createFraction(1, mod)
  const known = Array.from(exact.values()).filter(({ key }) => Number(key) >= offset && Number(key) < offset + mod)
  return known.map((element) => ({ element, share }))
}

/**
 * Returns a text that identifies a lookup result. Undefined for an unknown result, because each source is evaluated
 * separately in that case.
 */
function formatChoice(chosen: Choice): string | undefined {
  return chosen === 'unknown' ? undefined : chosen.map(({ element }) => element.key).join(' ')
}

function takeChosen(
  at: RuleAt,
  { key, result }: Lookup,
  path: PathState,
  chosen: Choice,
  take: Take,
): readonly ChainResult[] {
  if (chosen === 'unknown')
    return [endPathAsUnknown(path, `the ${result} of ${at.table.textOf(at.rule)} cannot be determined`)]
  const isByChance = chosen.some(({ share }) => share !== undefined)
  if (isByChance && !spendChoices(path, chosen.length)) return [endPathAsUnknown(path, TOO_MANY_PATHS)]
  const taken: ChainResult[] = []
  for (const { element, share } of chosen) {
    for (const ran of take(share === undefined ? path : scaleWeight(path, share), element)) taken.push(ran)
  }
  const passed = pathWithoutElement(path, key, chosen.length)
  if (passed !== undefined) taken.push({ branch: passed, exit: 'rule' })
  return taken
}

/** Returns the path without a matching element. Undefined if the lookup of every packet finds an element. */
function pathWithoutElement(branch: PathState, key: readonly Selector[], found: number): PathState | undefined {
  const [only] = key
  if (only?.kind !== 'numgen' || key.length > 1) return found > 0 ? undefined : branch
  const rest = only.mod - found
  return rest <= 0 ? undefined : scaleWeight(branch, createFraction(rest, only.mod))
}
