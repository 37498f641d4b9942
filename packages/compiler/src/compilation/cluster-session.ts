import { cidrContains, type Node } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { isSameList } from '../internal/is-same-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { referenceOf } from '../reading/metadata.js'
import type { ObjectLists } from '../reading/object-changes.js'
import {
  addressTie,
  exchangeTies,
  NO_TIES,
  type NodeTies,
  nodeTie,
  rangeTie,
  tiedGroups,
  ZONE_HINTS,
} from '../services/node-ties.js'
import {
  type CompileContext,
  type ContextWithOrigin,
  contextOf,
  isSameOrigin,
  originOf,
  type ResolvedSource,
} from './compile-context.js'
import { type Fork, fork, sessionOfFork } from './fork.js'
import { advance, clusterChange, emptySession, recordAt, type Session, step } from './session.js'

/**
 * What is known of a cluster whatever the node. The session of a node is forked from that of a neutral node: one on which
 * no endpoint is, with no address, in the same zone.
 */
export interface ClusterSession {
  readonly source: ResolvedSource
  readonly nodes: NodesByName
  /** The sessions of neutral nodes, never none. One more is added when a node comes for which there is none. */
  readonly bases: [Session, ...Session[]]
  readonly ties: NodeTies
}

/** The Nodes there are; of two with one name the first counts. */
export interface NodesByName {
  readonly list: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
}

export function nodesByName(list: readonly Node[]): NodesByName {
  const byName = new Map<string, Node>()
  for (const node of list) {
    const { name } = referenceOf('Node', node)
    if (!byName.has(name)) byName.set(name, node)
  }
  return { list, byName }
}

/** A cluster with these objects. `nodeName` is that of some node for which rules are wanted. */
export function newCluster(
  source: ResolvedSource,
  nodes: NodesByName,
  lists: ObjectLists,
  nodeName: string,
): ClusterSession {
  const { context } = contextOfNode(source, nodes, nodeName)
  const base = step(emptySession(neutral(context)), lists)
  const groups = base.records.map(({ group }) => group)
  return { source, nodes, bases: [base], ties: exchangeTies(NO_TIES, [], groups) }
}

/** The cluster after its objects and Nodes have become these, at the cost of what changed. */
export function stepCluster(before: ClusterSession, nodes: NodesByName, lists: ObjectLists): ClusterSession {
  const [first, ...others] = before.bases
  const change = clusterChange(first, lists)
  if (change === undefined) return nodes === before.nodes ? before : { ...before, nodes }
  const base = advance(first, change)
  const removed = change.groups.flatMap(({ key }) => recordAt(first, key)?.group ?? [])
  return {
    source: before.source,
    nodes,
    bases: [base, ...others.map((other) => advance(other, change, base))],
    ties: exchangeTies(before.ties, removed, change.groups),
  }
}

/** What is otherwise on one node; `earlier`, what was otherwise there before, where nothing has changed for the node since. */
export function forkCluster(cluster: ClusterSession, nodeName: string, earlier?: Fork): Fork {
  const found = contextOfNode(cluster.source, cluster.nodes, nodeName, earlier)
  const base = baseFor(cluster, found.context)
  if (earlier?.base === base && earlier.context === found.context) return earlier
  const keys = tiedGroups(cluster.ties, tiesOfNode(found.context, cluster.ties))
  return fork(base, sharingSettings(found, base.context), keys, earlier)
}

/** The context of a node whose Node is among those given depends on no other. */
function contextOfNode(
  source: ResolvedSource,
  { list, byName }: NodesByName,
  nodeName: string,
  earlier?: ContextWithOrigin,
): ContextWithOrigin {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  const nodes = node === undefined ? list : [node]
  const origin = originOf(source, nodes, nodeName)
  if (earlier !== undefined && isSameOrigin(earlier.origin, origin)) return earlier
  return { context: kept(contextOf(source, nodes, nodeName), earlier?.context), origin }
}

function tiesOfNode({ families }: CompileContext, { ranges }: NodeTies): readonly string[] {
  return families.flatMap(({ node }) => [
    nodeTie(node.name),
    ...node.addresses.map(({ address }) => addressTie(address)),
    ...Array.from(ranges.values())
      .filter((range) => cidrContains(range, node.ip))
      .map(rangeTie),
  ])
}

/** The session from which that of a node is forked. */
function baseFor({ bases, ties }: ClusterSession, context: CompileContext): Session {
  const known = bases.find((base) => isOfEqualNodes(base.context, context) && isOfOneZone(base.context, context))
  if (known !== undefined) return known
  const [first] = bases
  const keys = isOfEqualNodes(first.context, context)
    ? tiedGroups(ties, [ZONE_HINTS])
    : first.records.map(({ group }) => group.key)
  const session = sessionOfFork(fork(first, neutral(context), keys))
  bases.push(session)
  return session
}

/** Whether all service ports depend on the same of two nodes, their zones apart. */
function isOfEqualNodes({ families }: CompileContext, { families: others }: CompileContext): boolean {
  const tellsPods = ({ node }: NodeOfFamily) => node.podTraffic !== undefined
  return families.every((each, index) => {
    const other = others[index]
    return other !== undefined && tellsPods(each) === tellsPods(other) && sameValue(each.settings, other.settings)
  })
}

function isOfOneZone({ families }: CompileContext, { families: others }: CompileContext): boolean {
  return families.every(({ node }, index) => node.zone === others[index]?.node.zone)
}

/** The context of the node that is like this one and of which nothing more is known. */
function neutral(context: CompileContext): ContextWithOrigin {
  const families = context.families.map(({ node, ...rest }) => ({
    ...rest,
    node: { ...node, name: '', ip: '', addresses: [], podCidrs: [] },
  }))
  return { context: { ...context, nodeName: '', families, diagnostics: [] }, origin: { given: [], nodes: [] } }
}

/** Settings are long and mostly the same on all nodes. */
function sharingSettings({ context, origin }: ContextWithOrigin, { families }: CompileContext): ContextWithOrigin {
  if (context.families.every(({ settings }, index) => settings === families[index]?.settings))
    return { context, origin }
  const shared = context.families.map((each, index) => ({
    ...each,
    settings: kept(each.settings, families[index]?.settings),
  }))
  return { context: { ...context, families: shared }, origin }
}
