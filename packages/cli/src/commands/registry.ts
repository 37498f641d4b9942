import type { Command } from './command.js'
import { diffCommand } from './diff.js'
import { explainCommand } from './explain.js'
import { printCommand } from './print.js'
import { verifyCommand } from './verify.js'

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [printCommand, diffCommand, verifyCommand, explainCommand]

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
