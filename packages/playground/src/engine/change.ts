import { printScript } from '@kube-rules/application/script'
import { diff, toCommands } from '@kube-rules/compiler'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { groupChanges } from './change-groups.js'
import { markTrafficLosses, type TrafficLine } from './change-severity.js'
import { compareResults } from './compare-results.js'
import { diffLines } from './diff-lines.js'
import { createExampleFinder } from './example-packets.js'
import { catchFailure } from './failure.js'
import { findObjectChanges } from './object-changes.js'
import type { PlaygroundCache } from './playground-cache.js'
import type { ChangeResult } from './results.js'
import { printRequestLines } from './rules.js'

/** Computes the effect of an edit on packets, and the commands that a node needs to run. */
export function computeChangeResult(question: PlaygroundRequest, memory: PlaygroundCache): ChangeResult {
  if (question.before.trim() === '') return problemAnswer('')
  return catchFailure(() => {
    const before = memory.compiled(question, { which: 'before', alongside: question.objects })
    const after = memory.compiled(question, { alongside: question.before })
    const { view, text, differences } = compareResults(before, after, ['old', 'new'], [before, after])
    const traffic = markTrafficLosses(view, differences)
    const isAboutAll = ({ node }: TrafficLine) => node.objects.length === 0
    return {
      problem: '',
      groups: groupChanges(
        findObjectChanges(before.cluster, after.cluster),
        traffic.filter((line) => !isAboutAll(line)),
        [printRequestLines(question, before, memory), printRequestLines(question, after, memory)],
        createExampleFinder(before.result, after.result),
      ),
      edits: diffLines(question.before, question.objects),
      traffic: traffic.filter(isAboutAll).map(({ node }) => node),
      trafficText: text,
      runs: printScript(toCommands(diff(before.result, after.result))),
    }
  }, problemAnswer)
}

function problemAnswer(problem: string): ChangeResult {
  return { problem, groups: [], edits: [], traffic: [], trafficText: '', runs: '' }
}
