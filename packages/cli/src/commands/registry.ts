import { collectCommand } from './collect.js'
import type { Command } from './command.js'
import { compareCommand } from './compare.js'
import { createCompletionCommand } from './completion.js'
import { diffCommand } from './diff.js'
import { doctorCommand } from './doctor.js'
import { explainCommand } from './explain.js'
import { printCommand } from './print.js'
import { proveCommand } from './prove.js'
import { verifyCommand } from './verify.js'

const rules: readonly Command[] = [
  ...[printCommand, diffCommand, verifyCommand, explainCommand, compareCommand],
  doctorCommand,
  proveCommand,
  collectCommand,
]

/** All commands, in the order of the help text. */
export const commands: readonly Command[] = [...rules, createCompletionCommand(rules)]

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
