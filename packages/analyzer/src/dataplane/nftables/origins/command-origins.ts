import type { Element, Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  formatChainId,
  formatElementId,
  formatObjectId,
  formatSetId,
  formatTableId,
} from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import {
  createLineContent,
  createMapRuleFinder,
  EMPTY_LINE_CONTENT,
  type LineContent,
  listTraceRules,
} from './line-content.js'

/**
 * Returns a function for the origin of the next line of the commands that create a state. Rules of a chain, and
 * elements of a set, are in their order.
 */
export function createCommandOriginFinder({ tables }: NftablesState): (line: string) => LineContent {
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
