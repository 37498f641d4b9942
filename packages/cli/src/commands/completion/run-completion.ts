import { UsageError } from '@kube-rules/application/messages'
import type { Context } from '../../context.js'
import { commonOptions } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import type { Command } from '../command.js'
import { createBashScript } from './bash-script.js'
import type { CommandCompletion } from './command-completion.js'
import { createZshScript } from './zsh-script.js'

const SHELLS: ReadonlyMap<string, (commands: readonly CommandCompletion[]) => string> = new Map([
  ['bash', createBashScript],
  ['zsh', createZshScript],
])

/** Runs `kube-rules completion`. */
export async function runCompletion(context: Context, commands: readonly Command[]): Promise<number> {
  const [shell, unexpected] = parseArguments(commonOptions, context.args).operands
  const names = [...SHELLS.keys()]
  const scriptOf = SHELLS.get(shell ?? '')
  if (shell === undefined) throw new UsageError(`a shell is needed: ${names.join(' or ')}`)
  if (scriptOf === undefined)
    throw new UsageError(`no completion for ${shell}; there is one for ${names.join(' and ')}`)
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
