import type { IpFamily } from '@kube-rules/types'
import type { Stage } from '../../src/dataplane/netfilter/stage.js'
import { EMPTY_TABLES, type HeldTables, restore } from './restore-interpreter.js'

// A node as far as iptables goes: what the runs of a plan leave there.

export type Machine = Readonly<Record<IpFamily, HeldTables>>

export const EMPTY_MACHINE: Machine = { IPv4: EMPTY_TABLES, IPv6: EMPTY_TABLES }

/** The machine after the runs. Throws where a run fails that must not. */
export function runStages(machine: Machine, stages: readonly Stage[]): Machine {
  return stages.reduce(runStage, machine)
}

function runStage(machine: Machine, stage: Stage): Machine {
  if (stage.tool === 'conntrack') return machine
  const family = stage.tool.startsWith('ip6') ? 'IPv6' : 'IPv4'
  const tables = machine[family]
  const after = stage.tool.endsWith('-restore') ? restore(tables, stage.input) : runCommand(tables, stage)
  return { ...machine, [family]: after }
}

/** One run of iptables, by way of what iptables-restore would be told. */
function runCommand(tables: HeldTables, { args, unless, mayFail }: Stage): HeldTables {
  if (unless !== undefined && isThere(tables, unless)) return tables
  const { table, text } = readArguments(args)
  if (args.includes('-D') && !isThere(tables, args)) {
    if (mayFail) return tables
    throw new Error(`no such rule: ${text}`)
  }
  return restore(tables, `*${table}\n${text}\nCOMMIT\n`)
}

function isThere(tables: HeldTables, args: readonly string[]): boolean {
  const { table, chain, spec } = readArguments(args)
  return (
    tables
      .get(table)
      ?.get(chain)
      ?.some((rule) => rule.spec === spec) ?? false
  )
}

/** `-w -t TABLE COMMAND CHAIN SPEC`. */
function readArguments(args: readonly string[]) {
  const [wait, t, table = '', command = '', chain = '', ...words] = args
  if (wait !== '-w' || t !== '-t') throw new Error(`unexpected arguments: ${args.join(' ')}`)
  const spec = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')
  return { table, chain, spec, text: `${command} ${chain} ${spec}` }
}
