import { findRuleChanges, type RuleChange } from '@kube-rules/analyzer/compare'
import { toCompileOptions } from '@kube-rules/application/cluster'
import { modeNames, versionsOf } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { compareResults } from './compare-results.js'
import { diffLines } from './diff-lines.js'
import { catchFailure } from './failure.js'
import type { CompiledRequest, PlaygroundCache } from './playground-cache.js'
import type { ComparisonResult } from './results.js'
import { printRequestLines } from './rules.js'

/** Compares with another mode or version of kube-proxy for the same objects. */
export function computeComparisonResult(question: PlaygroundRequest, memory: PlaygroundCache): ComparisonResult {
  const { against } = question
  if (against === '') return problemAnswer('')
  return catchFailure(() => {
    const isMode = (modeNames() as readonly string[]).includes(against)
    const ours = memory.compiled(question)
    const theirs = memory.compiled(question, isMode ? { mode: against } : { version: against })
    const names = isMode ? ([ours.result.mode, against] as const) : ([ours.result.kubernetesVersion, against] as const)
    const { view, text } = compareResults(ours, theirs, names, [ours])
    return {
      problem: '',
      names,
      view,
      text,
      ...(isMode ? NO_CHANGES : changesOfText(question, memory, [ours, theirs])),
    }
  }, problemAnswer)
}

/** Returns the lines that differ between two versions, and the features that cause it. */
function changesOfText(
  question: PlaygroundRequest,
  memory: PlaygroundCache,
  versions: readonly [CompiledRequest, CompiledRequest],
): Pick<ComparisonResult, 'changes' | 'rules'> {
  const order = versionsOf(versions[0].result.mode)
  const [older, newer] = versions.toSorted(
    (a, b) => order.indexOf(a.result.kubernetesVersion) - order.indexOf(b.result.kubernetesVersion),
  ) as [CompiledRequest, CompiledRequest]
  const textOf = (compiled: CompiledRequest) =>
    printRequestLines(question, compiled, memory)
      .map(({ text }) => text)
      .join('\n')
  return { changes: causesOf(older, newer), rules: diffLines(textOf(older), textOf(newer)) }
}

/** Larger clusters take too long, because every version between the two is compiled, and each feature alone. */
const MOST_SERVICES = 50

function causesOf(older: CompiledRequest, newer: CompiledRequest): readonly RuleChange[] {
  const { cluster, values } = newer
  if (cluster.services.length > MOST_SERVICES) return []
  const options = toCompileOptions(cluster, values, IP_FAMILIES)
  return findRuleChanges(cluster, options, [older.result.kubernetesVersion, newer.result.kubernetesVersion])
}

const NO_CHANGES = { changes: [] } as const

function problemAnswer(problem: string): ComparisonResult {
  return { problem, names: ['', ''], view: [], text: '', ...NO_CHANGES }
}
