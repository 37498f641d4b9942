import { type CompileResult, compile, type Dump, parse } from '@kube-rules/compiler'
import type { CompiledFrom } from '@kube-rules/compiler/explain'
import { hostTold } from '@kube-rules/compiler/verify'
import type { CompiledMode } from '@kube-rules/compiler/tables'
import { type Diagnostic, DiagnosticsError, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Question } from '../question/question.js'
import type { KnownPlaces } from '../yaml/places.js'
import { type Cluster, type ReadCluster, readCluster } from './read-cluster.js'

/** What was compiled of a question, and from what. */
export interface Compiled {
  readonly cluster: Cluster
  readonly result: CompileResult
  readonly from: CompiledFrom
}

export type CompiledOrNot = { readonly ok: true; readonly value: Compiled } | Failed

export interface Failed {
  readonly ok: false
  /** As the command says it. */
  readonly message: string
  readonly details: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What an engine remembers of earlier questions. */
export interface Memory {
  readonly places: KnownPlaces
  /** The rules of both families for the objects, or for those before; of a node whose dump is there as that tells of its host. */
  compiled(question: Question, options?: CompileChoice): Promise<CompiledOrNot>
  /** What the dump says, read leniently. */
  dump(text: string): ReturnType<typeof readDump>
}

export interface CompileChoice {
  readonly which?: 'objects' | 'before'
  readonly mode?: string
  readonly version?: string
  /** Of the node that is compiled for. */
  readonly dump?: Dump | undefined
}

export function createMemory(): Memory {
  const clusters = { objects: keepLast(readCluster), before: keepLast(readCluster) }
  const results = new Map<string, CompileResult>()
  const dumps = new Map<string, ReturnType<typeof readDump>>()
  return {
    places: new Map(),
    compiled: async (question, choice = {}) => {
      const { which = 'objects', mode = question.mode, version = question.version } = choice
      const read = await clusters[which](question[which], { ...question, mode, version })
      if (!read.ok) return read
      const slot = JSON.stringify([which, mode, version, choice.dump !== undefined])
      // To compare two texts, that of the objects goes on from that before.
      const previous = results.get(slot) ?? (which === 'objects' ? results.get(JSON.stringify(['before', mode, version, false])) : undefined)
      const made = compileCluster(read.cluster, { question, mode, version, dump: choice.dump }, previous)
      if (made.ok) results.set(slot, made.value.result)
      if (results.size > MOST_RESULTS) results.delete([...results.keys()][0] ?? '')
      return made
    },
    dump: (text) => {
      const known = dumps.get(text) ?? readDump(text)
      dumps.clear()
      dumps.set(text, known)
      return known
    },
  }
}

const MOST_RESULTS = 8

function readDump(text: string) {
  return parse([text], { reading: 'lenient' })
}

/** A reader that reads what it has just read only once. */
function keepLast(read: typeof readCluster): typeof readCluster {
  let last: { readonly key: string; readonly value: Promise<ReadCluster> } | undefined
  return (objects, question) => {
    const { host, node, mode, version, assign } = question
    const key = JSON.stringify([objects, host, node, mode, version, assign])
    if (last?.key !== key) last = { key, value: read(objects, question) }
    return last.value
  }
}

interface CompileWith {
  readonly question: Question
  readonly mode: string
  readonly version: string
  readonly dump?: Dump | undefined
}

/** As the command does: nothing where the configuration is invalid or the node is not among the Nodes. */
function compileCluster(cluster: Cluster, { question, mode, version, dump }: CompileWith, previous: CompileResult | undefined): CompiledOrNot {
  const told = dump === undefined ? {} : hostTold(dump, mode || (cluster.configuration?.mode ?? ''))
  const input = { ...cluster, host: Object.keys(told).length === 0 ? cluster.host : { ...told, ...cluster.host } }
  const options = {
    mode: mode === '' ? undefined : (mode as CompiledMode),
    nodeName: question.node || undefined,
    kubernetesVersion: version || cluster.nodeVersion,
    families: IP_FAMILIES satisfies readonly IpFamily[],
  }
  try {
    const result = compile(input, { ...options, previous })
    const unknown = result.diagnostics.filter(({ code, severity }) => code === 'unknownNode' && severity === 'error')
    if (unknown.length > 0) return failed('nothing is printed, because the node is not known', unknown)
    return { ok: true, value: { cluster, result, from: { input: cluster, options } } }
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    return failed('nothing is printed, because the configuration is invalid', error.diagnostics)
  }
}

function failed(message: string, diagnostics: readonly Diagnostic[]): Failed {
  return { ok: false, message, details: [], diagnostics }
}
