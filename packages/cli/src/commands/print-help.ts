import { commonOptions, describeOptions, formatTable } from '../options/option.js'
import type { Command, ExitCodeDescription } from './command.js'

/** Prints the text of `kube-rules --help`. */
export function printGeneralHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'Usage: kube-rules COMMAND [options]\n',
    'Computes the rules that kube-proxy would program. Does not change this machine.\n',
    `Commands:\n${formatTable(rows)}`,
    `Options:\n${describeOptions({ ...commonOptions, version: { type: 'boolean', short: 'V', description: 'Print the version.' } })}`,
    printExitCodes(GENERAL_CODES),
    "Run 'kube-rules COMMAND --help' or 'kube-rules help COMMAND' for details.\n",
  ].join('\n')
}

/** Prints the text of `kube-rules COMMAND --help`. */
export async function printCommandHelp(command: Command): Promise<string> {
  return [
    `Usage: kube-rules ${command.usage}\n`,
    `${command.description}\n`,
    `Options:\n${describeOptions(await command.options())}`,
    `Examples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`,
    printExitCodes(command.exitCodes),
  ].join('\n')
}

const GENERAL_CODES: readonly ExitCodeDescription[] = [
  ['0', 'Done.'],
  ['1', 'A difference was found.'],
  ['3', 'verify: no drift was found, but the dump is incomplete, so some parts were not verified.'],
]

const UNUSABLE = 'The usage or the input is invalid. Standard output is empty.'

/**
 * Returns the exit codes of a command, sorted. Code 2 has the meaning that is common to all commands, unless `codes`
 * defines another meaning.
 */
export function describeExitCodes(codes: readonly ExitCodeDescription[]): readonly ExitCodeDescription[] {
  const rows = new Map([['2', UNUSABLE], ...codes])
  return [...rows].sort(([a], [b]) => Number(a) - Number(b))
}

function printExitCodes(codes: readonly ExitCodeDescription[]): string {
  return `Exit codes:\n${formatTable(describeExitCodes(codes))}`
}
