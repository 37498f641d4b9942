import type { IpSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { isValidSetName } from '@kube-rules/compiler/internal/dataplane/ipset/words'
import { formatIpsetId } from '@kube-rules/compiler/internal/dataplane/netfilter/format-ipset-id'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import {
  createPasteProblem,
  type LineContinuation,
  type PastedLine,
  type PasteHints,
  type PasteProblemCode,
  type PasteReader,
  type ReadPasteResult,
  type SubsystemCoverage,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { type IpsetProblemCode, readIpset, setsOfFamily } from '../parse.js'

type Code = IpsetProblemCode | PasteProblemCode

/** Reads excerpts of `ipset save` and `ipset list`. */
export const ipsetPasteReader: PasteReader<IpsetState, IpsetProblemCode> = {
  begins: (line) => (isLine(line) ? after(line) : undefined),
  read,
}

/** kubectl describe also prints names and types, but in columns. */
const HEADING = /^(?:Name|Type|Revision|Header|Size in memory|References|Number of entries|Members):(?! {2}|\t)/

function isLine(line: string): boolean {
  return HEADING.test(line) || /^(?:create\s+\S+\s+(?:hash|bitmap|list):|add\s+\S+\s+[\d[a-fA-F:])/.test(line)
}

/**
 * Returns a function that decides whether the next line continues the output after `line`. The next line may be an
 * entry without a command only after `Members:` or another entry.
 */
function after(line: string): LineContinuation {
  return (next) => {
    if (isLine(next)) return after(next)
    if (next === '') return after('')
    const isMember =
      /^Members:|^\S+$/.test(line) ||
      line.includes(' comment ') ||
      line.includes(' timeout ') ||
      line.includes(' nomatch')
    return isMember && isMemberText(next) ? after(next) : undefined
  }
}

function isMemberText(line: string): boolean {
  return /^(?:[0-9a-fA-F.:]+(?:[/-][\d.]+)?(?:,\S+)?|\d+(?:-\d+)?)(?:\s+(?:comment|timeout|packets|nomatch|skb|bytes)\b.*)?$/.test(
    line,
  )
}

interface Group {
  readonly name: string
  readonly at: PastedLine
  create: string | undefined
  readonly entries: { readonly text: string; readonly at: PastedLine }[]
  isWhole: boolean
  /** The number of entries according to the listing. */
  count?: number
}

interface Reader {
  readonly groups: Map<string, Group>
  readonly problems: TextProblem<Code>[]
  /** The set of a listing that is being read, with its data so far. */
  listed: Group | undefined
  type: string
  areAllSetsListed: boolean
  hasMissingSets: boolean
}

function read(lines: readonly PastedLine[], _hints: PasteHints): ReadPasteResult<IpsetState, Code> {
  const reader: Reader = {
    groups: new Map(),
    problems: [],
    listed: undefined,
    type: '',
    areAllSetsListed: false,
    hasMissingSets: false,
  }
  for (const line of lines) consumeLine(reader, line)
  const sets: IpSet[] = []
  const whole = new Set<string>()
  for (const group of reader.groups.values()) {
    const set = setOf(group, reader.problems)
    if (set === undefined) reader.hasMissingSets = true
    else {
      sets.push(set)
      if (group.isWhole && (group.count === undefined || group.count === set.entries.length))
        whole.add(formatIpsetId(set.name))
    }
  }
  const problems = reader.problems.slice(0, MAX_PROBLEMS)
  if (sets.length === 0) return { states: {}, coverage: {}, problems, notes: [] }
  const isComplete = reader.areAllSetsListed && !reader.hasMissingSets && whole.size === sets.length
  const states: Partial<Record<IpFamily, IpsetState>> = {}
  const coverage: Partial<Record<IpFamily, SubsystemCoverage>> = {}
  for (const family of IP_FAMILIES) {
    const own = setsOfFamily(sets, family)
    if (own.length === 0 && !isComplete) continue
    states[family] = { sets: own }
    const complete = own.map(({ name }) => formatIpsetId(name)).filter((id) => whole.has(id))
    coverage[family] = { isComplete, complete, truncated: [] }
  }
  return { states, coverage, problems, notes: [] }
}

function consumeLine(reader: Reader, line: PastedLine): undefined {
  const { source, command } = line
  switch (line.kind) {
    case 'gap':
    case 'unread':
      reader.hasMissingSets = true
      for (const group of reader.listed === undefined ? [...reader.groups.values()].slice(-1) : [reader.listed])
        group.isWhole = false
      return
    case 'end':
      reader.listed = undefined
      return
    case 'blank':
      return
    case 'line':
      break
  }
  if (line.isCut) {
    for (const group of reader.groups.values()) group.isWhole = false
    reader.hasMissingSets = true
    reader.problems.push(createPasteProblem(line, 'cutLine', 'the line is truncated'))
    return
  }
  const isOwned = command?.tool === 'ipset'
  if (isOwned && command.filter === undefined && !/^\w/.test(command.args[1] ?? '')) reader.areAllSetsListed = true
  if (command?.filter !== undefined) reader.hasMissingSets = true
  const isWhole = isOwned && command.filter === undefined
  const [word = '', name = ''] = source.split(/\s+/)
  if (word === 'create' || word === 'add') return parseCommand(reader, line, { word, name, isWhole })
  const [, field, value = ''] = /^([A-Z][\w ]*):\s*(.*)$/s.exec(source) ?? []
  if (field !== undefined && HEADING.test(source)) return consumeField(reader, line, { name: field, value })
  if (reader.listed === undefined) return strayLine(reader, line)
  reader.listed.entries.push({ text: source, at: line })
}

function consumeField(
  reader: Reader,
  line: PastedLine,
  { name, value }: { readonly name: string; readonly value: string },
): undefined {
  const { command } = line
  if (name === 'Name') {
    reader.listed = undefined
    if (!isValidSetName(value)) return strayLine(reader, line, 'expected the name of a set')
    const existing = reader.groups.get(value)
    const group: Group = { name: value, at: line, create: undefined, entries: [], isWhole: false }
    if (existing === undefined) reader.groups.set(value, group)
    reader.listed = group
    reader.type = ''
    return
  }
  // Each set has one type, so the name of the set with a second type could not be read.
  if (name === 'Type' && reader.type !== '') reader.listed = undefined
  const group = reader.listed
  if (group === undefined) return strayLine(reader, line)
  if (name === 'Type') reader.type = value
  // The header also contains the bucket size of the set and the seed of its hash. They are removed, because they are
  // not part of the definition.
  if (name === 'Header')
    group.create = `create ${group.name} ${reader.type} ${value.replace(/ (?:bucketsize|initval) \S+/g, '')}`.trim()
  if (name === 'Number of entries') group.count = Number(value)
  if (name === 'Members') group.isWhole = command?.filter === undefined
}

interface Command {
  readonly word: string
  readonly name: string
  readonly isWhole: boolean
}

function parseCommand(reader: Reader, line: PastedLine, { word, name, isWhole }: Command): undefined {
  reader.listed = undefined
  const existing = reader.groups.get(name)
  if (word === 'create') {
    if (existing === undefined)
      reader.groups.set(name, {
        name,
        at: line,
        create: line.source.replace(/ (?:bucketsize|initval) \S+/g, ''),
        entries: [],
        isWhole,
      })
    return
  }
  if (existing === undefined) {
    reader.groups.set(name, {
      name,
      at: line,
      create: undefined,
      entries: [{ text: line.source.replace(/^add\s+\S+\s+/, ''), at: line }],
      isWhole: false,
    })
    return
  }
  existing.entries.push({ text: line.source.replace(/^add\s+\S+\s+/, ''), at: line })
}

function strayLine(reader: Reader, line: PastedLine, message = 'the set of this line is unknown'): undefined {
  reader.hasMissingSets = true
  reader.problems.push(createPasteProblem(line, 'strayLine', message))
}

/** Returns the set with all parsable entries. If the set has no create line, its type is derived from its entries. */
function setOf(group: Group, problems: TextProblem<Code>[]): IpSet | undefined {
  const { name, at, entries } = group
  const create = group.create ?? createOf(group)
  const lines = [create, ...entries.map(({ text }) => `add ${name} ${text}`)]
  const read = readIpset(lines, Number.POSITIVE_INFINITY)
  const places = [at, ...entries.map((entry) => entry.at)]
  const [set] = read.sets
  // Without its set, no entry can be read, and only the problem of the create line matters.
  for (const { line, code, message } of set === undefined ? read.problems.slice(0, 1) : read.problems) {
    group.isWhole = false
    problems.push(createPasteProblem(elementAt(places, line - 1), code, message))
  }
  return set
}

/** Derives the create line of a set from its first entry: an entry `10.96.0.1,tcp:443` belongs to a `hash:ip,port` set. */
function createOf({ name, entries }: Group): string {
  const [first] = entries
  const [text = ''] = first?.text.split(/\s/) ?? []
  const family = text.split(',')[0]?.includes(':') ? 'inet6' : 'inet'
  const parts = text.split(',')
  if (/^\d+$/.test(text)) return `create ${name} bitmap:port range 0-65535`
  if (parts.length === 1) return `create ${name} hash:ip family ${family}`
  if (parts.length === 2) return `create ${name} hash:ip,port family ${family}`
  return `create ${name} hash:ip,port,${parts[2]?.includes('/') ? 'net' : 'ip'} family ${family}`
}
