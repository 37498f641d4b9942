import type { Element, SetDefinition } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { ElementCommand, SetCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import {
  isIntervalKey,
  isNumericType,
  parseInterval,
} from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { chainOfVerdict } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { adjustElementChainUses, type DraftSet, type DraftTable } from './draft.js'
import {
  checkJumpTarget,
  createMissingObjectError,
  createObjectExistsError,
  createObjectInUseError,
  type TransactionErrorReason,
} from './transaction-error.js'

export function applySetCommand(table: DraftTable, command: SetCommand): TransactionErrorReason | undefined {
  if ('set' in command) return addSet(table, command)
  const { verb, kind, name } = command
  const set = table.sets.get(name)
  if (set === undefined || set.definition.kind !== kind) {
    return verb === 'destroy' && set === undefined ? undefined : createMissingObjectError(`${kind} ${name}`)
  }
  if (verb !== 'flush' && set.uses > 0) return createObjectInUseError(`${kind} ${name}`)
  for (const element of set.elements.values()) adjustElementChainUses(table, element, -1)
  set.elements.clear()
  if (verb !== 'flush') table.sets.delete(name)
  return undefined
}

function addSet(
  table: DraftTable,
  command: Extract<SetCommand, { readonly set: SetDefinition }>,
): TransactionErrorReason | undefined {
  const { set: expected, elements = [], verb } = command
  const existing = table.sets.get(expected.name)
  if (existing !== undefined && verb === 'create') return createObjectExistsError(`${expected.kind} ${expected.name}`)
  if (existing !== undefined && !isSameSet(existing.definition, expected)) {
    return {
      code: 'changed',
      message: `${existing.definition.kind} ${expected.name} already exists with another type or flags`,
    }
  }
  const set = existing ?? { definition: expected, elements: new Map(), uses: 0 }
  if (existing === undefined) table.sets.set(expected.name, set)
  else changeTimeout(set, expected.timeout)
  return addElements(table, set, elements, 'add')
}

/** Changes the timeout of a set. Existing elements with the old default timeout keep it. */
function changeTimeout(set: DraftSet, timeout: number | undefined): void {
  const { timeout: before, ...definition } = set.definition
  if (before === timeout) return
  set.definition = timeout === undefined ? definition : { ...definition, timeout }
  for (const [key, { timeout: own = before, ...element }] of set.elements) {
    set.elements.set(key, own === undefined || own === timeout ? element : { ...element, timeout: own })
  }
}

function isSameSet(left: SetDefinition, right: SetDefinition): boolean {
  return (
    left.kind === right.kind &&
    textOf(left.key) === textOf(right.key) &&
    left.data?.join(' . ') === right.data?.join(' . ') &&
    flagsOf(left) === flagsOf(right)
  )
}

function textOf(key: SetDefinition['key']): string {
  return key.kind === 'type' ? key.types.join(' . ') : `typeof ${key.words.join(' ')}`
}

function flagsOf({ flags = [], timeout }: SetDefinition): string {
  const all = timeout === undefined ? flags : [...flags, 'timeout']
  return [...new Set(all)].sort().join(',')
}

export function applyElementCommand(table: DraftTable, command: ElementCommand): TransactionErrorReason | undefined {
  const set = table.sets.get(command.set)
  if (set === undefined)
    return command.verb === 'destroy' ? undefined : createMissingObjectError(`set or map ${command.set}`)
  if (command.verb === 'add' || command.verb === 'create')
    return addElements(table, set, command.elements, command.verb)
  for (const { key } of command.elements) {
    const existing = set.elements.get(key)
    if (existing === undefined && command.verb === 'delete')
      return createMissingObjectError(`element ${key} in ${command.set}`)
    if (existing === undefined) continue
    adjustElementChainUses(table, existing, -1)
    set.elements.delete(key)
  }
  return undefined
}

function addElements(
  table: DraftTable,
  set: DraftSet,
  elements: readonly Element[],
  verb: 'add' | 'create',
): TransactionErrorReason | undefined {
  for (const element of elements) {
    const reason = addElement(table, set, element, verb)
    if (reason !== undefined) return reason
  }
  return undefined
}

function addElement(
  table: DraftTable,
  set: DraftSet,
  element: Element,
  verb: 'add' | 'create',
): TransactionErrorReason | undefined {
  const { definition } = set
  const misfit = misfitOf(definition, element)
  if (misfit !== undefined)
    return { code: 'typeMismatch', message: `element ${element.key} of ${definition.name} ${misfit}` }
  const chain = chainOfVerdict(element.verdict)
  const reason = chain === undefined ? undefined : checkJumpTarget(table, chain)
  if (reason !== undefined) return reason
  const existing = set.elements.get(element.key)
  if (existing === undefined) {
    set.elements.set(element.key, element)
    adjustElementChainUses(table, element, 1)
    return undefined
  }
  if (verb === 'create') return createObjectExistsError(`element ${element.key} in ${definition.name}`)
  if (hasSameValue(existing, element)) {
    refresh(set, existing, element.timeout)
    return undefined
  }
  return { code: 'exists', message: `element ${element.key} in ${definition.name} already exists with another value` }
}

/**
 * Updates an element that is added again. Only its timeout changes, to the timeout of the command or to the default of
 * the set.
 */
function refresh(set: DraftSet, known: Element, timeout: number | undefined): void {
  if (known.timeout === undefined && timeout === undefined) return
  const { timeout: _, ...element } = known
  set.elements.set(known.key, timeout === undefined ? element : { ...element, timeout })
}

function misfitOf(set: SetDefinition, { key, verdict, data, timeout }: Element): string | undefined {
  const wantsVerdict = set.data?.[0] === 'verdict'
  if (set.kind === 'set') {
    if (verdict !== undefined || data !== undefined) return 'has a value, but this is not a map'
  } else if (wantsVerdict ? verdict === undefined : data === undefined) {
    return wantsVerdict ? 'has no verdict' : 'has no data'
  }
  const strange = findInvalidKey(set, key)
  if (strange !== undefined) return strange
  const hasTimeouts = set.timeout !== undefined || set.flags?.includes('timeout') === true
  return timeout === undefined || hasTimeouts ? undefined : 'has a timeout, but the set has no timeouts'
}

/**
 * Returns the reason why a key does not fit the set. The key may have other components than the set, or may be a range
 * although the set has no ranges.
 */
function findInvalidKey(set: SetDefinition, key: string): string | undefined {
  if (set.key.kind === 'typeof') return undefined
  const { types } = set.key
  const parts = types.length === 1 ? [key] : splitConcatenation(key)
  if (parts.length !== types.length) return 'has another number of components than the key type of the set'
  const hasRanges = set.flags?.includes('interval') === true
  for (const [index, type] of types.entries()) {
    const part = elementAt(parts, index)
    if (!isNumericType(type) || part === '*') continue
    if (parseInterval(part, type) === undefined) return `is not a valid ${type}`
    if (!hasRanges && isIntervalKey(part)) return 'is a range, but the set has no ranges'
  }
  return undefined
}

function hasSameValue(left: Element, right: Element): boolean {
  return (
    left.data === right.data &&
    left.verdict?.kind === right.verdict?.kind &&
    chainOfVerdict(left.verdict) === chainOfVerdict(right.verdict)
  )
}
