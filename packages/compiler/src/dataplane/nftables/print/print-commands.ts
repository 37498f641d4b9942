import type { BaseChain, ChainDefinition, Element, NamedObject, SetDefinition, Table } from '../ast.js'
import type { CommandTable, NftCommand, RuleCommand } from '../command.js'
import { keyTypesOf } from '../keys/key-types.js'
import { printWords } from '../parse/unknown-words.js'
import { formatPriority } from '../priority.js'
import { formatCount, printName, printType, printWord, quoteText } from '../words.js'
import { KUBE_PROXY_FORMAT } from './nftables-format.js'
import { printElement, printRule } from './statements.js'

/**
 * Prints commands for `nft -f -`, one per line, with the same spaces as kube-proxy. Throws for values without a text
 * form: names and tokens with spaces, comments with quotes, and statements that occur only in JSON.
 */
export function printCommands(commands: readonly NftCommand[]): string {
  return commands.map((command) => `${printCommand(command)}\n`).join('')
}

/** Formats one command, without a newline. */
export function printCommand(command: NftCommand): string {
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
        ? `${command.verb} chain ${place(command)} ${formatChain(command.chain)}`
        : `${command.verb} chain ${place(command)} ${printName(command.name)}`
    case 'set':
      return 'set' in command
        ? `${command.verb} ${command.set.kind} ${place(command)} ${formatSetCommand(command.set, command.elements ?? [])}`
        : `${command.verb} ${command.kind} ${place(command)} ${printName(command.name)}`
    case 'element': {
      const elements = command.elements.map((element) => formatElement(element))
      return `${command.verb} element ${place(command)} ${printName(command.set)} { ${elements.join(KUBE_PROXY_FORMAT.comma)} }`
    }
    case 'rule':
      return formatRuleCommand(command)
    case 'named':
      return 'definition' in command
        ? `${command.verb} ${formatObject(place(command), command.definition)}`
        : `${command.verb} ${typeWords(command.type)} ${place(command)} ${printName(command.name)}`
  }
}

function place({ family, table }: CommandTable): string {
  return `${family} ${printName(table)}`
}

/** Formats ` { a ; b ; }`. Without parts, returns an empty string. */
function block(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` { ${parts.join(' ; ')} ; }`
}

function commentPart(comment: string | undefined): readonly string[] {
  return comment === undefined ? [] : [`comment ${quoteText(comment)}`]
}

function formatChain({ name, base, comment }: ChainDefinition): string {
  return printName(name) + block([...(base === undefined ? [] : baseParts(base)), ...commentPart(comment)])
}

function baseParts({ type, hook, devices, priority, policy }: BaseChain): readonly string[] {
  const where = devices === undefined ? '' : ` ${formatDevices(devices)}`
  const head = `type ${printWord(type)} hook ${printWord(hook)}${where} priority ${formatPriority(priority)}`
  return policy === undefined ? [head] : [head, `policy ${printWord(policy)}`]
}

function formatDevices(devices: readonly string[]): string {
  const [first] = devices
  if (devices.length === 1 && first !== undefined) return `device ${quoteText(first)}`
  return `devices = { ${devices.map(quoteText).join(' , ')} }`
}

function formatSetCommand(set: SetDefinition, elements: readonly Element[]): string {
  const { key, data, flags, timeout, gcInterval, size, policy, autoMerge, counts, comment } = set
  const types = key.kind === 'type' ? `type ${key.types.map(printType).join(' . ')}` : `typeof ${printWords(key.words)}`
  const parts = [
    data === undefined ? types : `${types} : ${data.map((part) => printWords(part.split(' '))).join(' . ')}`,
  ]
  if (flags !== undefined) parts.push(`flags ${flags.map(printWord).join(',')}`)
  if (timeout !== undefined) parts.push(`timeout ${KUBE_PROXY_FORMAT.duration(timeout)}`)
  if (gcInterval !== undefined) parts.push(`gc-interval ${KUBE_PROXY_FORMAT.duration(gcInterval)}`)
  if (size !== undefined) parts.push(`size ${formatCount(size)}`)
  if (policy !== undefined) parts.push(`policy ${printWord(policy)}`)
  if (autoMerge === true) parts.push('auto-merge')
  if (counts === true) parts.push('counter')
  if (elements.length > 0) {
    const texts = elements.map((element) => formatElement(element, keyTypesOf(set), data))
    parts.push(`elements = { ${texts.join(KUBE_PROXY_FORMAT.comma)} }`)
  }
  return printName(set.name) + block([...parts, ...commentPart(comment)])
}

function formatElement(element: Element, types: readonly string[] = [], dataTypes: readonly string[] = []): string {
  return printElement(element, types, dataTypes, KUBE_PROXY_FORMAT)
}

function formatRuleCommand(command: RuleCommand): string {
  const about = `${command.verb} rule ${place(command)} ${printName(command.chain)}`
  if (!('rule' in command)) return `${about} handle ${formatCount(command.handle)}`
  const handle = command.verb === 'replace' ? command.handle : command.beside
  const where = handle === undefined ? '' : ` handle ${formatCount(handle)}`
  return `${about}${where} ${printRule(command.rule, KUBE_PROXY_FORMAT)}`
}

function formatObject(at: string, object: NamedObject): string {
  if (object.kind === 'counter') {
    const { name, packets, bytes, comment } = object
    const counts = packets === 0 && bytes === 0 ? [] : [`packets ${formatCount(packets)} bytes ${formatCount(bytes)}`]
    return `counter ${at} ${printName(name)}${block([...counts, ...commentPart(comment)])}`
  }
  const lines = object.lines.map(printWords)
  return `${typeWords(object.type)} ${at} ${printName(object.name)}${block(lines)}`
}

function typeWords(type: string): string {
  return type.split(' ').map(printWord).join(' ')
}

/**
 * Prints a table as commands that create the table. Prints the table, base chains, other chains, sets, maps, named
 * objects, rules, and finally the elements. Each element has its own command.
 */
export function printTable(table: Table): string {
  const at = place({ family: table.family, table: table.name })
  const { comment, flags } = table
  const lines = [
    printCommand({ family: table.family, table: table.name, verb: 'add', object: 'table', comment, flags }),
  ]
  const chains = [...table.chains].sort((a, b) => Number(a.base === undefined) - Number(b.base === undefined))
  for (const chain of chains) lines.push(`add chain ${at} ${formatChain(withoutUsualPolicy(chain))}`)
  const sets = [...table.sets].sort((a, b) => Number(a.kind === 'map') - Number(b.kind === 'map'))
  for (const set of sets) lines.push(`add ${set.kind} ${at} ${formatSetCommand(set, [])}`)
  for (const object of table.objects) lines.push(`add ${formatObject(at, object)}`)
  for (const { name, rules } of chains) {
    const start = rules.length === 0 ? '' : `add rule ${at} ${printName(name)} `
    for (const rule of rules) lines.push(start + printRule(rule, KUBE_PROXY_FORMAT))
  }
  for (const set of sets) {
    const start = `add element ${at} ${printName(set.name)} { `
    const types = keyTypesOf(set)
    for (const element of set.elements) lines.push(`${start}${formatElement(element, types, set.data)} }`)
  }
  return `${lines.join('\n')}\n`
}

/** Omits the policy `accept`. It is the default of a new chain, and kube-proxy does not print it. */
function withoutUsualPolicy(chain: ChainDefinition): ChainDefinition {
  if (chain.base?.policy !== 'accept') return chain
  const { policy: _, ...base } = chain.base
  return { ...chain, base }
}
