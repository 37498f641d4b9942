import { printScript } from '@kube-rules/application/script'
import { diff, toCommands } from '@kube-rules/compiler'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { compareResults } from './compare-results.js'
import { diffLines } from './diff-lines.js'
import { catchFailure } from './failure.js'
import type { PlaygroundCache } from './playground-cache.js'
import type { ChangeResult } from './results.js'

/** Computes the effect of an edit on packets, and the commands that a node needs to run. */
export function computeChangeResult(question: PlaygroundRequest, memory: PlaygroundCache): ChangeResult {
  if (question.before.trim() === '') return problemAnswer('')
  return catchFailure(() => {
    const before = memory.compiled(question, { which: 'before', alongside: question.objects })
    const after = memory.compiled(question, { alongside: question.before })
    const { view, text } = compareResults(before, after, ['old', 'new'], [before, after])
    return {
      problem: '',
      edits: diffLines(question.before, question.objects),
      traffic: view,
      trafficText: text,
      runs: printScript(toCommands(diff(before.result, after.result))),
    }
  }, problemAnswer)
}

function problemAnswer(problem: string): ChangeResult {
  return { problem, edits: [], traffic: [], trafficText: '', runs: '' }
}
