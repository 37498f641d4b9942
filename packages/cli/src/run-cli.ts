import type { Command } from './commands/command.js'
import { printCommandHelp, printGeneralHelp } from './commands/print-help.js'
import { commands, findCommand } from './commands/registry.js'
import type { Context } from './context.js'
import { InputError, systemCode, systemReason, UsageError } from './errors.js'
import { diagnosticLines } from './report/diagnostic-lines.js'
import { printMessages } from './report/print-message.js'
import { packageVersion } from './version.js'

/**
 * Runs one command line and returns its exit code: 0 done, 1 a difference, 2 wrong usage or unusable input, 3 not all could be
 * verified. Never rejects.
 */
export async function runCli(context: Context): Promise<number> {
  try {
    return await dispatch(context)
  } catch (error) {
    return reportFailure(context, error)
  }
}

async function dispatch(context: Context): Promise<number> {
  const [name, ...args] = context.args
  if (name === '--version') return print(context, `${await packageVersion()}\n`)
  if (name === '--help' || name === '-h') return print(context, printGeneralHelp(commands))
  if (name === undefined) throw new UsageError('a command is missing')
  const command = findCommand(name)
  if (!command) throw new UsageError(`unknown ${name.startsWith('-') ? 'option' : 'command'} ${name}`)
  if (asksForHelp(args)) return print(context, await printCommandHelp(command))
  return runCommand(command, { ...context, args })
}

async function runCommand(command: Command, context: Context): Promise<number> {
  try {
    return await command.run(context)
  } catch (error) {
    return reportFailure(context, error, command)
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).some((word) => word === '--help' || word === '-h')
}

async function print(context: Context, text: string): Promise<number> {
  await context.stdout.write(text)
  return 0
}

async function reportFailure(context: Context, error: unknown, command?: Command): Promise<number> {
  // The reader has what it wanted, as in `kube-rules print … | head`.
  if (systemCode(error) === 'EPIPE') return 0
  await printMessages(context, failureLines(error, command))
  return 2
}

function failureLines(error: unknown, command?: Command): readonly string[] {
  if (error instanceof InputError) {
    return [...diagnosticLines(error.diagnostics), ...error.details, `error: ${error.message}`]
  }
  if (error instanceof UsageError) {
    return [`error: ${error.message}`, `Run 'kube-rules ${command ? `${command.name} ` : ''}--help' for help.`]
  }
  const isSystem = systemCode(error) !== undefined
  return [`error: ${isSystem ? 'cannot write the output' : 'this is a bug in kube-rules'}: ${systemReason(error)}`]
}
