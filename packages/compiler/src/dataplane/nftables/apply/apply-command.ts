import type { Element, Rule, SetDefinition } from '../ast.js'
import type {
  ChainCommand,
  Command,
  ElementCommand,
  InTable,
  ObjectCommand,
  RuleCommand,
  SetCommand,
  TableCommand,
} from '../command.js'
import { intervalOf, isInterval, isMeasured } from '../intervals.js'
import { partsOf } from '../keys.js'
import { chainOfVerdict, chainsOfRule, countersOfRule, setsOfRule } from '../references.js'
import { countElement, countRule, type DraftChain, type DraftSet, type DraftTable, objectKey } from './draft.js'
import { absent, busy, exists, type Reason } from './refusal.js'

/** The tables of a namespace while commands change them, by `tableKey`. */
export type Drafts = Map<string, DraftTable>

export function tableKey({ family, table }: InTable): string {
  return `${family} ${table}`
}

/** Carries out one command as the kernel would; what it refuses is left as it was, more or less. */
export function applyCommand(drafts: Drafts, command: Command): Reason | undefined {
  if (command.object === 'ruleset') return flushRuleset(drafts, command.family)
  if (command.object === 'table') return applyToTable(drafts, command)
  const table = drafts.get(tableKey(command))
  if (table === undefined) return mayBeAbsent(command) ? undefined : absent(`table ${tableKey(command)}`)
  switch (command.object) {
    case 'chain':
      return applyToChain(table, command)
    case 'set':
      return applyToSet(table, command)
    case 'element':
      return applyToElements(table, command)
    case 'rule':
      return applyToRule(table, command)
    case 'named':
      return applyToObject(table, command)
  }
}

function mayBeAbsent(command: Command): boolean {
  return command.verb === 'destroy'
}

function flushRuleset(drafts: Drafts, family: string | undefined): undefined {
  for (const [key, table] of drafts) if (family === undefined || table.family === family) drafts.delete(key)
}

function applyToTable(drafts: Drafts, command: TableCommand): Reason | undefined {
  const key = tableKey(command)
  const table = drafts.get(key)
  switch (command.verb) {
    case 'add':
    case 'create': {
      if (table !== undefined) return command.verb === 'create' ? exists(`table ${key}`) : undefined
      const { family, table: name, comment, flags } = command
      drafts.set(key, {
        family,
        name,
        ...(flags !== undefined && { flags }),
        ...(comment !== undefined && { comment }),
        chains: new Map(),
        sets: new Map(),
        objects: new Map(),
      })
      return undefined
    }
    case 'flush':
      if (table === undefined) return absent(`table ${key}`)
      for (const chain of table.chains.values()) flushChain(table, chain)
      return undefined
    default:
      return drafts.delete(key) || command.verb === 'destroy' ? undefined : absent(`table ${key}`)
  }
}

function applyToChain(table: DraftTable, command: ChainCommand): Reason | undefined {
  if ('chain' in command) return addChain(table, command.chain, command.verb)
  const chain = table.chains.get(command.name)
  if (chain === undefined) return command.verb === 'destroy' ? undefined : absent(`chain ${command.name}`)
  if (command.verb === 'flush') {
    flushChain(table, chain)
    return undefined
  }
  // What its own rules do counts, too: they go when it does, and not before.
  if (chain.uses > 0) return busy(`chain ${command.name}`)
  flushChain(table, chain)
  table.chains.delete(command.name)
  return undefined
}

function addChain(
  table: DraftTable,
  definition: Pick<DraftChain, 'name' | 'base' | 'comment'>,
  verb: 'add' | 'create',
): Reason | undefined {
  const { name, base, comment } = definition
  const known = table.chains.get(name)
  if (known === undefined) {
    const parts = { ...(base !== undefined && { base }), ...(comment !== undefined && { comment }) }
    table.chains.set(name, { name, ...parts, rules: [], uses: 0 })
    return undefined
  }
  if (verb === 'create') return exists(`chain ${name}`)
  if (base === undefined) return undefined
  if (known.base === undefined) return { code: 'changed', message: `chain ${name} is there and no base chain` }
  const { type, hook, priority } = known.base
  if (type !== base.type || hook !== base.hook || priority !== base.priority) {
    return { code: 'changed', message: `chain ${name} is there with another type, hook or priority` }
  }
  if (base.policy !== undefined) known.base = { ...known.base, policy: base.policy }
  return undefined
}

function flushChain(table: DraftTable, chain: DraftChain): void {
  for (const rule of chain.rules) countRule(table, rule, -1)
  chain.rules = []
}

function applyToSet(table: DraftTable, command: SetCommand): Reason | undefined {
  if ('set' in command) return addSet(table, command)
  const { verb, kind, name } = command
  const set = table.sets.get(name)
  if (set === undefined || set.definition.kind !== kind) {
    return verb === 'destroy' && set === undefined ? undefined : absent(`${kind} ${name}`)
  }
  if (verb !== 'flush' && set.uses > 0) return busy(`${kind} ${name}`)
  for (const element of set.elements.values()) countElement(table, element, -1)
  set.elements.clear()
  if (verb !== 'flush') table.sets.delete(name)
  return undefined
}

function addSet(table: DraftTable, command: Extract<SetCommand, { readonly set: SetDefinition }>): Reason | undefined {
  const { set: wanted, elements = [], verb } = command
  const known = table.sets.get(wanted.name)
  if (known !== undefined && verb === 'create') return exists(`${wanted.kind} ${wanted.name}`)
  if (known !== undefined && !isSameSet(known.definition, wanted)) {
    return { code: 'changed', message: `${known.definition.kind} ${wanted.name} is there with another type or flags` }
  }
  const set = known ?? { definition: wanted, elements: new Map(), uses: 0 }
  if (known === undefined) table.sets.set(wanted.name, set)
  else changeTimeout(set, wanted.timeout)
  return addElements(table, set, elements, 'add')
}

/** An element that is added again has the time of the set again, or the one that is said; nothing else changes. */
function refresh(set: DraftSet, known: Element, timeout: number | undefined): void {
  if (known.timeout === undefined && timeout === undefined) return
  const { timeout: _, ...element } = known
  set.elements.set(known.key, timeout === undefined ? element : { ...element, timeout })
}

/** Elements that have the time of the set keep it when the set gets another. */
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

function applyToElements(table: DraftTable, command: ElementCommand): Reason | undefined {
  const set = table.sets.get(command.set)
  if (set === undefined) return command.verb === 'destroy' ? undefined : absent(`set or map ${command.set}`)
  if (command.verb === 'add' || command.verb === 'create')
    return addElements(table, set, command.elements, command.verb)
  for (const { key } of command.elements) {
    const known = set.elements.get(key)
    if (known === undefined && command.verb === 'delete') return absent(`element ${key} in ${command.set}`)
    if (known === undefined) continue
    countElement(table, known, -1)
    set.elements.delete(key)
  }
  return undefined
}

function addElements(
  table: DraftTable,
  set: DraftSet,
  elements: readonly Element[],
  verb: 'add' | 'create',
): Reason | undefined {
  for (const element of elements) {
    const reason = addElement(table, set, element, verb)
    if (reason !== undefined) return reason
  }
  return undefined
}

function addElement(table: DraftTable, set: DraftSet, element: Element, verb: 'add' | 'create'): Reason | undefined {
  const { definition } = set
  const misfit = misfitOf(definition, element)
  if (misfit !== undefined) return { code: 'misfit', message: `element ${element.key} of ${definition.name} ${misfit}` }
  const chain = chainOfVerdict(element.verdict)
  const reason = chain === undefined ? undefined : reasonAgainstTarget(table, chain)
  if (reason !== undefined) return reason
  const known = set.elements.get(element.key)
  if (known === undefined) {
    set.elements.set(element.key, element)
    countElement(table, element, 1)
    return undefined
  }
  if (verb === 'create') return exists(`element ${element.key} in ${definition.name}`)
  if (hasSameValue(known, element)) {
    refresh(set, known, element.timeout)
    return undefined
  }
  return { code: 'exists', message: `element ${element.key} in ${definition.name} is there with another value` }
}

function misfitOf(set: SetDefinition, { key, verdict, data, timeout }: Element): string | undefined {
  const wantsVerdict = set.data?.[0] === 'verdict'
  if (set.kind === 'set') {
    if (verdict !== undefined || data !== undefined) return 'has a value, and this is no map'
  } else if (wantsVerdict ? verdict === undefined : data === undefined) {
    return wantsVerdict ? 'has no verdict' : 'has no data'
  }
  const strange = strangeKey(set, key)
  if (strange !== undefined) return strange
  const hasTimeouts = set.timeout !== undefined || set.flags?.includes('timeout') === true
  return timeout === undefined || hasTimeouts ? undefined : 'has a timeout, which the set does not know'
}

/** Why a key is none of the set: it has other parts, or is a range and the set has none. */
function strangeKey(set: SetDefinition, key: string): string | undefined {
  if (set.key.kind === 'typeof') return undefined
  const { types } = set.key
  const parts = types.length === 1 ? [key] : partsOf(key)
  if (parts.length !== types.length) return 'has other parts than its type'
  const hasRanges = set.flags?.includes('interval') === true
  for (const [index, type] of types.entries()) {
    const part = parts[index] as string
    if (!isMeasured(type) || part === '*') continue
    if (intervalOf(part, type) === undefined) return `is no ${type}`
    if (!hasRanges && isInterval(part)) return 'is a range, and the set has none'
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

/** Rules and elements lead to chains that are there and that no hook calls. */
function reasonAgainstTarget(table: DraftTable, name: string): Reason | undefined {
  const chain = table.chains.get(name)
  if (chain === undefined) return absent(`chain ${name}`)
  return chain.base === undefined ? undefined : { code: 'misfit', message: `chain ${name} is a base chain` }
}

function applyToRule(table: DraftTable, command: RuleCommand): Reason | undefined {
  const chain = table.chains.get(command.chain)
  if (chain === undefined) return command.verb === 'destroy' ? undefined : absent(`chain ${command.chain}`)
  switch (command.verb) {
    case 'add':
    case 'insert': {
      const { rule, verb, beside } = command
      const reason = reasonAgainstRule(table, rule)
      if (reason !== undefined) return reason
      const found = beside === undefined ? -1 : indexOf(chain, beside)
      if (beside !== undefined && found < 0) return absent(`rule with handle ${beside} in chain ${chain.name}`)
      const index =
        beside === undefined ? (verb === 'add' ? chain.rules.length : 0) : verb === 'add' ? found + 1 : found
      chain.rules.splice(index, 0, rule)
      countRule(table, rule, 1)
      return undefined
    }
    default: {
      const index = indexOf(chain, command.handle)
      const old = chain.rules[index]
      if (old === undefined) {
        const isAllowed = command.verb === 'destroy'
        return isAllowed ? undefined : absent(`rule with handle ${command.handle} in chain ${chain.name}`)
      }
      const added = command.verb === 'replace' ? [command.rule] : []
      for (const rule of added) {
        const reason = reasonAgainstRule(table, rule)
        if (reason !== undefined) return reason
        countRule(table, rule, 1)
      }
      countRule(table, old, -1)
      chain.rules.splice(index, 1, ...added)
      return undefined
    }
  }
}

function indexOf(chain: DraftChain, handle: number): number {
  return chain.rules.findIndex((rule) => rule.handle === handle)
}

function reasonAgainstRule(table: DraftTable, rule: Rule): Reason | undefined {
  for (const chain of chainsOfRule(rule)) {
    const reason = reasonAgainstTarget(table, chain)
    if (reason !== undefined) return reason
  }
  for (const set of setsOfRule(rule)) if (!table.sets.has(set)) return absent(`set or map ${set}`)
  for (const counter of countersOfRule(rule)) {
    if (!table.objects.has(`counter ${counter}`)) return absent(`counter ${counter}`)
  }
  return undefined
}

function applyToObject(table: DraftTable, command: ObjectCommand): Reason | undefined {
  if ('definition' in command) {
    const key = objectKey(command.definition)
    if (!table.objects.has(key)) table.objects.set(key, { object: command.definition, uses: 0 })
    else if (command.verb === 'create') return exists(key)
    return undefined
  }
  const key = `${command.type} ${command.name}`
  const known = table.objects.get(key)
  if (known === undefined) return command.verb === 'destroy' ? undefined : absent(key)
  if (known.uses > 0) return busy(key)
  table.objects.delete(key)
  return undefined
}
