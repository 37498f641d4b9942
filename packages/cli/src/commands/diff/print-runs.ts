import type { Run } from '@kube-rules/compiler'
import { quoteWords } from '../../report/quote-word.js'

/** The runs for people: the input of a tool under a heading with its command line, other runs as a command line. */
export function printRuns(runs: readonly Run[]): string {
  return runs.map(printRun).join('')
}

function printRun({ tool, args, input, purpose, unless, mayFail }: Run): string {
  const command = quoteWords([tool, ...args])
  const condition = unless === undefined ? '' : `# unless: ${quoteWords([tool, ...unless])}\n`
  const note = mayFail ? `${purpose}; may fail` : purpose
  return input === '' ? `${condition}${command}   # ${note}\n` : `${condition}# ${command}   (${note})\n${input}`
}
