import { modeNames } from '@kube-rules/compiler/tables'
import type { Question } from '../question/question.js'
import type { ComparisonAnswer } from './answers.js'
import { compareResults } from './compare-results.js'
import type { Memory } from './memory.js'

/** What another mode or version of kube-proxy would do otherwise with the same objects. */
export async function answerComparison(question: Question, memory: Memory): Promise<ComparisonAnswer> {
  const { against } = question
  if (against === '') return problemAnswer('')
  const isMode = (modeNames() as readonly string[]).includes(against)
  const ours = await memory.compiled(question)
  if (!ours.ok) return problemAnswer(ours.message)
  const theirs = await memory.compiled(question, isMode ? { mode: against } : { version: against })
  if (!theirs.ok) return problemAnswer(`${against}: ${[theirs.message, ...theirs.details].join('\n')}`)
  const names = isMode
    ? ([ours.value.result.mode, against] as const)
    : ([ours.value.result.kubernetesVersion, against] as const)
  return { problem: '', names, ...compareResults(ours.value.result, theirs.value.result, names) }
}

function problemAnswer(problem: string): ComparisonAnswer {
  return { problem, names: ['', ''], view: [], text: '' }
}
