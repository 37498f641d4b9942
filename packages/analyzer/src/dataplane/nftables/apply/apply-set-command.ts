import type { SetDefinition } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { SetCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { addElements } from './apply-element-command.js'
import { adjustElementChainUses, type DraftSet, type DraftTable } from './draft.js'
import {
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
