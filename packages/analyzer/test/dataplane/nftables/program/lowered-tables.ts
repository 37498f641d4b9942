import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { NftablesState } from '../../../../../compiler/src/dataplane/nftables/state.js'
import { readDump } from '../../../../../compiler/test/support/read-dump.js'
import { lowerNftables } from '../../../../src/dataplane/nftables/program/lower-nftables.js'
import type { NodeFacts } from '../../../../src/program/facts.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import type { BaseChain } from '../../../../src/program/program.js'
import { runBaseChain } from '../../../../src/program/run-chain.js'
import { kernelPacket, nodeFacts, pathState, runContext, textOf } from '../../../program/programs.js'

/** The state of the tables in a listing, for packets of a family. */
export function nftablesState(text: string, family: 'IPv4' | 'IPv6' = 'IPv4'): NftablesState {
  const state = readDump(text)[family].nftables
  if (state === undefined) throw new Error('the text has no tables')
  return state
}

/** Lowers the tables in a listing. */
export function baseChainsOf(text: string, family: 'IPv4' | 'IPv6' = 'IPv4'): readonly BaseChain[] {
  return lowerNftables(nftablesState(text, family), {}, () => new Map())
}

interface Place {
  readonly hook?: Hook
  readonly family?: string
  readonly type?: string
  readonly priority?: number
  /** Sets, maps and other chains of the table. */
  readonly more?: string
  readonly facts?: Partial<NodeFacts>
}

/** Formats a table whose base chain has these rules. */
export function tableWith(
  rules: string,
  { hook = 'PREROUTING', family = 'inet', type = 'filter', priority = 0, more = '' }: Place = {},
): string {
  const lines = rules.split('\n').map((line) => `\t\t${line.trim()}`)
  const base = `type ${type} hook ${hook.toLowerCase()} priority ${priority}; policy accept;`
  return `table ${family} t {\n${more}\tchain base {\n\t\t${base}\n${lines.join('\n')}\n\t}\n}\n`
}

/** Follows a packet through the base chain of a table with these rules, and formats each end. */
export function endsOf(rules: string, packet: Partial<KernelPacket> = {}, place: Place = {}): readonly string[] {
  const { family = 'IPv4' } = packet
  const [base] = baseChainsOf(tableWith(rules, place), family)
  if (base === undefined) throw new Error('the table has no base chain')
  const path = pathState({ packet: kernelPacket(packet) })
  return runBaseChain(base.chain, path, runContext({ hook: base.hook, facts: nodeFacts(place.facts) })).map(textOf)
}

/** Reports whether a packet matches a match: `yes`, `no`, `unknown`, or a probability. */
export function resultOf(match: string, packet: Partial<KernelPacket> = {}, place: Place = {}): string {
  const ends = endsOf(`${match} drop`, packet, place)
  const [only = ''] = ends
  if (ends.length === 1) return only.includes('-> dropped') ? 'yes' : only.includes('-> chain') ? 'no' : only
  const dropped = ends.find((end) => end.includes('-> dropped')) ?? ''
  return ends.some((end) => end.includes('[')) ? 'unknown' : (dropped.split(' ')[0] ?? '')
}
