import { type Cidr, cidrContains } from '@kube-rules/types'
import { EMPTY_MAP, type LayeredMap, valueAt, withValues } from '../internal/layered-map.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { isObject } from '../reading/read-field.js'
import type { ServiceGroup } from './group-objects.js'

/**
 * What groups may have to do with a node, each as a text: groups that have none of the texts of two nodes come to the same
 * on both. A group may have more than matter.
 */
export interface NodeTies {
  /** The keys of the groups with a text. */
  readonly groups: LayeredMap<readonly string[]>
  /** Every source range of some group, and perhaps some that are gone. */
  readonly ranges: ReadonlyMap<string, Cidr>
}

export const NO_TIES: NodeTies = { groups: EMPTY_MAP, ranges: new Map<string, Cidr>() }

/** Of groups with zone hints. */
export const ZONE_HINTS = 'zone hints'

/** Of groups with an endpoint that is on a node, or meant for it. */
function nodeTie(name: string): string {
  return `node ${name}`
}

/** Of groups whose Service claims an address, which may be one of a node. */
function addressTie(address: string): string {
  return `address ${address}`
}

/** Of groups whose Service accepts a network, in which a node may be. */
function rangeTie({ text }: Cidr): string {
  return `range ${text}`
}

/** What one node may have to do with groups. */
export interface TiesOfNode {
  readonly texts: readonly string[]
  /** The source ranges against which it was held. */
  readonly ranges: NodeTies['ranges']
}

/** `earlier` are those of the same node. */
export function tiesOfNode(
  families: readonly NodeOfFamily[],
  { ranges }: NodeTies,
  earlier: TiesOfNode | undefined,
): TiesOfNode {
  if (earlier?.ranges === ranges) return earlier
  const texts = families.flatMap(({ node }) => [
    nodeTie(node.name),
    ...node.addresses.map(({ address }) => addressTie(address)),
    ...Array.from(ranges.values())
      .filter((range) => cidrContains(range, node.ip))
      .map(rangeTie),
  ])
  return { texts: [...new Set(texts)], ranges }
}

/** The keys of the groups with any of these texts, each once, in code-unit order. */
export function tiedGroups({ groups }: NodeTies, texts: readonly string[]): readonly string[] {
  const keys = new Set<string>()
  for (const text of texts) for (const key of valueAt(groups, text) ?? []) keys.add(key)
  return [...keys].sort()
}

/** The ties after some groups have gone and others have come; a changed group is in both. */
export function exchangeTies(
  { groups, ranges }: NodeTies,
  removed: readonly ServiceGroup[],
  added: readonly ServiceGroup[],
): NodeTies {
  const lists = new Map<string, Set<string>>()
  const listAt = (text: string): Set<string> => {
    const list = lists.get(text) ?? new Set(valueAt(groups, text))
    lists.set(text, list)
    return list
  }
  const before = new Map(removed.map((group) => [group.key, new Set(tiesOf(group))]))
  for (const group of added) {
    const texts = tiesOf(group)
    const known = before.get(group.key)
    for (const text of texts) if (!known?.delete(text)) listAt(text).add(group.key)
  }
  for (const [key, texts] of before) for (const text of texts) listAt(text).delete(key)
  const values = Array.from(lists, ([text, keys]) => [text, keys.size === 0 ? undefined : [...keys]] as const)
  return { groups: withValues(groups, new Map(values)), ranges: withRanges(ranges, added) }
}

function withRanges(ranges: ReadonlyMap<string, Cidr>, added: readonly ServiceGroup[]): ReadonlyMap<string, Cidr> {
  const come = added.flatMap(rangesOf).filter(({ text }) => !ranges.has(text))
  return come.length === 0 ? ranges : new Map([...ranges, ...come.map((range) => [range.text, range] as const)])
}

function rangesOf({ service }: ServiceGroup): readonly Cidr[] {
  return service?.facts?.sourceRanges ?? []
}

/** What a group may have to do with nodes, each text once; nothing where there are no rules for it. */
export function tiesOf(group: ServiceGroup): readonly string[] {
  const texts = new Set<string>()
  const facts = group.service?.facts
  if (facts === undefined) return []
  for (const address of Object.values(facts.clusterIPs)) if (address !== undefined) texts.add(addressTie(address))
  for (const { text } of facts.externalIPs) texts.add(addressTie(text))
  for (const { text } of facts.loadBalancerIPs) texts.add(addressTie(text))
  for (const range of facts.sourceRanges) texts.add(rangeTie(range))
  for (const { given } of group.slices)
    for (const endpoint of itemsOf(fieldOf(given, 'endpoints'))) addEndpointTies(texts, endpoint)
  for (const subset of itemsOf(group.endpoints?.fields?.subsets)) {
    for (const address of itemsOf(fieldOf(subset, 'addresses'))) addEndpointTies(texts, address)
    for (const address of itemsOf(fieldOf(subset, 'notReadyAddresses'))) addEndpointTies(texts, address)
  }
  return [...texts]
}

// Endpoints are looked at as they are given: where several have one address, who counts may depend on the node.

function addEndpointTies(texts: Set<string>, endpoint: unknown): void {
  const hints = fieldOf(endpoint, 'hints')
  const hinted = itemsOf(fieldOf(hints, 'forNodes')).map((node) => fieldOf(node, 'name'))
  for (const name of [fieldOf(endpoint, 'nodeName'), ...hinted]) if (typeof name === 'string') texts.add(nodeTie(name))
  if (itemsOf(fieldOf(hints, 'forZones')).length > 0) texts.add(ZONE_HINTS)
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
