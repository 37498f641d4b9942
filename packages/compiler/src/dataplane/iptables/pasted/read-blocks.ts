import { IP_FAMILIES, type IpFamily, parseIp } from '@kube-rules/types'
import {
  type Coverage,
  noteAt,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteProblemCode,
  problemAt,
  type ReadPaste,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import type { ChainPolicy, IptablesState, Rule, Table, TableName } from '../ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain, TABLE_NAMES } from '../built-in-chains.js'
import { jumpDestination } from '../chains.js'
import { parseRule } from '../parse/parse-rule.js'
import type { IptablesProblemCode } from '../parse/problem.js'
import { printRule } from '../print/print.js'
import { chainId } from '../resources.js'
import { type FoundBlock, type FoundRule, findBlocks } from './blocks.js'
import { mergeRules } from './merge-rules.js'
import { mayBeIn, type TableHint, tableOfName, tableOfRule } from './table-of-rule.js'

type Code = IptablesProblemCode | PasteProblemCode

/** A chain as one block gives it. */
interface GivenChain {
  readonly name: string
  readonly policy?: ChainPolicy['policy'] | undefined
  readonly rules: readonly Rule[]
  readonly isWhole: boolean
  readonly showsPart: boolean
  readonly at: PastedLine
}

/** What one block gives of one table. */
interface GivenTable {
  readonly family: IpFamily
  readonly name: TableName
  readonly chains: readonly GivenChain[]
  /** There are no other chains. */
  readonly isWhole: boolean
  /** The tool was asked for every table. */
  readonly isOfAll: boolean
}

/** The tables that a paste gives, of both families. */
export function readBlocks(lines: readonly PastedLine[], hints: PasteHints): ReadPaste<IptablesState, Code> {
  const { blocks, problems: found, hasGapOutside } = findBlocks(lines, hints.chainOfWords)
  const problems: TextProblem<Code>[] = [...found]
  const notes: PasteNote[] = []
  const given = blocks.flatMap((block) => tablesOf(block, hints, problems, notes))
  const wholeListings = listedTables(blocks, given)
  const states: Partial<Record<IpFamily, IptablesState>> = {}
  const coverage: Partial<Record<IpFamily, Coverage>> = {}
  for (const family of IP_FAMILIES) {
    const own = given.filter((table) => table.family === family)
    const isNothing = own.every(({ chains }) => chains.every(({ rules, isWhole }) => rules.length === 0 && !isWhole))
    if (own.length === 0 || (isNothing && problems.length > 0)) continue
    const names = TABLE_NAMES.filter((name) => own.some((table) => table.name === name)).sort(
      (a, b) => firstOf(own, a) - firstOf(own, b),
    )
    const merged = names.map((name) =>
      mergeTable(
        name,
        own.filter((table) => table.name === name),
        notes,
        family,
      ),
    )
    states[family] = { family, tables: merged.map(({ table }) => table) }
    const listed = wholeListings.filter((id) => id.startsWith(family)).map((id) => id.slice(family.length + 1))
    coverage[family] = coverageOf(merged, own, listed, !hasGapOutside)
  }
  return { states, coverage, problems: problems.slice(0, MAX_PROBLEMS), notes }
}

function firstOf(tables: readonly GivenTable[], name: TableName): number {
  return tables.findIndex((table) => table.name === name)
}

/** A block may hold rules of several tables where no line says of which they are. */
function tablesOf(
  block: FoundBlock,
  hints: PasteHints,
  problems: TextProblem<Code>[],
  notes: PasteNote[],
): readonly GivenTable[] {
  const family = block.family ?? familyOfRules(block.rules)
  if (family === undefined && block.rules.length + block.chains.length > 0 && hints.family === 'IPv6') {
    notes.push(noteAt(block.at, 'assumedFamily', 'no line tells the family: taken for IPv6'))
  }
  const placed = placeRules(block, hints)
  if (placed.assumed.length > 0) {
    const names = [...new Set(placed.assumed)].join(' and ')
    notes.push(
      noteAt(
        block.at,
        'assumedTable',
        `no line says of which table these rules are: taken for ${names}, as chains and targets tell`,
      ),
    )
  }
  const families =
    block.family === undefined
      ? familiesOfRules(block.rules, family ?? hints.family)
      : block.rules.map(() => block.family as IpFamily)
  const keys = [
    ...new Set([
      ...placed.rules.map((table, index) => `${families[index]} ${table}`),
      ...placed.chains.map((table) => `${family ?? hints.family} ${table}`),
    ]),
  ]
  return keys.map((key) => {
    const [tableFamily, name] = key.split(' ') as [IpFamily, TableName]
    const rules = block.rules.filter((_, index) => placed.rules[index] === name && families[index] === tableFamily)
    const chains = block.chains.filter(
      (_, index) => placed.chains[index] === name && (family ?? hints.family) === tableFamily,
    )
    return givenTable(block, { name, family: tableFamily, rules, chains }, hints.tableOfChain, problems)
  })
}

interface Part {
  readonly name: TableName
  readonly family: IpFamily
  readonly rules: readonly FoundRule[]
  readonly chains: FoundBlock['chains']
}

function givenTable(
  block: FoundBlock,
  { name, family, rules, chains }: Part,
  hint: TableHint,
  problems: TextProblem<Code>[],
): GivenTable {
  const names = new Set([...chains.map((chain) => chain.name), ...rules.map((rule) => rule.chain)])
  const torn = new Set(block.torn)
  const parsed = new Map<string, Rule[]>(Array.from(names, (chain) => [chain, []]))
  for (const found of rules) {
    const rule = readRule(found, { family, chains: names }, problems)
    if (rule === undefined) torn.add(found.chain)
    else parsed.get(found.chain)?.push(rule)
  }
  // What comes behind a gap is of this table only where the name of its chain says so.
  const behindGap = [
    ...chains.filter((each) => each.afterGap).map((each) => each.name),
    ...rules.filter((each) => each.afterGap).map((each) => each.chain),
  ]
  const unsure = new Set(behindGap.filter((chain) => hint(chain) === undefined))
  const isWhole = isWholeTable(block, name, chains, parsed)
  const declared = new Map(chains.map((chain) => [chain.name, chain]))
  return {
    family,
    name,
    isWhole: isWhole && torn.size === 0,
    isOfAll:
      block.kind === 'save' && !block.hasGap && block.asked?.table === undefined && block.asked?.filter === undefined,
    chains: Array.from(parsed, ([chain, own]): GivenChain => {
      const policy = declared.get(chain)?.policy
      return {
        name: chain,
        ...(policy !== undefined && { policy }),
        rules: own,
        isWhole:
          !torn.has(chain) &&
          !unsure.has(chain) &&
          (isWhole || isWholeChain(block, name, { chain, isDeclared: declared.has(chain), ruleCount: own.length })),
        showsPart: block.kind === 'listing' && own.length > 0 && (block.showsPart || own.some(isPartlyRead)),
        at: block.at,
      }
    }),
  }
}

/** Words of a listing that say what a rule asks for in a way of their own. */
function isPartlyRead({ matches, verdict }: Rule): boolean {
  return verdict?.kind === 'unknown' || matches.some(({ kind }) => kind === 'unknown')
}

function readRule(
  found: FoundRule,
  context: { readonly family: IpFamily; readonly chains: ReadonlySet<string> },
  problems: TextProblem<Code>[],
): Rule | undefined {
  const result = parseRule(found.chain, { raw: found.words, at: 0 }, context)
  if (result.ok) return result.rule
  const word = found.words[result.failure.word] ?? found.words.at(-1) ?? ''
  const offset = Math.max(0, found.at.source.lastIndexOf(word))
  problems.push(problemAt(found.at, result.failure.code, MESSAGES[result.failure.code], offset))
  return undefined
}

const MESSAGES = {
  unexpectedWord: 'expected an option',
  missingValue: 'this option takes a value',
  duplicateVerdict: 'the rule has a verdict already',
} as const

/** Whether a block has all chains of its table: one that leads to a chain that it does not have lacks some. */
function isWholeTable(
  block: FoundBlock,
  table: TableName,
  chains: FoundBlock['chains'],
  rules: ReadonlyMap<string, readonly Rule[]>,
): boolean {
  const { asked } = block
  if (block.hasGap || block.table === undefined || asked?.chain !== undefined || asked?.filter !== undefined)
    return false
  if (block.kind === 'listing' || (block.kind === 'save' ? !block.isClosed : asked === undefined)) return false
  return hasAllChains(table, new Set(chains.map(({ name }) => name)), rules)
}

function hasAllChains(
  table: TableName,
  declared: ReadonlySet<string>,
  rules: ReadonlyMap<string, readonly Rule[]>,
): boolean {
  const led = [...rules.values()].flat().flatMap((rule) => jumpDestination(rule) ?? [])
  return [
    ...BUILT_IN_CHAINS[table].filter((chain) => chain !== 'INPUT' || table !== 'nat'),
    ...rules.keys(),
    ...led,
  ].every((chain) => declared.has(chain))
}

/**
 * Whether all rules of a chain are there, in a block that may lack others. A search that finds the name of a chain where it is
 * made finds it in each of its rules, too.
 */
function isWholeChain(
  { kind, asked, hasHeading, isClosed, hasGap, current }: FoundBlock,
  table: TableName,
  {
    chain,
    isDeclared,
    ruleCount,
  }: { readonly chain: string; readonly isDeclared: boolean; readonly ruleCount: number },
): boolean {
  if (asked?.filter === 'cut') return false
  if (kind === 'listing') return asked?.filter === undefined && hasHeading && isClosed
  if (!isDeclared) return false
  // A search for `^:` finds chains without their rules.
  if (ruleCount === 0 && (asked === undefined ? kind === 'rules' : asked.filter !== undefined)) return false
  // Of what was left out behind a chain's rules nobody knows that it was none of them.
  if (hasGap && ruleCount === 0) return false
  if (kind === 'save' && !isClosed && (ruleCount === 0 || current === chain)) return false
  if (!isBuiltInChain(table, chain)) return true
  return asked === undefined ? kind === 'save' : asked.filter === undefined
}

/** The families and tables of which a listing of all chains is there, as `IPv4 nat`. */
function listedTables(blocks: readonly FoundBlock[], given: readonly GivenTable[]): readonly string[] {
  const listings = blocks.filter(
    ({ kind, asked, table }) =>
      kind === 'listing' &&
      table !== undefined &&
      asked !== undefined &&
      asked.chain === undefined &&
      asked.filter === undefined,
  )
  const ids = new Set(listings.map(({ family, table }) => `${family ?? 'IPv4'} ${table}`))
  return [...ids].filter((id) => {
    const own = listings.filter(({ family, table }) => `${family ?? 'IPv4'} ${table}` === id)
    if (own.some(({ hasGap, torn }) => hasGap || torn.size > 0)) return false
    const [family, table] = id.split(' ') as [IpFamily, TableName]
    const chains = given.filter((each) => each.family === family && each.name === table).flatMap(({ chains }) => chains)
    if (chains.some(({ isWhole }) => !isWhole)) return false
    return hasAllChains(
      table,
      new Set(chains.map(({ name }) => name)),
      new Map(chains.map(({ name, rules }) => [name, rules])),
    )
  })
}

interface PlacedRules {
  /** The table of each rule, and of each chain that is said to be there. */
  readonly rules: readonly TableName[]
  readonly chains: readonly TableName[]
  /** Those that no line names. */
  readonly assumed: readonly TableName[]
}

/** By what a line says, else by what the rule tells, else by other rules of its chain, else as the rule before it. */
function placeRules(block: FoundBlock, { tableOfChain: hint }: PasteHints): PlacedRules {
  const said = block.table
  const told = block.rules.map(({ chain, words, afterGap }) => {
    if (said !== undefined && !afterGap && mayBeIn(said, chain, words)) return said
    return tableOfRule(chain, words, hint)
  })
  const byChain = new Map<string, TableName>()
  block.rules.forEach(({ chain }, index) => {
    const table = told[index]
    if (table !== undefined && !byChain.has(chain)) byChain.set(chain, table)
  })
  const fallback = told.find((table) => table !== undefined) ?? (block.kind === 'listing' ? 'filter' : 'nat')
  let before: TableName = fallback
  const rules = block.rules.map(({ chain }, index) => {
    before = told[index] ?? byChain.get(chain) ?? before
    return before
  })
  const chains = block.chains.map(({ name, afterGap }) => {
    if (said !== undefined && !afterGap && mayBeIn(said, name, [])) return said
    return byChain.get(name) ?? tableOfName(name, hint) ?? fallback
  })
  return { rules, chains, assumed: [...rules, ...chains].filter((table) => table !== said) }
}

function familyOfRules(rules: readonly FoundRule[]): IpFamily | undefined {
  for (const { words } of rules) {
    const family = familyOfWords(words)
    if (family !== undefined) return family
  }
  return undefined
}

/** That of each rule's addresses; of a rule without, that of the one before it. */
function familiesOfRules(rules: readonly FoundRule[], otherwise: IpFamily): readonly IpFamily[] {
  let before = otherwise
  return rules.map(({ words }) => {
    before = familyOfWords(words) ?? before
    return before
  })
}

const ADDRESS_OPTIONS: readonly string[] = ['-s', '-d', '--to-destination', '--to-source', '--mask']

function familyOfWords(words: readonly string[]): IpFamily | undefined {
  for (const [index, word] of words.entries()) {
    if (!ADDRESS_OPTIONS.includes(word)) continue
    const text = words[index + 1] ?? ''
    const [, bracketed, plain = ''] = /^(?:\[([^\]/]*)\]|([^/]*))/.exec(text) ?? []
    const family = parseIp(bracketed ?? plain)?.family ?? parseIp(plain.split(':', 1)[0] ?? '')?.family
    if (family !== undefined) return family
  }
  return undefined
}

interface MergedTable {
  readonly table: Table
  readonly whole: readonly string[]
  readonly shownInPart: readonly string[]
}

/** What several blocks give of one table. */
function mergeTable(name: TableName, given: readonly GivenTable[], notes: PasteNote[], family: IpFamily): MergedTable {
  const chains = new Map<string, GivenChain>()
  for (const chain of given.flatMap((table) => table.chains)) {
    const known = chains.get(chain.name)
    chains.set(chain.name, known === undefined ? chain : mergeChain(name, known, chain, notes, family))
  }
  const all = [...chains.values()]
  const own = all.filter((chain) => !isBuiltInChain(name, chain.name))
  const builtIn = BUILT_IN_CHAINS[name].flatMap((each) => chains.get(each) ?? [])
  const policies = builtIn.flatMap(({ name: chain, policy }): readonly ChainPolicy[] =>
    policy === 'DROP' ? [{ chain, policy }] : [],
  )
  return {
    table: {
      name,
      ...(policies.length > 0 && { policies }),
      jumps: builtIn.flatMap(({ rules }) => rules),
      blocks:
        own.length === 0
          ? []
          : [{ owner: '', chains: own.map((chain) => chain.name), rules: own.flatMap(({ rules }) => rules) }],
    },
    whole: all.filter(({ isWhole }) => isWhole).map((chain) => chainId(name, chain.name)),
    shownInPart: all.filter(({ showsPart }) => showsPart).map((chain) => chainId(name, chain.name)),
  }
}

/** One that is all there stands for one that is not; of two such the first. */
function mergeChain(
  table: TableName,
  first: GivenChain,
  other: GivenChain,
  notes: PasteNote[],
  family: IpFamily,
): GivenChain {
  const policy = first.policy ?? other.policy
  const merged = { ...chooseChain(table, first, other, notes, family), ...(policy !== undefined && { policy }) }
  return merged
}

function chooseChain(
  table: TableName,
  first: GivenChain,
  other: GivenChain,
  notes: PasteNote[],
  family: IpFamily,
): GivenChain {
  const texts = ({ rules }: GivenChain) => rules.map((rule) => printRule(rule, 'restore', family)).join('\n')
  if (first.isWhole && other.isWhole) {
    if (texts(first) === texts(other)) return first.showsPart ? other : first
    // Of a chain that is shown with interfaces and without them, the former tells more.
    if (first.showsPart && !other.showsPart && first.rules.length === other.rules.length) return other
    if (!(other.showsPart && first.rules.length === other.rules.length)) {
      notes.push(
        noteAt(
          other.at,
          'givenTwice',
          `chain ${chainId(table, first.name)} is given twice with other rules: the first is used`,
        ),
      )
    }
    return first
  }
  if (first.isWhole || other.isWhole) return first.isWhole ? first : other
  const rules = mergeRules(first.rules, other.rules, (rule) => printRule(rule, 'restore', family))
  return { ...first, rules, showsPart: first.showsPart || other.showsPart }
}

function coverageOf(
  merged: readonly MergedTable[],
  given: readonly GivenTable[],
  listed: readonly string[],
  isAllAsked: boolean,
): Coverage {
  const names = new Set<TableName>([
    ...given.flatMap((table) => (table.isWhole ? table.name : [])),
    ...(listed as readonly TableName[]),
  ])
  // What prints all tables prints at least these two on any node of ours; one that it does not print holds nothing.
  const isOfAll =
    isAllAsked &&
    (['nat', 'filter'] as const).every((name) => given.some((table) => table.name === name && table.isOfAll))
  const absent = isOfAll ? TABLE_NAMES.filter((name) => given.every((table) => table.name !== name)) : []
  const isWhole = isOfAll && given.every((table) => table.isWhole)
  return {
    isWhole,
    whole: [...names, ...absent, ...merged.flatMap(({ whole }) => whole)],
    shownInPart: merged.flatMap(({ shownInPart }) => shownInPart),
  }
}
