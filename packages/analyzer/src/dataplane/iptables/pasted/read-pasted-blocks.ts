import type { IptablesState, Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import {
  createPasteNote,
  createPasteProblem,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteProblemCode,
  type ReadPasteResult,
  type SubsystemCoverage,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { inferFamilyFromOptions } from '../parse/infer-family-from-options.js'
import { parseRule, RULE_PARSE_MESSAGES, type RuleParseError } from '../parse/parse-rule.js'
import type { IptablesProblemCode } from '../parse/problem.js'
import { findPastedBlocks } from './blocks.js'
import { findFullyListedTables, hasUnmarkedGaps, isCompleteChain, isCompleteTable } from './completeness.js'
import { inferTables, type TableLookup } from './infer-tables.js'
import { nameListedTables } from './listed-tables.js'
import { type ChainFragment, type MergedTable, mergeTable, type TableFragment } from './merge-table.js'
import type { PastedBlock, PastedRule } from './pasted-block.js'

type Code = IptablesProblemCode | PasteProblemCode

/** Reads the tables of an excerpt, of both families. */
export function readPastedBlocks(
  lines: readonly PastedLine[],
  hints: PasteHints,
): ReadPasteResult<IptablesState, Code> {
  const { blocks: found, problems: unread, hasGapOutside } = findPastedBlocks(lines, hints.chainOfWords)
  const blocks = hasGapOutside ? found : nameListedTables(found)
  const problems: TextProblem<Code>[] = [...unread]
  const notes: PasteNote[] = []
  const shown = new Set(blocks.map(shownFamily))
  const fragments = blocks.flatMap((block) => {
    // If the text shows the other family, a table without addresses may belong to either.
    const isUncertain = shownFamily(block) === undefined && shown.has(hints.family === 'IPv4' ? 'IPv6' : 'IPv4')
    if (isUncertain) block.isTorn = true
    return tablesOf(block, hints, problems, notes)
  })
  const wholeListings = findFullyListedTables(blocks, fragments)
  const states: Partial<Record<IpFamily, IptablesState>> = {}
  const coverage: Partial<Record<IpFamily, SubsystemCoverage>> = {}
  for (const family of IP_FAMILIES) {
    const own = fragments.filter((table) => table.family === family)
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

/** Returns the family that a heading, a command or an address of a block shows. */
function shownFamily({ family, rules }: PastedBlock): IpFamily | undefined {
  return family ?? familyOfRules(rules)
}

function firstOf(tables: readonly TableFragment[], name: TableName): number {
  return tables.findIndex((table) => table.name === name)
}

/** Returns the tables of a block. If no line names a table, the block may contain rules of several tables. */
function tablesOf(
  block: PastedBlock,
  hints: PasteHints,
  problems: TextProblem<Code>[],
  notes: PasteNote[],
): readonly TableFragment[] {
  const family = shownFamily(block)
  if (family === undefined && block.rules.length + block.chains.length > 0 && hints.family === 'IPv6') {
    notes.push(createPasteNote(block.at, 'assumedFamily', 'no line names the address family; it is assumed to be IPv6'))
  }
  // Each table has one family, so the beginning of a table with the other family is missing.
  block.isTorn ||= block.family !== undefined && block.rules.some(({ words }) => isOfOtherFamily(words, block.family))
  const placed = inferTables(block, hints.tableOfChain)
  if (placed.assumed.length > 0) {
    const names = [...new Set(placed.assumed)].join(' and ')
    notes.push(
      createPasteNote(
        block.at,
        'assumedTable',
        `no line names the table of these rules; it is assumed to be ${names}, because of their chains and targets`,
      ),
    )
  }
  const families =
    block.family === undefined
      ? familiesOfRules(block.rules, family ?? hints.family)
      : block.rules.map(({ words }) => familyOfRule(words) ?? (block.family as IpFamily))
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
    return givenTable(block, { name, family: tableFamily, rules, chains }, hints.tableOfChain, problems, notes)
  })
}

function isOfOtherFamily(words: readonly string[], family: IpFamily | undefined): boolean {
  const own = familyOfRule(words)
  return own !== undefined && own !== family
}

interface Part {
  readonly name: TableName
  readonly family: IpFamily
  readonly rules: readonly PastedRule[]
  readonly chains: PastedBlock['chains']
}

function givenTable(
  block: PastedBlock,
  { name, family, rules, chains }: Part,
  hint: TableLookup,
  problems: TextProblem<Code>[],
  notes: PasteNote[],
): TableFragment {
  const names = new Set([...chains.map((chain) => chain.name), ...rules.map((rule) => rule.chain)])
  const incompleteChains = new Set(block.incompleteChains)
  const parsed = new Map<string, Rule[]>(Array.from(names, (chain) => [chain, []]))
  for (const pastedRule of rules) {
    const rule = readRule(pastedRule, { family, chains: names }, problems, notes)
    if (rule === undefined) incompleteChains.add(pastedRule.chain)
    else parsed.get(pastedRule.chain)?.push(rule)
  }
  // Content after a gap belongs to the named table only if the name of its chain identifies that table.
  const behindGap = [
    ...chains.filter((each) => each.afterGap).map((each) => each.name),
    ...rules.filter((each) => each.afterGap).map((each) => each.chain),
  ]
  const unsure = new Set(
    behindGap.filter(
      (chain) => hint(chain) === undefined || (block.family !== undefined && !showsFamily(rules, chain)),
    ),
  )
  const isTorn = hasUnmarkedGaps(block, name, chains, parsed)
  const isWhole = !isTorn && isCompleteTable(block, name, chains, parsed)
  const declared = new Map(chains.map((chain) => [chain.name, chain]))
  return {
    family,
    name,
    isWhole: isWhole && incompleteChains.size === 0,
    isOfAll: block.kind === 'save' && !block.hasGap && !isTorn && isOfEveryTable(block),
    chains: Array.from(parsed, ([chain, own]): ChainFragment => {
      const policy = declared.get(chain)?.policy
      return {
        name: chain,
        ...(policy !== undefined && { policy }),
        rules: own,
        isWhole:
          !isTorn &&
          !incompleteChains.has(chain) &&
          !unsure.has(chain) &&
          (isWhole || isCompleteChain(block, name, { chain, isDeclared: declared.has(chain), ruleCount: own.length })),
        isPartial:
          block.isTorn ||
          unsure.has(chain) ||
          (block.kind === 'listing' && own.length > 0 && (block.isPartial || own.some(isPartlyRead))),
        at: block.at,
      }
    }),
  }
}

/** Reports whether an address in a rule of a chain shows the family of the chain. */
function showsFamily(rules: readonly PastedRule[], chain: string): boolean {
  return rules.some((rule) => rule.chain === chain && familyOfRule(rule.words) !== undefined)
}

/** Reports whether all tables were printed, according to the command or the first line of the tool output. */
function isOfEveryTable({ command, at }: PastedBlock): boolean {
  if (command === undefined) return at.family !== undefined
  return command.table === undefined && command.filter === undefined
}

/** Reports whether a rule has listing notation that could not be converted. */
function isPartlyRead({ matches, target }: Rule): boolean {
  return target?.kind === 'unknown' || matches.some(({ kind }) => kind === 'unknown')
}

function readRule(
  found: PastedRule,
  context: { readonly family: IpFamily; readonly chains: ReadonlySet<string> },
  problems: TextProblem<Code>[],
  notes: PasteNote[],
): Rule | undefined {
  const result = parseRule(found.chain, { raw: found.words, at: 0 }, context)
  if (result.ok) return result.rule
  const complete = withoutTrailingWords(found.words, result.failure)
  if (complete !== undefined) {
    const trailing = JSON.stringify(found.words.slice(complete.length).join(' '))
    notes.push(createPasteNote(found.at, 'trailingComment', `ignored after the rule: ${trailing}`))
    return readRule({ ...found, words: complete }, context, problems, notes)
  }
  const { code, word } = result.failure
  const offset = Math.max(0, found.at.source.lastIndexOf(elementAt(found.words, word)))
  problems.push(createPasteProblem(found.at, code, RULE_PARSE_MESSAGES[code], offset))
  return undefined
}

/**
 * Returns the words of a rule without the words that an author wrote after its target. Undefined if the failure is
 * elsewhere in the rule.
 */
function withoutTrailingWords(words: readonly string[], { code, word }: RuleParseError): readonly string[] | undefined {
  const target = words.findIndex((each) => each === '-j' || each === '-g')
  if (code !== 'unexpectedWord' || target < 0 || word < target + 2) return undefined
  return words.slice(word).some((each) => /^--?[a-z]/.test(each)) ? undefined : words.slice(0, word)
}

function coverageOf(
  merged: readonly MergedTable[],
  fragments: readonly TableFragment[],
  listed: readonly string[],
  isWithoutGapOutside: boolean,
): SubsystemCoverage {
  const names = new Set<TableName>([
    ...fragments.flatMap((table) => (table.isWhole ? table.name : [])),
    ...(listed as readonly TableName[]),
  ])
  // On a node with kube-proxy, a command that prints all tables prints at least the nat and filter tables. A table that
  // such a command does not print is empty.
  const isOfAll =
    isWithoutGapOutside &&
    (['nat', 'filter'] as const).every((name) => fragments.some((table) => table.name === name && table.isOfAll))
  const absent = isOfAll ? TABLE_NAMES.filter((name) => fragments.every((table) => table.name !== name)) : []
  const isComplete = isOfAll && fragments.every((table) => table.isWhole)
  const tables = [...names, ...absent]
  return {
    isComplete,
    complete: [...tables, ...merged.flatMap(({ completeChains }) => completeChains)],
    empty: tables.filter((name) => merged.every(({ table }) => table.name !== name)),
    truncated: merged.flatMap(({ truncatedChains }) => truncatedChains),
  }
}

/** Returns the family of the first address in rules. */
function familyOfRules(rules: readonly PastedRule[]): IpFamily | undefined {
  for (const { words } of rules) {
    const family = familyOfRule(words)
    if (family !== undefined) return family
  }
  return undefined
}

/** Returns the family of the addresses or of the endpoint in a rule; undefined if the rule shows neither. */
function familyOfRule(words: readonly string[]): IpFamily | undefined {
  return inferFamilyFromOptions(words) ?? familyOfComment(words)
}

/** Returns the family of the endpoint in a comment of kube-proxy: `shop/web:http -> [fd00::1]:8080`. */
function familyOfComment(words: readonly string[]): IpFamily | undefined {
  const comment = words[words.indexOf('--comment') + 1] ?? ''
  const [, bracket] = / -> (\[?)[0-9a-f]/.exec(comment) ?? []
  if (bracket === undefined) return undefined
  return bracket === '[' ? 'IPv6' : 'IPv4'
}

/**
 * Returns the family of each rule, which follows from its addresses. A rule without addresses has the family of the
 * preceding rule.
 */
function familiesOfRules(rules: readonly PastedRule[], fallback: IpFamily): readonly IpFamily[] {
  let before = fallback
  return rules.map(({ words }) => {
    before = familyOfRule(words) ?? before
    return before
  })
}
