import type { Chain, NamedSet, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { keyTypes } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-types'
import { toListedForm } from '@kube-rules/compiler/internal/dataplane/nftables/listed-form'
import { elementsPerLine } from '@kube-rules/compiler/internal/dataplane/nftables/print/print-listing'
import {
  chainId,
  elementId,
  objectId,
  setId,
  tableId,
} from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { EMPTY_LINE_CONTENT, type LineContent, lineContentOf, rulesByMap, rulesOfRule } from './line-content.js'

type Reader = (line: string) => LineContent

/**
 * Returns a function for the origin of the next line of the listing of a state. It restarts with each table and each of
 * its blocks.
 */
export function createListingOriginFinder({ tables }: NftablesState): Reader {
  const left = tables.values()
  let table: Reader = () => EMPTY_LINE_CONTENT
  return (line) => {
    if (!line.startsWith('table ')) return table(line)
    const next: Table | undefined = left.next().value
    if (next === undefined) return EMPTY_LINE_CONTENT
    table = readerOfTable(toListedForm(next, '1.1'))
    return lineContentOf(tableId(next))
  }
}

function readerOfTable(table: Table): Reader {
  const nothing: Reader = () => EMPTY_LINE_CONTENT
  const ofTable: Reader = (line) => (/^\t\S/.test(line) ? lineContentOf(tableId(table)) : EMPTY_LINE_CONTENT)
  const chains = new Map(table.chains.map((chain) => [chain.name, chain]))
  const sets = new Map(table.sets.map((set) => [set.name, set]))
  const rulesOfMap = rulesByMap(table)
  let block = ofTable
  return (line) => {
    const [, kind, name = ''] = /^\t(\S+(?: \S+)?) (\S+) \{$/.exec(line) ?? []
    if (kind === undefined) {
      const said = block(line)
      if (line === '\t}') block = nothing
      return said
    }
    const [chain, set] = [kind === 'chain' && chains.get(name), /^(?:set|map)$/.test(kind) && sets.get(name)]
    if (chain) block = readerOfChain(table, chain)
    else if (set) block = readerOfSet(table, set, rulesOfMap)
    else block = () => lineContentOf(objectId(table, name))
    return block(line)
  }
}

/** Reads the block of a chain: rules are its last lines before the closing brace. */
function readerOfChain(table: Table, { name, rules, base, comment }: Chain): Reader {
  const said = lineContentOf(chainId(table, name))
  const heading = 1 + (comment === undefined ? 0 : 1) + (base === undefined ? 0 : 1)
  let line = 0
  return () => {
    const rule = rules[line++ - heading]
    return rule === undefined ? said : lineContentOf(said.location, () => rulesOfRule(table, name, rule))
  }
}

/** Reads the block of a set; a line may have several elements. */
function readerOfSet(table: Table, set: NamedSet, rulesOfMap: ReturnType<typeof rulesByMap>): Reader {
  const said = lineContentOf(setId(table, set.name))
  const perLine = elementsPerLine(keyTypes(set))
  let first = 0
  return (line) => {
    if (!/^\t\t(?:elements = \{ |\t)/.test(line)) return said
    const elements = set.elements.slice(first, first + perLine)
    first += perLine
    const places = elements.map((element) => elementId(table, { set: set.name, element }))
    const [place = said.location, ...others] = places
    return {
      location: others.length === 0 ? place : said.location,
      places,
      rules: () => rulesOfMap(set.name, elements),
    }
  }
}
