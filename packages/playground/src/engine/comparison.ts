import { modeNames } from '@kube-rules/compiler'
import type { Question } from '../question/question.js'
import type { ComparisonAnswer } from './answers.js'
import { compareResults } from './compare-results.js'
import { answerOr } from './failure.js'
import type { PlaygroundCache } from './playground-cache.js'

/** Compares with another mode or version of kube-proxy for the same objects. */
export function answerComparison(question: Question, memory: PlaygroundCache): ComparisonAnswer {
  const { against } = question
  if (against === '') return problemAnswer('')
  return answerOr(() => {
    const isMode = (modeNames() as readonly string[]).includes(against)
    const ours = memory.compiled(question)
    const theirs = memory.compiled(question, isMode ? { mode: against } : { version: against })
    const names = isMode ? ([ours.result.mode, against] as const) : ([ours.result.kubernetesVersion, against] as const)
    return { problem: '', names, ...compareResults(ours, theirs, names, [ours]) }
  }, problemAnswer)
}

function problemAnswer(problem: string): ComparisonAnswer {
  return { problem, names: ['', ''], view: [], text: '' }
}
