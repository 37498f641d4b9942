import { formatFailureLines, getSystemErrorCode, UsageError } from '@kube-rules/application/messages'
import { quoteWords } from '@kube-rules/application/script'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'
import type { CliContext } from './cli-context.js'
import type { Command } from './commands/command.js'
import { printCommandHelp, printGeneralHelp } from './commands/print-help.js'
import { commands, findCommand } from './commands/registry.js'
import { mayBeObjectPath } from './options/parse-arguments.js'
import { printMessages } from './report.js'
import { readPackageVersion } from './version.js'

/**
 * Runs one command line and returns its exit code: 0 for success, 1 for a difference, 2 for wrong usage or unusable
 * input, 3 for incomplete verification. Never rejects.
 */
export async function runCli(context: CliContext): Promise<number> {
  try {
    return await dispatch(context)
  } catch (error) {
    return reportFailure(context, error)
  }
}

async function dispatch(context: CliContext): Promise<number> {
  const [name, ...args] = context.args
  if (name === undefined) throw new UsageError('a command is missing')
  if (VERSION_WORDS.has(name)) return print(context, `${await readPackageVersion()}\n`)
  if (HELP_WORDS.has(name)) return printHelp(context, name === 'help' ? args[0] : undefined)
  const command = requireCommand(name, args)
  if (asksForHelp(args)) return print(context, withProgramName(context, await printCommandHelp(command)))
  return runCommand(command, { ...context, args })
}

const VERSION_WORDS: ReadonlySet<string> = new Set(['--version', '-V', 'version'])
const HELP_WORDS: ReadonlySet<string> = new Set(['--help', '-h', 'help'])

async function printHelp(context: CliContext, name: string | undefined): Promise<number> {
  const isOption = name === undefined || name.startsWith('-')
  const text = isOption ? printGeneralHelp(commands) : await printCommandHelp(requireCommand(name))
  return print(context, withProgramName(context, text))
}

/** Writes the command lines of a help text as the user types them. */
function withProgramName({ programName = 'kube-rules' }: CliContext, text: string): string {
  return text.replaceAll(/(?<!kubectl )kube-rules (?=[A-Za-z])/g, `${programName} `)
}

function requireCommand(name: string, args: readonly string[] = []): Command {
  const command = findCommand(name)
  if (command === undefined) throw new UsageError(unknownCommand(name, args))
  return command
}

function unknownCommand(name: string, args: readonly string[]): string {
  if (name.startsWith('-')) return `unknown option ${name}; the first argument must be a command`
  const nearest = findClosestWord(name, [...commands.map((command) => command.name), 'help', 'version'])
  if (nearest !== undefined) return `unknown command ${name}; did you mean ${nearest}?`
  const file = [name, ...args].find(mayBeObjectPath)
  if (file !== undefined) return `unknown command ${name}; objects are given with -f: print ${quoteWords(['-f', file])}`
  return `unknown command ${name}; there are ${commands.map((command) => command.name).join(', ')}`
}

async function runCommand(command: Command, context: CliContext): Promise<number> {
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

async function print(context: CliContext, text: string): Promise<number> {
  await context.stdout.write(text)
  return 0
}

async function reportFailure(context: CliContext, error: unknown, command?: Command): Promise<number> {
  // The reader has stopped early, as in `kube-rules print … | head`.
  if (getSystemErrorCode(error) === 'EPIPE') return 0
  await printMessages(context, formatFailureLines(error, command?.name))
  return 2
}
