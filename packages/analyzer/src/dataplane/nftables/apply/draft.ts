import type {
  BaseChain,
  Chain,
  Element,
  NamedObject,
  NamedSet,
  Rule,
  SetDefinition,
  Table,
  TableFamily,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  chainOfVerdict,
  chainsOfRule,
  countersOfRule,
  setsOfRule,
} from '@kube-rules/compiler/internal/dataplane/nftables/references'

/** A table during a transaction. */
export interface DraftTable {
  readonly family: TableFamily
  readonly name: string
  readonly comment?: string | undefined
  flags?: readonly string[] | undefined
  readonly handle?: number | undefined
  readonly chains: Map<string, DraftChain>
  readonly sets: Map<string, DraftSet>
  readonly objects: Map<string, DraftObject>
}

export interface DraftChain {
  readonly name: string
  base?: BaseChain | undefined
  readonly comment?: string | undefined
  readonly handle?: number | undefined
  rules: Rule[]
  /** The number of rules and elements that refer to this chain. */
  uses: number
}

export interface DraftSet {
  definition: SetDefinition
  readonly handle?: number | undefined
  readonly elements: Map<string, Element>
  /** The number of rules that refer to this set. */
  uses: number
}

export interface DraftObject {
  readonly object: NamedObject
  uses: number
}

/** Creates a draft with the content of a table. The table is not modified. */
export function createDraftTable(table: Table): DraftTable {
  const { chains, sets, objects, ...head } = table
  const draft: DraftTable = {
    ...head,
    chains: new Map(chains.map((chain) => [chain.name, { ...chain, rules: [...chain.rules], uses: 0 }])),
    sets: new Map(sets.map((set) => [set.name, draftSet(set)])),
    objects: new Map(objects.map((object) => [formatObjectKey(object), { object, uses: 0 }])),
  }
  for (const { rules } of chains) for (const rule of rules) adjustRuleChainUses(draft, rule, 1)
  for (const { elements } of sets) for (const element of elements) adjustElementChainUses(draft, element, 1)
  return draft
}

function draftSet(set: NamedSet): DraftSet {
  const { elements, handle, ...definition } = set
  return { definition, handle, elements: new Map(elements.map((element) => [element.key, element])), uses: 0 }
}

/**
 * Returns the lookup key of an object. The key contains the kind, because objects of different kinds may have the same
 * name.
 */
export function formatObjectKey(object: NamedObject): string {
  return `${object.kind === 'counter' ? 'counter' : object.type} ${object.name}`
}

/** Adds `1` or `-1` to the use counts of everything that a rule refers to. */
export function adjustRuleChainUses(table: DraftTable, rule: Rule, step: 1 | -1): void {
  for (const chain of chainsOfRule(rule)) countChain(table, chain, step)
  for (const name of setsOfRule(rule)) {
    const set = table.sets.get(name)
    if (set !== undefined) set.uses += step
  }
  for (const name of countersOfRule(rule)) {
    const counter = table.objects.get(`counter ${name}`)
    if (counter !== undefined) counter.uses += step
  }
}

/** Adds to the use count of the chain that an element refers to. */
export function adjustElementChainUses(table: DraftTable, element: Element, step: 1 | -1): void {
  const chain = chainOfVerdict(element.verdict)
  if (chain !== undefined) countChain(table, chain, step)
}

function countChain(table: DraftTable, name: string, step: 1 | -1): void {
  const chain = table.chains.get(name)
  if (chain !== undefined) chain.uses += step
}

/** Converts a draft to a table. */
export function draftToTable(draft: DraftTable): Table {
  const { chains, sets, objects, ...head } = draft
  return {
    ...head,
    chains: Array.from(chains.values(), closeChain),
    sets: Array.from(sets.values(), closeSet),
    objects: Array.from(objects.values(), ({ object }) => object),
  }
}

function closeChain({ uses: _, ...chain }: DraftChain): Chain {
  return chain
}

function closeSet({ definition, handle, elements }: DraftSet): NamedSet {
  return { ...definition, ...(handle !== undefined && { handle }), elements: [...elements.values()] }
}
