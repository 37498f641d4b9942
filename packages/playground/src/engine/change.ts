import { diff, script } from '@kube-rules/compiler'
import { printScript } from '../../../cli/src/report/print-script.js'
import type { Question } from '../question/question.js'
import type { ChangeAnswer } from './answers.js'
import { compareResults } from './compare-results.js'
import type { Memory } from './memory.js'

/** What an edit changes: for packets, and what a node has to run. */
export async function answerChange(question: Question, memory: Memory): Promise<ChangeAnswer> {
  if (question.before.trim() === '') return problemAnswer('')
  const before = await memory.compiled(question, { which: 'before' })
  if (!before.ok) return problemAnswer(`before: ${before.message}`)
  const after = await memory.compiled(question)
  if (!after.ok) return problemAnswer(after.message)
  const traffic = compareResults(before.value.result, after.value.result, ['before', 'after'])
  return {
    problem: '',
    traffic: traffic.view,
    trafficText: traffic.text,
    runs: printScript(script(diff(before.value.result, after.value.result))),
  }
}

function problemAnswer(problem: string): ChangeAnswer {
  return { problem, traffic: [], trafficText: '', runs: '' }
}
