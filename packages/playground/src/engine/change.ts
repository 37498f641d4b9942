import { printScript } from '@kube-rules/application/script'
import { diff, toCommands } from '@kube-rules/compiler'
import type { Question } from '../question/question.js'
import type { ChangeAnswer } from './answers.js'
import { compareResults } from './compare-results.js'
import { answerOr } from './failure.js'
import { lineDiff } from './line-diff.js'
import type { PlaygroundCache } from './playground-cache.js'

/** Computes the effect of an edit on packets, and the commands that a node needs to run. */
export function answerChange(question: Question, memory: PlaygroundCache): ChangeAnswer {
  if (question.before.trim() === '') return problemAnswer('')
  return answerOr(() => {
    const before = memory.compiled(question, { which: 'before', alongside: question.objects })
    const after = memory.compiled(question, { alongside: question.before })
    const { view, text } = compareResults(before, after, ['old', 'new'], [before, after])
    return {
      problem: '',
      edits: lineDiff(question.before, question.objects),
      traffic: view,
      trafficText: text,
      runs: printScript(toCommands(diff(before.result, after.result))),
    }
  }, problemAnswer)
}

function problemAnswer(problem: string): ChangeAnswer {
  return { problem, edits: [], traffic: [], trafficText: '', runs: '' }
}
