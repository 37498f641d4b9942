import { type Cidr, cidrContains } from '@kube-rules/types'
import type { NodeOfFamily } from '../model/node/resolve-node.js'
import { isObject } from '../model/reading/read-field.js'
import type { ServiceGroup } from '../model/services/group-objects.js'

/**
 * What groups may have to do with a node, each as a text: groups that have none of the texts of two nodes come to the same
 * on both. A group may have more than matter.
 */
export interface NodeTies {
  /** The keys of the groups with a text, in the order of the groups. */
  readonly groups: ReadonlyMap<string, readonly string[]>
  /** The source ranges of all groups. */
  readonly ranges: readonly Cidr[]
}

export function nodeTies(groups: readonly ServiceGroup[]): NodeTies {
  const byText = new Map<string, string[]>()
  const ranges = new Map<string, Cidr>()
  for (const group of groups) {
    for (const text of tiesOf(group)) {
      const keys = byText.get(text)
      if (keys === undefined) byText.set(text, [group.key])
      else keys.push(group.key)
    }
    for (const range of group.service?.facts?.sourceRanges ?? []) ranges.set(range.text, range)
  }
  return { groups: byText, ranges: [...ranges.values()] }
}

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
export function tiesOfNode(families: readonly NodeOfFamily[], { ranges }: NodeTies): readonly string[] {
  return families.flatMap(({ node }) => [
    nodeTie(node.name),
    ...node.addresses.map(({ address }) => addressTie(address)),
    ...ranges.filter((range) => cidrContains(range, node.ip)).map(rangeTie),
  ])
}

/** The keys of the groups with any of these texts, each once, in code-unit order. */
export function tiedGroups({ groups }: NodeTies, texts: readonly string[]): readonly string[] {
  const keys = new Set<string>()
  for (const text of texts) for (const key of groups.get(text) ?? []) keys.add(key)
  return [...keys].sort()
}

/** What a group may have to do with nodes, each text once; nothing where there are no rules for it. */
function tiesOf(group: ServiceGroup): readonly string[] {
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
