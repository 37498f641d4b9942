import { joinLines } from '../../../internal/join-lines.js'
import type { BaseChain, ChainDefinition, Element, NamedObject, SetDefinition, Table } from '../ast.js'
import type { CommandTable, NftCommand, RuleCommand } from '../command.js'
import { keyTypesOf } from '../keys/key-types.js'
import { printUnknownWords } from '../parse/unknown-words.js'
import { formatPriority } from '../priority.js'
import { formatCounterValue, printName, printWord } from '../words.js'
import { KUBE_PROXY_FORMAT } from './nftables-format.js'
import { printComment, printCounts, printFlags, printHook, printSetProperties, printWordsOf } from './properties.js'
import { printElement, printRule } from './statements.js'

/**
 * Prints commands for `nft -f -`, one per line, with the same spaces as kube-proxy. Throws for values without a text
 * form: names and tokens with spaces, comments with quotes, and statements that occur only in JSON.
 */
export function printCommands(commands: Iterable<NftCommand>): string {
  const batches: string[] = []
  let lines: string[] = []
  for (const command of commands) {
    lines.push(printCommand(command))
    if (lines.length < BATCH) continue
    batches.push(joinLines(lines))
    lines = []
  }
  return [...batches, joinLines(lines)].join('')
}

/**
 * The number of lines that are joined at once. V8 stores each printed line as a tree of its words until it is joined,
 * which needs several times the memory of the text.
 */
const BATCH = 500

/** Formats one command, without a newline. */
export function printCommand(command: NftCommand): string {
  switch (command.object) {
    case 'ruleset':
      return command.family === undefined ? 'flush ruleset' : `flush ruleset ${command.family}`
    case 'table': {
      const about = `${command.verb} table ${place(command)}`
      if (command.verb !== 'add' && command.verb !== 'create') return about
      return about + block([...printFlags(command.flags), ...printComment(command.comment)])
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
        : `${command.verb} ${printWordsOf(command.type)} ${place(command)} ${printName(command.name)}`
  }
}

function place({ family, table }: CommandTable): string {
  return `${family} ${printName(table)}`
}

/** Formats ` { a ; b ; }`. Without parts, returns an empty string. */
function block(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` { ${parts.join(' ; ')} ; }`
}

function formatChain({ name, base, comment }: ChainDefinition): string {
  return printName(name) + block([...(base === undefined ? [] : baseParts(base)), ...printComment(comment)])
}

function baseParts(base: BaseChain): readonly string[] {
  const head = printHook(base, formatPriority(base.priority), KUBE_PROXY_FORMAT)
  return base.policy === undefined ? [head] : [head, `policy ${printWord(base.policy)}`]
}

const SET_PROPERTIES = ['key', 'flags', 'timeout', 'gcInterval', 'size', 'policy', 'autoMerge', 'counts'] as const

function formatSetCommand(set: SetDefinition, elements: readonly Element[]): string {
  const texts = elements.map((element) => formatElement(element, keyTypesOf(set), set.data))
  const content = texts.length === 0 ? [] : [`elements = { ${texts.join(KUBE_PROXY_FORMAT.comma)} }`]
  const properties = printSetProperties(set, KUBE_PROXY_FORMAT, SET_PROPERTIES)
  return printName(set.name) + block([...properties, ...content, ...printComment(set.comment)])
}

function formatElement(element: Element, types: readonly string[] = [], dataTypes: readonly string[] = []): string {
  return printElement(element, types, dataTypes, KUBE_PROXY_FORMAT)
}

function formatRuleCommand(command: RuleCommand): string {
  const about = `${command.verb} rule ${place(command)} ${printName(command.chain)}`
  if (!('rule' in command)) return `${about} handle ${formatCounterValue(command.handle)}`
  const handle = command.verb === 'replace' ? command.handle : command.beside
  const where = handle === undefined ? '' : ` handle ${formatCounterValue(handle)}`
  return `${about}${where} ${printRule(command.rule, KUBE_PROXY_FORMAT)}`
}

function formatObject(at: string, object: NamedObject): string {
  if (object.kind === 'counter') {
    const counts = object.packets === 0 && object.bytes === 0 ? [] : [printCounts(object)]
    return `counter ${at} ${printName(object.name)}${block([...counts, ...printComment(object.comment)])}`
  }
  return `${printWordsOf(object.type)} ${at} ${printName(object.name)}${block(object.lines.map(printUnknownWords))}`
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
