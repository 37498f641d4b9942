import { modeNames } from '@kube-rules/compiler'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { compareResults } from './compare-results.js'
import { catchFailure } from './failure.js'
import type { PlaygroundCache } from './playground-cache.js'
import type { ComparisonResult } from './results.js'

/** Compares with another mode or version of kube-proxy for the same objects. */
export function computeComparisonResult(question: PlaygroundRequest, memory: PlaygroundCache): ComparisonResult {
  const { against } = question
  if (against === '') return problemAnswer('')
  return catchFailure(() => {
    const isMode = (modeNames() as readonly string[]).includes(against)
    const ours = memory.compiled(question)
    const theirs = memory.compiled(question, isMode ? { mode: against } : { version: against })
    const names = isMode ? ([ours.result.mode, against] as const) : ([ours.result.kubernetesVersion, against] as const)
    return { problem: '', names, ...compareResults(ours, theirs, names, [ours]) }
  }, problemAnswer)
}

function problemAnswer(problem: string): ComparisonResult {
  return { problem, names: ['', ''], view: [], text: '' }
}
