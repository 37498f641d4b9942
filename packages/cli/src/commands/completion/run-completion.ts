import { UsageError } from '@kube-rules/application/messages'
import type { CliContext } from '../../cli-context.js'
import { formatAlternatives } from '../../options/format-alternatives.js'
import { commonOptions } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import type { Command } from '../command.js'
import { createBashCompletion } from './bash-completion.js'
import type { CommandCompletion } from './command-completion.js'
import { createKubectlCompletion } from './kubectl-completion.js'
import { createZshCompletion } from './zsh-completion.js'

const SHELLS: ReadonlyMap<string, (commands: readonly CommandCompletion[]) => string> = new Map([
  ['bash', createBashCompletion],
  ['zsh', createZshCompletion],
  ['kubectl', createKubectlCompletion],
])

/** Runs `kube-rules completion`. */
export async function runCompletion(context: CliContext, commands: readonly Command[]): Promise<number> {
  const [shell, unexpected] = parseArguments(commonOptions, context.args).operands
  const names = [...SHELLS.keys()]
  const scriptOf = SHELLS.get(shell ?? '')
  if (shell === undefined) throw new UsageError(`a shell is needed: ${formatAlternatives(names)}`)
  if (scriptOf === undefined) throw new UsageError(`no completion for ${shell}; expected ${formatAlternatives(names)}`)
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${unexpected}`)
  const completed = await Promise.all(
    commands.map(async ({ name, summary, options }) => ({
      name,
      summary,
      options: await options(),
      words: name === 'completion' ? names : [],
    })),
  )
  await context.stdout.write(scriptOf(completed))
  return 0
}
