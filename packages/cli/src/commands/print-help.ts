import { commonOptions } from '../options/common-options.js'
import { describeOptions, printColumns } from '../options/describe-options.js'
import type { Command } from './command.js'

/** The text of `kube-rules --help`. */
export function printGeneralHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'Usage: kube-rules COMMAND [options]\n',
    'Kubernetes objects in, the rules kube-proxy would program out. Nothing is applied to this machine.\n',
    `Commands:\n${printColumns(rows)}`,
    `Options:\n${describeOptions({ ...commonOptions, version: { type: 'boolean', short: 'V', description: 'Print the version.' } })}`,
    `${EXIT_CODES}`,
    "'kube-rules COMMAND --help', or 'kube-rules help COMMAND', tells more.\n",
  ].join('\n')
}

/** The text of `kube-rules COMMAND --help`. */
export async function printCommandHelp(command: Command): Promise<string> {
  return [
    `Usage: kube-rules ${command.usage}\n`,
    `${command.description}\n`,
    `Options:\n${describeOptions(await command.options())}`,
    `Examples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`,
    EXIT_CODES,
  ].join('\n')
}

const EXIT_CODES = `Exit codes:\n${printColumns([
  ['0', 'Done.'],
  ['1', 'A difference was found.'],
  ['2', 'Wrong usage, or input that cannot be used; nothing is printed on standard output.'],
])}`
