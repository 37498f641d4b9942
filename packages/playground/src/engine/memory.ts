import { createLinePrinter } from '@kube-rules/analyzer/view'
import {
  type Cluster,
  type ClusterReader,
  type CompileValues,
  compileCluster,
  createClusterReader,
  type KnownPlaces,
} from '@kube-rules/application/cluster'
import { type SpellingOptions, type TextLine, textLines } from '@kube-rules/application/print'
import type { CompileResult, Dump } from '@kube-rules/compiler'
import type { CompiledMode } from '@kube-rules/compiler/tables'
import { IP_FAMILIES } from '@kube-rules/types'
import type { Question } from '../question/question.js'
import { createRecent } from './recent.js'

/** What an engine remembers of earlier questions, so that one that is little different costs little. */
export interface Memory {
  readonly places: KnownPlaces
  /** The rules of both families. Throws InputError where the command does. */
  compiled(question: Question, choice?: CompileChoice): Compiled
  /** The lines of rules, of which those are printed that are others than the last time. */
  printed(result: Pick<CompileResult, 'families'>, spelling: SpellingOptions): readonly TextLine[]
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
  // One for now and before: what both have is read once, and compiled once.
  const reader = createClusterReader()
  const clusters = createRecent<Cluster>()
  const results = createRecent<CompileResult>()
  const texts = createRecent<readonly TextLine[]>()
  const linesOf = createLinePrinter()
  return {
    places: new Map(),
    printed: (result, spelling) =>
      texts.get([...result.families, spelling.style, spelling.language], () => textLines(result, spelling, linesOf)),
    compiled: (question, { which = 'objects', mode = question.mode, version = question.version, dump } = {}) => {
      const asked = { ...question, mode, version }
      const { host, node, assign, namespace } = asked
      const read = () => clusterOf(reader, asked[which], asked)
      const cluster = clusters.get([asked[which], host, node, mode, version, assign, namespace], read)
      const values = valuesOf(asked)
      const slot = [which, mode, version, dump !== undefined]
      // Of what was compiled for the same purpose before, else of the objects that are there now.
      const previous = results.find(slot) ?? results.find(['objects', mode, version, false])
      const result = compileCluster(cluster, values, IP_FAMILIES, { previous, dump })
      results.set(slot, result)
      return { cluster, values, result }
    },
  }
}

/** The names that the command would have of files. */
const OBJECTS = 'cluster.yaml'
const HOST = 'host.yaml'

function clusterOf(reader: ClusterReader, text: string, question: Question): Cluster {
  const { host, assign, namespace } = question
  return reader.read(
    { objects: [{ name: OBJECTS, text }], host: host.trim() === '' ? undefined : { name: HOST, text: host } },
    { ...valuesOf(question), 'assign-cluster-ips': assign, namespace: namespace || undefined },
  )
}

function valuesOf({ mode, node, version }: Question): CompileValues {
  return {
    mode: mode === '' ? undefined : (mode as CompiledMode),
    node: node || undefined,
    'kubernetes-version': version || undefined,
  }
}
