import type { Chain, Element, NamedSet, Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { findResourceOwners } from '@kube-rules/compiler/internal/dataplane/nftables/claims'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { keyTypesOf } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-types'
import { toListedForm } from '@kube-rules/compiler/internal/dataplane/nftables/listed-form'
import { countElementsPerLine } from '@kube-rules/compiler/internal/dataplane/nftables/print/print-listing'
import {
  formatChainId,
  formatElementId,
  formatObjectId,
  formatSetId,
  formatTableId,
} from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { SubsystemFormatOptions } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { LineOrigin, RuleWithId } from '../netfilter/line-origin.js'
import { anonymousElementsOfRule, restrictRuleToElement, verdictMapOfRule } from './rule-with-element.js'

/** Returns the origin of each printed line: a table, a chain or rule of the table, or a set or elements of the set. */
export function findLineOrigins(
  lines: readonly string[],
  state: NftablesState,
  { format }: SubsystemFormatOptions,
): readonly LineOrigin[] {
  const owners = memoize(state, findResourceOwners)
  const findOrigin = format === 'save' ? createListingOriginLookup(state) : createCommandOriginLookup(state)
  return lines.map((line) => {
    const { places, ...origin } = findOrigin(line)
    const [owner = '', ...others] = new Set(places.map((place) => owners.get(place) ?? ''))
    return { ...origin, owner: others.length === 0 ? owner : '' }
  })
}

/**
 * Returns a function that finds the origin of the next line of the commands that create a state. The rules of a chain
 * and the elements of a set must be in the order of the state.
 */
export function createCommandOriginLookup({ tables }: NftablesState): (line: string) => LineContent {
  const readers = new Map(tables.map((table) => [formatTableId(table), commandsOf(table)]))
  return (line) => {
    const [, object = '', family = '', table = '', name = ''] =
      /^add (ct \S+|\S+) (\S+) (\S+)(?: (\S+))?/.exec(line) ?? []
    return readers.get(`nftables ${family} ${table}`)?.(object, name) ?? EMPTY_LINE_CONTENT
  }
}

function commandsOf(table: Table): (object: string, name: string) => LineContent {
  const rules = new Map<string, Iterator<Rule>>(table.chains.map(({ name, rules }) => [name, rules.values()]))
  const elements = new Map<string, Iterator<Element>>(table.sets.map(({ name, elements }) => [name, elements.values()]))
  const rulesOfMap = createMapRuleFinder(table)
  return (object, name) => {
    switch (object) {
      case 'table':
        return createLineContent(formatTableId(table))
      case 'chain':
        return createLineContent(formatChainId(table, name))
      case 'set':
      case 'map':
        return createLineContent(formatSetId(table, name))
      case 'rule': {
        const rule: Rule | undefined = rules.get(name)?.next().value
        return createLineContent(formatChainId(table, name), rule && (() => listTraceRules(table, name, rule)))
      }
      case 'element': {
        const element: Element | undefined = elements.get(name)?.next().value
        if (element === undefined) return createLineContent(formatSetId(table, name))
        return createLineContent(formatElementId(table, { set: name, element }), () => rulesOfMap(name, [element]))
      }
      default:
        return createLineContent(formatObjectId(table, name))
    }
  }
}

type Reader = (line: string) => LineContent

/**
 * Returns a function that finds the origin of the next line in the listing of a state. The function starts again at
 * each table and at each block of a table.
 */
export function createListingOriginLookup({ tables }: NftablesState): Reader {
  const left = tables.values()
  let table: Reader = () => EMPTY_LINE_CONTENT
  return (line) => {
    if (!line.startsWith('table ')) return table(line)
    const next: Table | undefined = left.next().value
    if (next === undefined) return EMPTY_LINE_CONTENT
    table = readerOfTable(toListedForm(next, '1.1'))
    return createLineContent(formatTableId(next))
  }
}

function readerOfTable(table: Table): Reader {
  const nothing: Reader = () => EMPTY_LINE_CONTENT
  const ofTable: Reader = (line) => (/^\t\S/.test(line) ? createLineContent(formatTableId(table)) : EMPTY_LINE_CONTENT)
  const chains = new Map(table.chains.map((chain) => [chain.name, chain]))
  const sets = new Map(table.sets.map((set) => [set.name, set]))
  const rulesOfMap = createMapRuleFinder(table)
  let block = ofTable
  return (line) => {
    const [, kind, name = ''] = /^\t(\S+(?: \S+)?) (\S+) \{$/.exec(line) ?? []
    if (kind === undefined) {
      const content = block(line)
      if (line === '\t}') block = nothing
      return content
    }
    const [chain, set] = [kind === 'chain' && chains.get(name), /^(?:set|map)$/.test(kind) && sets.get(name)]
    if (chain) block = readerOfChain(table, chain)
    else if (set) block = readerOfSet(table, set, rulesOfMap)
    else block = () => createLineContent(formatObjectId(table, name))
    return block(line)
  }
}

/** Reads the block of a chain. The rules are the last lines before the closing brace. */
function readerOfChain(table: Table, { name, rules, base, comment }: Chain): Reader {
  const content = createLineContent(formatChainId(table, name))
  const heading = 1 + (comment === undefined ? 0 : 1) + (base === undefined ? 0 : 1)
  let line = 0
  return () => {
    const rule = rules[line++ - heading]
    return rule === undefined ? content : createLineContent(content.location, () => listTraceRules(table, name, rule))
  }
}

/** Reads the block of a set; a line may have several elements. */
function readerOfSet(table: Table, set: NamedSet, rulesOfMap: ReturnType<typeof createMapRuleFinder>): Reader {
  const content = createLineContent(formatSetId(table, set.name))
  const perLine = countElementsPerLine(keyTypesOf(set))
  let first = 0
  return (line) => {
    if (!/^\t\t(?:elements = \{ |\t)/.test(line)) return content
    const elements = set.elements.slice(first, first + perLine)
    first += perLine
    const places = elements.map((element) => formatElementId(table, { set: set.name, element }))
    const [place = content.location, ...others] = places
    return {
      location: others.length === 0 ? place : content.location,
      places,
      rules: () => rulesOfMap(set.name, elements),
    }
  }
}

/** The content of a line of a table. */
interface LineContent extends Omit<LineOrigin, 'owner'> {
  /** The ids of all resources on the line, for finding their owners. */
  readonly places: readonly string[]
}

/** The content of a structural line. */
const EMPTY_LINE_CONTENT: LineContent = { location: '', places: [] }

function createLineContent(location: string, rules?: () => readonly RuleWithId[]): LineContent {
  return { location, places: [location], ...(rules && { rules }) }
}

/**
 * Returns a rule in the format of trace steps: the complete rule, and the rule with each individual element of its
 * inline map.
 */
function listTraceRules(table: Table, chain: string, rule: Rule): readonly RuleWithId[] {
  const location = formatChainId(table, chain)
  const withElements = anonymousElementsOfRule(rule).map((element) => restrictRuleToElement(rule, element))
  return [rule, ...withElements].map((each) => ({ location, text: formatNftRule(each) }))
}

/**
 * Returns a function that finds the rules with a lookup in a named map, by the name of the map. A trace step shows such
 * a rule with one element of the map.
 */
function createMapRuleFinder(table: Table): (map: string, elements: readonly Element[]) => readonly RuleWithId[] {
  const deciding = table.chains.flatMap(({ name, rules }) =>
    rules.flatMap((rule) => {
      const map = verdictMapOfRule(rule)
      return map === undefined ? [] : [{ map, rule, place: formatChainId(table, name) }]
    }),
  )
  return (map, elements) =>
    deciding
      .filter((each) => each.map === map)
      .flatMap(({ rule, place: location }) =>
        elements.map((element) => ({ location, text: formatNftRule(restrictRuleToElement(rule, element)) })),
      )
}
