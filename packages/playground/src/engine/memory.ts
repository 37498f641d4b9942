import { type Cluster, type CompileValues, compileCluster, readCluster } from '@kube-rules/cli/cluster'
import type { CompileResult, Dump } from '@kube-rules/compiler'
import type { CompiledMode } from '@kube-rules/compiler/tables'
import { IP_FAMILIES } from '@kube-rules/types'
import type { Question } from '../question/question.js'
import type { KnownPlaces } from '../yaml/places.js'

/** What an engine remembers of earlier questions, so that one that is little different costs little. */
export interface Memory {
  readonly places: KnownPlaces
  /** The rules of both families. Throws InputError where the command does. */
  compiled(question: Question, choice?: CompileChoice): Compiled
}

/** What was compiled of a question, and from what. */
export interface Compiled {
  readonly cluster: Cluster
  readonly values: CompileValues
  readonly result: CompileResult
}

export interface CompileChoice {
  /** Which objects. Default: those of now. */
  readonly which?: 'objects' | 'before'
  /** In the place of those of the question. */
  readonly mode?: string
  readonly version?: string
  /** What the node holds that is compiled for. */
  readonly dump?: Dump | undefined
}

export function createMemory(): Memory {
  const clusters = new Map<string, Cluster>()
  const results = new Map<string, CompileResult>()
  return {
    places: new Map(),
    compiled: (question, { which = 'objects', mode = question.mode, version = question.version, dump } = {}) => {
      const asked = { ...question, mode, version }
      const cluster = keep(clusters, textKey(which, asked), () => clusterOf(asked[which], asked))
      const values = valuesOf(asked)
      const slot = JSON.stringify([which, mode, version, dump !== undefined])
      // Of what was compiled for the same purpose before, else of the objects that are there now.
      const previous = results.get(slot) ?? results.get(JSON.stringify(['objects', mode, version, false]))
      const result = compileCluster(cluster, values, IP_FAMILIES, { previous, dump })
      keepNewest(results, slot, result)
      return { cluster, values, result }
    },
  }
}

/** So many clusters and results are remembered: now and before, of two modes or versions, with a dump. */
const MOST_KEPT = 6

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}

function keep<Value>(kept: Map<string, Value>, key: string, make: () => Value): Value {
  const value = kept.get(key) ?? make()
  keepNewest(kept, key, value)
  return value
}

function textKey(which: 'objects' | 'before', { host, node, mode, version, assign, ...texts }: Question): string {
  return JSON.stringify([texts[which], host, node, mode, version, assign])
}

/** The names that the command would have of files. */
const OBJECTS = 'cluster.yaml'
const HOST = 'host.yaml'

function clusterOf(text: string, question: Question): Cluster {
  const { host, assign } = question
  return readCluster(
    { objects: [{ name: OBJECTS, text }], host: host.trim() === '' ? undefined : { name: HOST, text: host } },
    { ...valuesOf(question), 'assign-cluster-ips': assign },
  )
}

function valuesOf({ mode, node, version }: Question): CompileValues {
  return {
    mode: mode === '' ? undefined : (mode as CompiledMode),
    node: node || undefined,
    'kubernetes-version': version || undefined,
  }
}
