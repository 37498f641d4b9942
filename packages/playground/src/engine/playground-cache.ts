import { createLinePrinter } from '@kube-rules/analyzer/view'
import {
  type Cluster,
  type ClusterReader,
  type CompileOptionValues,
  compileCluster,
  createClusterReader,
  type LocatedObjectCache,
} from '@kube-rules/application/cluster'
import { findPrintedAddresses } from '@kube-rules/application/dump'
import { printResultLines, type TextFormatOptions, type TextLine } from '@kube-rules/application/print'
import type { CompileResult, Dump, ProxyMode } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { type JoinedLines, joinLines } from './join-lines.js'
import { createRecentCache } from './recent-cache.js'
import type { TextWithOwners } from './results.js'
import { chooseShownNode, listNodeNames, type NodeChoice, type ShownNode } from './shown-node.js'

/** The cache of an engine for earlier requests, so that a small change is cheap. */
export interface PlaygroundCache {
  readonly places: LocatedObjectCache
  /** Compiles the rules of both families. Throws InputError in the same cases as the command. */
  compiled(question: PlaygroundRequest, choice?: CompileOverrides): CompiledRequest
  /** Prints rules as lines; prints only the changed rules again. */
  printed(result: Pick<CompileResult, 'families'>, format: TextFormatOptions): readonly TextLine[]
  /** Joins the lines of rules to one text; joins only the changed lines again. */
  joined(lines: readonly TextLine[], names: readonly string[]): TextWithOwners
}

/** A compiled request and its inputs. */
export interface CompiledRequest {
  readonly cluster: Cluster
  readonly values: CompileOptionValues
  readonly result: CompileResult
  /** The node that the rules are for. */
  readonly node: ShownNode
}

export interface CompileOverrides {
  /** The objects to compile: the current or the earlier objects (`before`). If absent, the current objects. */
  readonly which?: 'objects' | 'before'
  /** The text of the other version of the objects, which the result is compared with. */
  readonly alongside?: string
  /** Overrides the mode and version of the request. */
  readonly mode?: string
  readonly version?: string
  /** A dump of the node to compile for. */
  readonly dump?: Dump | undefined
}

export function createPlaygroundCache(): PlaygroundCache {
  // One reader for the current and the earlier objects. It reads and compiles objects that both have in common only
  // once.
  const reader = createClusterReader()
  const clusters = createRecentCache<Cluster>()
  const results = createRecentCache<CompileResult>()
  const texts = createRecentCache<readonly TextLine[]>()
  const addressesOf = createAddressReader()
  const linesOf = createLinePrinter()
  let lastJoined: JoinedLines | undefined
  const clusterOf = (which: 'objects' | 'before', alongside: string, asked: PlaygroundRequest, isKnown: boolean) => {
    const { host, hostNode, node, mode, version, assign, namespace } = asked
    return clusters.get(
      [asked[which], alongside, host, hostNode, node, mode, version, assign, namespace, isKnown],
      () => clusterOfNode(reader, asked[which], alongside, asked, isKnown),
    )
  }
  return {
    places: new Map(),
    printed: (result, format) =>
      texts.get([...result.families, format.format, format.subsystem], () => printResultLines(result, format, linesOf)),
    joined: (lines, names) => {
      lastJoined = joinLines(lines, names, lastJoined)
      return lastJoined
    },
    compiled: (
      question,
      { which = 'objects', mode = question.mode, version = question.version, dump, alongside = '' } = {},
    ) => {
      const asked = { ...question, mode, version }
      const isLive = dump !== undefined
      // If the current objects have endpoints, no missing values are assumed, and each version of the objects is read
      // alone.
      const isAlone =
        alongside.trim() === '' || (!asked.assign && hasEndpoints(clusterOf('objects', '', asked, isLive)))
      const isKnown = isLive || (isAlone && which === 'before')
      const readFor = (node: string) => clusterOf(which, isAlone ? '' : alongside, { ...asked, node }, isKnown)
      const first = readFor(asked.node)
      const current = which === 'objects' ? first : clusterOf('objects', '', asked, isLive)
      const node = chooseNodeOf(first, current, { ...asked, addresses: addressesOf(asked.dump) })
      const isChosen = node.reason === '' || node.name === first.chosenNode
      const cluster = isChosen ? first : readFor(node.name)
      const values = valuesOf(isChosen ? asked : { ...asked, node: node.name })
      const slot = [which, mode, version, dump !== undefined]
      // Compiles incrementally, with the latest result for the same kind of objects, mode and version, or else for the
      // current objects.
      const previous = results.find(slot) ?? results.find(['objects', mode, version, false])
      const result = compileCluster(cluster, values, IP_FAMILIES, { previous, dumps: dump === undefined ? [] : [dump] })
      results.set(slot, result)
      return { cluster, values, result, node }
    },
  }
}

/** Creates a function that returns the addresses of the node in a dump. It reads the same dump only once. */
function createAddressReader(): (dump: string) => readonly string[] {
  let [read, addresses]: [string, readonly string[]] = ['', []]
  return (dump) => {
    if (dump !== read) addresses = findPrintedAddresses([{ name: 'dump', text: dump }]) ?? []
    read = dump
    return addresses
  }
}

/** The file names in messages, because the texts of the playground have no files. */
const OBJECTS = 'cluster.yaml'
const HOST = 'host.yaml'

/** Reports whether objects have endpoints that were not assumed. */
function hasEndpoints({ assumed, endpointSlices, endpoints }: Cluster): boolean {
  return assumed.length === 0 && endpointSlices.length + endpoints.length > 0
}

/**
 * Reads a version of the objects. If the host description belongs to another node, leaves the description out and adds
 * a note.
 */
function clusterOfNode(
  reader: ClusterReader,
  text: string,
  alongside: string,
  question: PlaygroundRequest,
  isKnown: boolean,
): Cluster {
  const cluster = readVersion(reader, text, alongside, question, isKnown)
  const { host, hostNode } = question
  const node = chooseShownNode(cluster, { ...question, packet: '', addresses: [] }).name
  if (host.trim() === '' || hostNode === '' || hostNode === node) return cluster
  const other = node === '' ? 'a node without a name' : `node ${node}`
  const note = `the node’s interfaces are those of ${hostNode}, and not used for ${other}`
  const own = readVersion(reader, text, alongside, { ...question, host: '' }, isKnown)
  return { ...own, notes: [...own.notes, note] }
}

/** Chooses the node for one version of the objects: the node of the current objects, if this version has it. */
function chooseNodeOf(version: Cluster, current: Cluster, question: NodeChoice): ShownNode {
  const node = chooseShownNode(current, question)
  return version === current || listNodeNames(version).includes(node.name) ? node : chooseShownNode(version, question)
}

/**
 * Reads a version of the objects. Missing values are assumed like in the command, unless the objects are known to be
 * complete.
 */
function readVersion(
  reader: ClusterReader,
  text: string,
  alongside: string,
  question: PlaygroundRequest,
  isKnown: boolean,
): Cluster {
  const { host, assign, namespace } = question
  return reader.read(
    {
      objects: [{ name: OBJECTS, text }],
      alongside: alongside.trim() === '' ? undefined : [{ name: OBJECTS, text: alongside }],
      host: host.trim() === '' ? undefined : { name: HOST, text: host },
    },
    { ...valuesOf(question), assume: assign || (isKnown ? false : undefined), namespace: namespace || undefined },
  )
}

function valuesOf({ mode, node, version }: PlaygroundRequest): CompileOptionValues {
  return {
    mode: mode === '' ? undefined : (mode as ProxyMode),
    node: node || undefined,
    kubernetesVersion: version || undefined,
  }
}
