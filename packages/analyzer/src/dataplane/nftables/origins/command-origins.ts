import type { Element, Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  chainId,
  elementId,
  objectId,
  setId,
  tableId,
} from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { EMPTY_LINE_CONTENT, type LineContent, lineContentOf, rulesByMap, rulesOfRule } from './line-content.js'

/**
 * Returns a function for the origin of the next line of the commands that create a state. Rules of a chain, and
 * elements of a set, are in their order.
 */
export function createCommandOriginFinder({ tables }: NftablesState): (line: string) => LineContent {
  const readers = new Map(tables.map((table) => [tableId(table), commandsOf(table)]))
  return (line) => {
    const [, object = '', family = '', table = '', name = ''] =
      /^add (ct \S+|\S+) (\S+) (\S+)(?: (\S+))?/.exec(line) ?? []
    return readers.get(`nftables ${family} ${table}`)?.(object, name) ?? EMPTY_LINE_CONTENT
  }
}

function commandsOf(table: Table): (object: string, name: string) => LineContent {
  const rules = new Map<string, Iterator<Rule>>(table.chains.map(({ name, rules }) => [name, rules.values()]))
  const elements = new Map<string, Iterator<Element>>(table.sets.map(({ name, elements }) => [name, elements.values()]))
  const rulesOfMap = rulesByMap(table)
  return (object, name) => {
    switch (object) {
      case 'table':
        return lineContentOf(tableId(table))
      case 'chain':
        return lineContentOf(chainId(table, name))
      case 'set':
      case 'map':
        return lineContentOf(setId(table, name))
      case 'rule': {
        const rule: Rule | undefined = rules.get(name)?.next().value
        return lineContentOf(chainId(table, name), rule && (() => rulesOfRule(table, name, rule)))
      }
      case 'element': {
        const element: Element | undefined = elements.get(name)?.next().value
        if (element === undefined) return lineContentOf(setId(table, name))
        return lineContentOf(elementId(table, { set: name, element }), () => rulesOfMap(name, [element]))
      }
      default:
        return lineContentOf(objectId(table, name))
    }
  }
}
