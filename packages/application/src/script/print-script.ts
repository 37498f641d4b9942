import type { Run } from '@kube-rules/compiler'
import { escapeControls } from '@kube-rules/types'
import { quoteWord, quoteWords } from './quote-word.js'

/**
 * The runs as a script for `sh` that does what `applyRuns` does: each run in its order, with exactly its arguments and
 * standard input, and an end, with the failure of its tool, at the first that fails and must not. Nothing for no runs.
 *
 * All of it is one subshell, which a shell reads to its end before it begins: of a text that is cut off nothing is
 * executed, and where it is pasted only the subshell ends. Throws for a NUL, which no program can be given.
 */
export function printScript(runs: readonly Run[]): string {
  if (runs.length === 0) return ''
  return `#!/bin/sh\n# Stops at the first run that fails.\n(\n${runs.map(printRun).join('\n')})\n`
}

function printRun({ tool, args, input, purpose, unless, mayFail }: Run): string {
  if ([tool, input, ...args, ...(unless ?? [])].some((text) => text.includes('\0'))) {
    throw new Error(`a run holds a NUL: ${escapeControls(quoteWords([tool, ...args]))}`)
  }
  const { before, after, body } = standardInput(input)
  const question = unless === undefined ? '' : `${quoteWords([tool, ...unless])} </dev/null >/dev/null 2>&1 ||\n`
  const command = `${before}${quoteWords([tool, ...args])}${after}`
  return `# ${noteOf(purpose, unless, mayFail)}\n${question}${command} || ${mayFail ? ':' : 'exit'}\n${body}`
}

function noteOf(purpose: string, unless: Run['unless'], mayFail: Run['mayFail']): string {
  const notes = [
    ...(unless === undefined ? [] : ['unless it is done already']),
    ...(mayFail ? ['fails, too, where there is nothing to do'] : []),
  ]
  return escapeControls([purpose, ...notes].join('; '))
}

/** How a command gets its standard input: what is written before it and after it, and below its line. */
interface StandardInput {
  readonly before: string
  readonly after: string
  readonly body: string
}

function standardInput(input: string): StandardInput {
  // Not that of the shell, which may be the script itself.
  if (input === '') return { before: '', after: ' </dev/null', body: '' }
  // Here-documents end in a line break, and dash loses a byte of some lines that are not ASCII.
  if (!/^[\t\n -~]*\n$/.test(input)) return { before: `printf %s ${quoteWord(input)} | `, after: '', body: '' }
  const end = delimiterFor(input)
  return { before: '', after: ` <<'${end}'`, body: `${input}${end}\n` }
}

/** `END`, or another word that is no line of the text. */
function delimiterFor(text: string): string {
  const lines = new Set(text.split('\n'))
  let end = 'END'
  while (lines.has(end)) end += '_'
  return end
}
