import { printScript } from '@kube-rules/application/script'
import { diff, toCommands } from '@kube-rules/compiler'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { compareResults } from './compare-results.js'
import { type DiffLine, diffLines } from './diff-lines.js'
import { catchFailure } from './failure.js'
import type { CompiledRequest, PlaygroundCache } from './playground-cache.js'
import type { ChangeResult } from './results.js'
import { printRequestLines } from './rules.js'

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
      rules: diffRules(question, memory, [before, after]),
      traffic: view,
      trafficText: text,
      runs: printScript(toCommands(diff(before.result, after.result))),
    }
  }, problemAnswer)
}

/** Texts with more lines are not compared line by line. */
const MOST_LINES = 10_000

function diffRules(
  question: PlaygroundRequest,
  memory: PlaygroundCache,
  versions: readonly [CompiledRequest, CompiledRequest],
): readonly DiffLine[] | undefined {
  const [before, after] = versions.map((compiled) => printRequestLines(question, compiled, memory))
  if (before === undefined || after === undefined || before.length + after.length > MOST_LINES) return undefined
  return diffLines(textOf(before), textOf(after))
}

function textOf(lines: readonly { readonly text: string }[]): string {
  return lines.map(({ text }) => text).join('\n')
}

function problemAnswer(problem: string): ChangeResult {
  return { problem, edits: [], traffic: [], trafficText: '', runs: '' }
}
