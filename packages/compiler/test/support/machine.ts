import type { IpFamily } from '@kube-rules/types'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { Table } from '../../src/dataplane/nftables/ast.js'
import { afterNft } from './nft-interpreter.js'
import { EMPTY_TABLES, type HeldTables, restore } from './restore-interpreter.js'

// The iptables and nft state of a node, as tools create it.

export type Machine = Readonly<Record<IpFamily, HeldTables>> & { readonly nft: readonly Table[] }

export const EMPTY_MACHINE: Machine = { IPv4: EMPTY_TABLES, IPv6: EMPTY_TABLES, nft: [] }

/** Runs commands on the machine. Commands of other tools have no effect. Throws on an unexpected failure. */
export function afterRuns(machine: Machine, commands: readonly ToolCommand[]): Machine {
  return commands.reduce(afterRun, machine)
}

/** Reports whether the rule of `-C` or `-D` exists. */
export function isThere(machine: Machine, { tool, args }: Pick<ToolCommand, 'tool' | 'args'>): boolean {
  const { table, chain, spec } = readArguments(args)
  const rules = machine[familyOf(tool)].get(table)?.get(chain) ?? []
  return rules.some((rule) => rule.spec === spec)
}

function afterRun(machine: Machine, command: ToolCommand): Machine {
  if (command.tool === 'nft') return { ...machine, nft: afterNft(machine.nft, command.input) }
  if (!command.tool.includes('tables')) return machine
  if (command.skipIf !== undefined && isThere(machine, { tool: command.tool, args: command.skipIf })) return machine
  const family = familyOf(command.tool)
  try {
    return { ...machine, [family]: restore(machine[family], inputOf(command)) }
  } catch (error) {
    // Earlier commits would remain, but a command that may fail has only one commit.
    if (command.allowFailure) return machine
    throw error
  }
}

function familyOf(tool: string): IpFamily {
  return tool.startsWith('ip6') ? 'IPv6' : 'IPv4'
}

/** Converts a command of iptables to one line of iptables-restore input. */
function inputOf({ tool, args, input }: ToolCommand): string {
  if (tool.endsWith('-restore')) return input
  const { table, command, chain, spec } = readArguments(args)
  return `*${table}\n${command} ${chain} ${spec}\nCOMMIT\n`
}

/** Parses `-w 5 -t TABLE COMMAND CHAIN SPEC`. */
function readArguments(args: readonly string[]) {
  const [wait, seconds, t, table = '', command = '', chain = '', ...words] = args
  if (wait !== '-w' || seconds !== '5' || t !== '-t') throw new Error(`unexpected arguments: ${args.join(' ')}`)
  const spec = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')
  return { table, command, chain, spec }
}
