import type { Node } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { itemsOf } from '../internal/chunked-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { referenceOf } from '../reading/metadata.js'
import type { ObjectLists } from '../reading/object-changes.js'
import {
  exchangeTies,
  NO_TIES,
  type NodeTies,
  type TiesOfNode,
  tiedGroups,
  tiesOf,
  tiesOfNode,
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
import { type Fork, fork, rebase, sessionOfFork } from './fork.js'
import { advance, clusterChange, emptySession, recordAt, type Session, step } from './session.js'

/**
 * What is known of a cluster whatever the node. The session of a node is forked from that of a neutral node: one on which
 * no endpoint is, with no address, in the same zone.
 */
export interface ClusterSession {
  readonly from: ContextOrigin
  /** The sessions of neutral nodes, never none. One more is added when a node comes for which there is none. */
  readonly bases: [Session, ...Session[]]
  readonly ties: NodeTies
  /** The step that led here: to the nodes it has nothing to do with it makes no difference but what it makes to their base. */
  readonly last?: ClusterStep | undefined
}

interface ClusterStep {
  readonly before: readonly Session[]
  /** What nodes have to do with the groups that have changed. */
  readonly texts: ReadonlySet<string>
}

/** What contexts of nodes are made of. */
export interface ContextOrigin {
  readonly source: ResolvedSource
  readonly nodes: NodesByName
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

/**
 * A cluster with these objects. `nodeName` is that of some node for which rules are wanted, `resumed` the cluster before
 * everything had to be computed anew.
 */
export function newCluster(
  from: ContextOrigin,
  lists: ObjectLists,
  nodeName: string,
  resumed?: ClusterSession,
): ClusterSession {
  const { context } = contextOfNode(from, nodeName)
  const base = step(emptySession(neutral(context), resumed?.bases[0]), lists)
  const groups = itemsOf(base.records).map(({ group }) => group)
  return { from, bases: [base], ties: exchangeTies(NO_TIES, [], groups) }
}

/** The cluster after its objects and Nodes have become these, at the cost of what changed. */
export function stepCluster(before: ClusterSession, nodes: NodesByName, lists: ObjectLists): ClusterSession {
  const [first, ...others] = before.bases
  const from = nodes === before.from.nodes ? before.from : { ...before.from, nodes }
  const change = clusterChange(first, lists)
  if (change === undefined) return from === before.from ? before : { ...before, from }
  const base = advance(first, change)
  const removed = change.groups.flatMap(({ key }) => recordAt(first, key)?.group ?? [])
  return {
    from,
    bases: [base, ...others.map((other) => advance(other, change, base))],
    ties: exchangeTies(before.ties, removed, change.groups),
    last: { before: [first, ...others], texts: new Set([...removed, ...change.groups].flatMap(tiesOf)) },
  }
}

/** A fork of the session of a neutral node, and what the node may have to do with Services. */
export interface NodeFork extends Fork {
  readonly nodeName: string
  readonly ties: TiesOfNode
  /** What its context was made of, with its name. */
  readonly from: ContextOrigin
}

/** What is otherwise on one node; `earlier`, what was otherwise there before, where nothing has changed for the node since. */
export function forkCluster(cluster: ClusterSession, nodeName: string, earlier?: NodeFork): NodeFork {
  const found = contextIn(cluster, nodeName, earlier)
  const base = baseFor(cluster, found.context)
  const known = earlier?.context === found.context ? earlier : undefined
  const ties = tiesOfNode(found.context.families, cluster.ties, known?.ties)
  if (known?.base === base) return known
  const own = { nodeName, ties, from: cluster.from }
  if (known !== undefined && isUntouched(cluster, known.base, base, ties)) return { ...rebase(known, base), ...own }
  const keys = tiedGroups(cluster.ties, ties.texts)
  return { ...fork(base, sharingSettings(found, base.context), keys, known), ...own }
}

function contextIn({ from }: ClusterSession, nodeName: string, earlier: NodeFork | undefined): ContextWithOrigin {
  if (earlier?.from === from && earlier.nodeName === nodeName) return earlier
  return contextOfNode(from, nodeName, earlier)
}

/** Whether a node has nothing to do with what has changed from one of its bases to the other. */
function isUntouched({ bases, last }: ClusterSession, from: Session, to: Session, { texts }: TiesOfNode): boolean {
  if (last === undefined) return false
  const index = last.before.indexOf(from)
  return index >= 0 && bases[index] === to && !texts.some((text) => last.texts.has(text))
}

/** The context of a node whose Node is among those given depends on no other. */
function contextOfNode(
  { source, nodes: { list, byName } }: ContextOrigin,
  nodeName: string,
  earlier?: ContextWithOrigin,
): ContextWithOrigin {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  const nodes = node === undefined ? list : [node]
  const origin = originOf(source, nodes, nodeName)
  if (earlier !== undefined && isSameOrigin(earlier.origin, origin)) return earlier
  return { context: kept(contextOf(source, nodes, nodeName), earlier?.context), origin }
}

/** The session from which that of a node is forked. */
function baseFor({ bases, ties }: ClusterSession, context: CompileContext): Session {
  const known = bases.find((base) => isOfEqualNodes(base.context, context) && isOfOneZone(base.context, context))
  if (known !== undefined) return known
  const [first] = bases
  const keys = isOfEqualNodes(first.context, context)
    ? tiedGroups(ties, [ZONE_HINTS])
    : itemsOf(first.records).map(({ group }) => group.key)
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
