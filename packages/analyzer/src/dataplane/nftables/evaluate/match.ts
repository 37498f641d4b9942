import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import {
  disjunctionOf,
  negateIf,
  type Ternary,
  toTernary,
} from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type {
  Element,
  MarkMatchStatement,
  MatchStatement,
  Operator,
  Rule,
  Selector,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { parseInterval } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { typeOfSelector } from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { createFraction, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { recordMatchedKeys, recordSetLookup } from './record-read-set.js'
import { evaluateSelector, matchesKey, type SelectorValue } from './selector-value.js'
import type { SetIndex } from './set-index.js'

/** The result of a match statement, or the probability that the statement matches. */
export type MatchResult = Ternary | Fraction

/** Returns a set of a table by name. Undefined if the set does not exist. */
export type SetLookup = (name: string) => SetIndex | undefined

export function evaluateMatch(statement: MatchStatement, passage: HookPacket, sets: SetLookup): MatchResult {
  const { left, operator, right } = statement
  if (isAnyAbsent(left, passage)) return 'no'
  const [only] = left
  if (left.length === 1 && only?.kind === 'numgen') return chanceOf(only, statement)
  switch (right.kind) {
    case 'named': {
      const set = sets(right.set)
      return set === undefined ? 'unknown' : compared(operator, isIn(set, right.set, left, passage))
    }
    case 'anonymous':
      recordMatchedKeys(left, right.keys, passage)
      return compared(operator, fitsAny(left, right.keys, passage))
    case 'value':
      recordMatchedKeys(left, [right.value], passage)
      if (operator === '==' || operator === '!=') return compared(operator, fits(left, right.value, passage))
      return only === undefined ? 'unknown' : isOrdered(only, operator, right.value, passage)
  }
}

function isAnyAbsent(selectors: readonly Selector[], passage: HookPacket): boolean {
  for (const selector of selectors) if (evaluateSelector(selector, passage) === 'absent') return true
  return false
}

function compared(operator: Operator, ternary: Ternary): Ternary {
  return operator === '==' || operator === '!=' ? negateIf(operator === '!=', ternary) : 'unknown'
}

function fitsAny(selectors: readonly Selector[], keys: readonly string[], passage: HookPacket): Ternary {
  return disjunctionOf(keys.map((key) => fits(selectors, key, passage)))
}

/** Compares the selectors of the packet with a key, component by component. */
function fits(selectors: readonly Selector[], key: string, passage: HookPacket): Ternary {
  const [only] = selectors
  return only !== undefined && selectors.length === 1
    ? matchesKey(only, key, passage)
    : fitsAll(selectors, key, passage)
}

function fitsAll(selectors: readonly Selector[], key: string, passage: HookPacket): Ternary {
  const parts = splitConcatenation(key)
  const truths = selectors.map((selector, index) => matchesKey(selector, parts[index] ?? '', passage))
  if (truths.includes('no')) return 'no'
  return truths.includes('unknown') ? 'unknown' : 'yes'
}

/** Evaluates an ordering such as `tcp dport < 1024`. */
function isOrdered(selector: Selector, operator: Ordering, key: string, passage: HookPacket): Ternary {
  const value = evaluateSelector(selector, passage)
  if (typeof value === 'string') return 'unknown'
  const type = typeOfSelector(selector) ?? ''
  const [own, other] = [parseInterval(value.text, type), parseInterval(key, type)]
  if (own === undefined || other === undefined) return 'unknown'
  return toTernary(isInOrder(own.first, operator, other.first))
}

type Ordering = Exclude<Operator, '==' | '!='>

function isInOrder(left: bigint, operator: Ordering, right: bigint): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
  }
}

/** Returns the probability that a generated number (`numgen`) matches. */
function chanceOf(
  { mod, offset }: Selector & { readonly kind: 'numgen' },
  { operator, right }: MatchStatement,
): MatchResult {
  const keys = right.kind === 'value' ? [right.value] : right.kind === 'anonymous' ? right.keys : []
  const numbers = keys.map(Number)
  if (numbers.length === 0 || numbers.some((number) => !Number.isInteger(number))) return 'unknown'
  return createFraction(countOf(numbers, operator, offset, mod), mod)
}

/** Returns how many of the `mod` numbers from `offset` on satisfy a comparison with `numbers` by `operator`. */
function countOf(numbers: readonly number[], operator: Operator, offset: number, mod: number): number {
  const clamp = (count: number) => Math.min(Math.max(count, 0), mod)
  const [first = 0] = numbers
  switch (operator) {
    case '<':
      return clamp(first - offset)
    case '<=':
      return clamp(first - offset + 1)
    case '>':
      return mod - clamp(first - offset + 1)
    case '>=':
      return mod - clamp(first - offset)
    default: {
      const among = new Set(numbers.filter((number) => number >= offset && number < offset + mod)).size
      return operator === '==' ? among : mod - among
    }
  }
}

/** The timeout for sets without a timeout, in milliseconds. */
const FOR_EVER = Number.MAX_SAFE_INTEGER

/**
 * Reports whether a set contains the values of the selectors. For a dynamic set, this includes session-affinity
 * entries.
 */
function isIn(set: SetIndex, name: string, selectors: readonly Selector[], passage: HookPacket): Ternary {
  const element = findElement(set, selectors, passage)
  if (set.isDynamic) passage.packet.readSet?.clients.set(name, (set.timeout ?? FOR_EVER) / 1000)
  if (element !== 'none') return element === 'unknown' ? 'unknown' : 'yes'
  const [only] = selectors
  const isClient = selectors.length === 1 && only?.kind === 'payload' && only.field === 'saddr'
  if (!set.isDynamic || !isClient) return 'no'
  const seconds = passage.facts.secondsSinceSeen(name, passage.packet.source)
  return toTernary(seconds !== undefined && (set.timeout === undefined || seconds * 1000 < set.timeout))
}

/** Finds the element of a set or map that matches the packet; `unknown` if several may match. */
export function findElement(
  set: SetIndex,
  selectors: readonly Selector[],
  passage: HookPacket,
): Element | 'none' | 'unknown' {
  recordSetLookup(selectors, set, passage)
  const { exact, intervals } = set
  if (exact.size === 0 && intervals.length === 0) return 'none'
  const key = keyOf(selectors, passage)
  if (key === 'absent') return 'none'
  if (typeof key === 'object' && isWithoutSource(set, selectors, passage)) return 'none'
  const existing = typeof key === 'object' ? exact.get(key.text) : undefined
  if (existing !== undefined) return existing
  const candidates = key === 'unknown' ? [...exact.values(), ...intervals] : intervals
  let result: Element | 'none' | 'unknown' = 'none'
  for (const element of candidates) {
    const ternary = fits(selectors, element.key, passage)
    if (ternary === 'yes') return element
    if (ternary === 'unknown') result = 'unknown'
  }
  return result
}

/**
 * Reports whether a set certainly has no element with the source of the packet. The hairpin set has an element for each
 * endpoint, but few packets come from an endpoint, so this one lookup replaces a lookup for each possible destination.
 */
function isWithoutSource(
  { intervals, firstParts }: SetIndex,
  selectors: readonly Selector[],
  { packet }: HookPacket,
): boolean {
  const [first] = selectors
  const isSourceFirst = first?.kind === 'payload' && first.field === 'saddr'
  return isSourceFirst && selectors.length > 1 && intervals.length === 0 && !firstParts().has(packet.source)
}

/** Returns the values of all selectors for the packet, as the key of an element. */
function keyOf(selectors: readonly Selector[], passage: HookPacket): SelectorValue {
  let text: string | undefined
  let isKnown = true
  for (const selector of selectors) {
    const value = evaluateSelector(selector, passage)
    if (value === 'absent') return 'absent'
    if (value === 'unknown') isKnown = false
    else text = text === undefined ? value.text : `${text} . ${value.text}`
  }
  return isKnown && text !== undefined ? { text } : 'unknown'
}

export function evaluateMarkMatch({ mask, operator, value }: MarkMatchStatement, { packet }: HookPacket): Ternary {
  return negateIf(operator === '!=', toTernary((packet.mark & mask) >>> 0 === value))
}

/**
 * Reports whether the first matches of a rule exclude a packet by fields other than its source and interface. The
 * source and interface matches of such a rule must not be recorded in a read set. Otherwise, they would divide sources
 * into classes with the same results.
 */
export function cannotMatch({ statements }: Rule, passage: HookPacket, sets: SetLookup): boolean {
  for (const statement of statements) {
    if (statement.kind !== 'match') return false
    const { left } = statement
    if (left.some((selector) => evaluateSelector(selector, passage) === 'absent')) return true
    if (!left.some(dividesSources) && evaluateMatch(statement, passage, sets) === 'no') return true
  }
  return false
}

function dividesSources(selector: Selector): boolean {
  switch (selector.kind) {
    case 'payload':
      return selector.field === 'saddr'
    case 'meta':
      return selector.key === 'iifname' || selector.key === 'iif'
    case 'fib':
      return selector.flags.includes('saddr')
    case 'ct':
    case 'numgen':
      return false
  }
}
