import { invariant } from '../../../internal/invariant.js'
import type { BaseChain, ChainDefinition, Element, NamedObject, SetDefinition, Table } from '../ast.js'
import type { Command, InTable, RuleCommand } from '../command.js'
import { keyTypes } from '../keys/key-types.js'
import { printWords } from '../parse/unknown-words.js'
import { countText, printName, printWord, quote } from '../words.js'
import { WRITTEN } from './spelling.js'
import { printElement, printRule } from './statements.js'

/**
 * Commands as text for `nft -f -`, one a line, blanks as kube-proxy sets them. Throws for what cannot be said to nft:
 * names and words that are not one word, comments with quotes, statements known from JSON only.
 */
export function printCommands(commands: readonly Command[]): string {
  return commands.map((command) => `${printCommand(command)}\n`).join('')
}

/** One command, without the end of its line. */
export function printCommand(command: Command): string {
  switch (command.object) {
    case 'ruleset':
      return command.family === undefined ? 'flush ruleset' : `flush ruleset ${command.family}`
    case 'table': {
      const about = `${command.verb} table ${place(command)}`
      if (command.verb !== 'add' && command.verb !== 'create') return about
      const flags = command.flags === undefined ? [] : [`flags ${command.flags.map(printWord).join(',')}`]
      return about + block([...flags, ...commentPart(command.comment)])
    }
    case 'chain':
      return 'chain' in command
        ? `${command.verb} chain ${place(command)} ${chainText(command.chain)}`
        : `${command.verb} chain ${place(command)} ${printName(command.name)}`
    case 'set':
      return 'set' in command
        ? `${command.verb} ${command.set.kind} ${place(command)} ${setText(command.set, command.elements ?? [])}`
        : `${command.verb} ${command.kind} ${place(command)} ${printName(command.name)}`
    case 'element': {
      const elements = command.elements.map((element) => elementText(element))
      return `${command.verb} element ${place(command)} ${printName(command.set)} { ${elements.join(WRITTEN.comma)} }`
    }
    case 'rule':
      return ruleText(command)
    case 'named':
      return 'definition' in command
        ? `${command.verb} ${objectText(command, command.definition)}`
        : `${command.verb} ${typeWords(command.type)} ${place(command)} ${printName(command.name)}`
  }
}

function place({ family, table }: InTable): string {
  return `${family} ${printName(table)}`
}

/** ` { a ; b ; }`, or nothing. */
function block(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` { ${parts.join(' ; ')} ; }`
}

function commentPart(comment: string | undefined): readonly string[] {
  return comment === undefined ? [] : [`comment ${quote(comment)}`]
}

function chainText({ name, base, comment }: ChainDefinition): string {
  return printName(name) + block([...(base === undefined ? [] : baseParts(base)), ...commentPart(comment)])
}

function baseParts({ type, hook, devices, priority, policy }: BaseChain): readonly string[] {
  const where = devices === undefined ? '' : ` ${devicesText(devices)}`
  invariant(Number.isInteger(priority), `${priority} cannot be a priority`)
  const head = `type ${printWord(type)} hook ${printWord(hook)}${where} priority ${priority}`
  return policy === undefined ? [head] : [head, `policy ${printWord(policy)}`]
}

function devicesText(devices: readonly string[]): string {
  const [first] = devices
  if (devices.length === 1 && first !== undefined) return `device ${quote(first)}`
  return `devices = { ${devices.map(quote).join(' , ')} }`
}

function setText(set: SetDefinition, elements: readonly Element[]): string {
  const { key, data, flags, timeout, gcInterval, size, policy, autoMerge, counts, comment } = set
  const types = key.kind === 'type' ? `type ${key.types.map(printWord).join(' . ')}` : `typeof ${printWords(key.words)}`
  const parts = [
    data === undefined ? types : `${types} : ${data.map((part) => printWords(part.split(' '))).join(' . ')}`,
  ]
  if (flags !== undefined) parts.push(`flags ${flags.map(printWord).join(',')}`)
  if (timeout !== undefined) parts.push(`timeout ${WRITTEN.duration(timeout)}`)
  if (gcInterval !== undefined) parts.push(`gc-interval ${WRITTEN.duration(gcInterval)}`)
  if (size !== undefined) parts.push(`size ${countText(size)}`)
  if (policy !== undefined) parts.push(`policy ${printWord(policy)}`)
  if (autoMerge === true) parts.push('auto-merge')
  if (counts === true) parts.push('counter')
  if (elements.length > 0) {
    const texts = elements.map((element) => elementText(element, keyTypes(set), data))
    parts.push(`elements = { ${texts.join(WRITTEN.comma)} }`)
  }
  return printName(set.name) + block([...parts, ...commentPart(comment)])
}

function elementText(element: Element, types: readonly string[] = [], dataTypes: readonly string[] = []): string {
  return printElement(element, types, dataTypes, WRITTEN)
}

function ruleText(command: RuleCommand): string {
  const about = `${command.verb} rule ${place(command)} ${printName(command.chain)}`
  if (!('rule' in command)) return `${about} handle ${countText(command.handle)}`
  const handle = command.verb === 'replace' ? command.handle : command.beside
  const where = handle === undefined ? '' : ` handle ${countText(handle)}`
  return `${about}${where} ${printRule(command.rule, WRITTEN)}`
}

function objectText(here: InTable, object: NamedObject): string {
  if (object.kind === 'counter') {
    const { name, packets, bytes, comment } = object
    const counts = packets === 0 && bytes === 0 ? [] : [`packets ${countText(packets)} bytes ${countText(bytes)}`]
    return `counter ${place(here)} ${printName(name)}${block([...counts, ...commentPart(comment)])}`
  }
  const lines = object.lines.map(printWords)
  return `${typeWords(object.type)} ${place(here)} ${printName(object.name)}${block(lines)}`
}

function typeWords(type: string): string {
  return type.split(' ').map(printWord).join(' ')
}

/**
 * A table as commands that make it of nothing: the table, base chains, other chains, sets, maps, named objects, rules, and
 * last the elements, each in a command of its own.
 */
export function printTable(table: Table): string {
  const lines: string[] = []
  const here: InTable = { family: table.family, table: table.name }
  const add = (command: Command) => lines.push(printCommand(command))
  const { comment, flags } = table
  add({ ...here, verb: 'add', object: 'table', ...(comment !== undefined && { comment }), ...(flags && { flags }) })
  const chains = [...table.chains].sort((a, b) => Number(a.base === undefined) - Number(b.base === undefined))
  for (const each of chains) {
    const { policy, ...base } = each.base ?? {}
    // A new chain accepts, so kube-proxy does not say it.
    const chain = policy === 'accept' ? { ...each, base: base as BaseChain } : each
    add({ ...here, verb: 'add', object: 'chain', chain })
  }
  const sets = [...table.sets].sort((a, b) => Number(a.kind === 'map') - Number(b.kind === 'map'))
  for (const set of sets) {
    add({ ...here, verb: 'add', object: 'set', set: { ...set } })
  }
  for (const definition of table.objects) add({ ...here, verb: 'add', object: 'named', definition })
  for (const chain of chains) {
    for (const rule of chain.rules) add({ ...here, verb: 'add', object: 'rule', chain: chain.name, rule })
  }
  for (const set of sets) {
    const start = `add element ${place(here)} ${printName(set.name)} { `
    const types = keyTypes(set)
    for (const element of set.elements) lines.push(`${start}${elementText(element, types, set.data)} }`)
  }
  return `${lines.join('\n')}\n`
}
