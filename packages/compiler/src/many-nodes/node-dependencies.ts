import type { Cidr } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { addToGroup } from '../internal/group-items.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import { isObject } from '../model/reading/read-field.js'
import type { ServiceGroup } from '../model/services/group-objects.js'
import type { ServiceFacts } from '../model/services/service-facts.js'

/**
 * The node dependencies of Service groups, as strings such as `node node-1`. A group has the same rules on two nodes if
 * each dependency of the group applies to both nodes or to neither. A group may have unnecessary dependencies.
 */
export interface NodeDependencies {
  /** Maps each dependency to the keys of the Service groups that have it. The keys are in the order of the groups. */
  readonly groups: ReadonlyMap<string, readonly string[]>
  /** The source ranges of the Services in all groups. */
  readonly ranges: readonly Cidr[]
}

export function findNodeDependencies(groups: readonly ServiceGroup[]): NodeDependencies {
  const byText = new Map<string, string[]>()
  const ranges = new Map<string, Cidr>()
  for (const group of groups) {
    for (const text of dependenciesOf(group)) addToGroup(byText, text, group.key)
    for (const { network } of group.service?.facts?.sourceRanges ?? []) ranges.set(network.text, network)
  }
  return { groups: byText, ranges: [...ranges.values()] }
}

/** The dependency of Service groups that have endpoints with zone hints. */
export const ZONE_HINTS_DEPENDENCY = 'zone hints'

/** Returns the dependency of Service groups that have an endpoint on a node or an endpoint with a hint for the node. */
function nodeDependency(name: string): string {
  return `node ${name}`
}

/** Returns the dependency of Service groups with a Service address that may be an address of a node. */
function addressDependency(address: string): string {
  return `address ${address}`
}

/** Returns the dependency of Service groups with a source range that may contain the IP of a node. */
function rangeDependency({ text }: Cidr): string {
  return `range ${text}`
}

/** Returns the dependencies that apply to a node because of its name, its addresses or its node IP. */
export function dependenciesOfNode(
  families: readonly FamilyNodeContext[],
  { ranges }: NodeDependencies,
): readonly string[] {
  return families.flatMap(({ node }) => [
    nodeDependency(node.name),
    ...node.addresses.map(({ address }) => addressDependency(address)),
    ...ranges.filter((range) => cidrContains(range, node.ip)).map(rangeDependency),
  ])
}

/** Returns the distinct keys of the Service groups with any of these dependencies, in code-unit order. */
export function findDependentGroups({ groups }: NodeDependencies, texts: readonly string[]): readonly string[] {
  const keys = new Set<string>()
  for (const text of texts) for (const key of groups.get(text) ?? []) keys.add(key)
  return [...keys].sort()
}

/** Returns the distinct dependencies of a Service group. A group without rules depends only on its endpoints. */
function dependenciesOf(group: ServiceGroup): readonly string[] {
  const texts = new Set<string>()
  if (group.service?.facts !== undefined) addServiceDependencies(texts, group.service.facts)
  for (const { original } of group.slices)
    for (const endpoint of itemsOf(fieldOf(original, 'endpoints'))) addEndpointDependencies(texts, endpoint)
  for (const subset of itemsOf(group.endpoints?.fields?.subsets)) {
    for (const address of itemsOf(fieldOf(subset, 'addresses'))) addEndpointDependencies(texts, address)
    for (const address of itemsOf(fieldOf(subset, 'notReadyAddresses'))) addEndpointDependencies(texts, address)
  }
  return [...texts]
}

function addServiceDependencies(texts: Set<string>, facts: ServiceFacts): void {
  for (const address of Object.values(facts.clusterIPs))
    if (address !== undefined) texts.add(addressDependency(address))
  for (const { text } of facts.externalIPs) texts.add(addressDependency(text))
  for (const { text } of facts.loadBalancerIPs) texts.add(addressDependency(text))
  for (const { network } of facts.sourceRanges) texts.add(rangeDependency(network))
}

// Adds the dependencies of an endpoint. Endpoints with the same address are not merged, because their precedence may
// depend on the node.

function addEndpointDependencies(texts: Set<string>, endpoint: unknown): void {
  const hints = fieldOf(endpoint, 'hints')
  const hinted = itemsOf(fieldOf(hints, 'forNodes')).map((node) => fieldOf(node, 'name'))
  for (const name of [fieldOf(endpoint, 'nodeName'), ...hinted])
    if (typeof name === 'string') texts.add(nodeDependency(name))
  if (itemsOf(fieldOf(hints, 'forZones')).length > 0) texts.add(ZONE_HINTS_DEPENDENCY)
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
