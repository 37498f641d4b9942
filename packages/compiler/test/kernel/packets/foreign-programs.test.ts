import { describe, expect, it } from 'vitest'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { annotateOwners } from '../../../../analyzer/src/verify/annotate-owners.js'
import type { FamilyResult } from '../../../src/compilation/compile-result.js'
import { print } from '../../../src/print/print.js'
import { readDump } from '../../support/read-dump.js'
import { dumpTables } from '../sandbox/dump.js'
import { succeeded } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { FOREIGN_PROGRAMS, type ForeignProgram, packetTo } from './foreign-programs.js'
import { buildLab, iptablesRules, type Lab, type Observation, serve, summaryOf } from './lab.js'
import { traced } from './predict.js'

// Rules of other programs next to those of kube-proxy: the traced outcome of a packet must be that of a real packet.

/** Replaces all rules of the node by ours and those of another program, and returns their dump. */
async function load({ on, result }: Lab, { iptables, nftables }: ForeignProgram): Promise<readonly string[]> {
  const node = on('node')
  const [{ state }] = result.families as readonly [FamilyResult]
  succeeded(await node(['nft', 'flush', 'ruleset']))
  succeeded(await node(['iptables-nft-restore'], print(state, { subsystem: 'iptables', format: 'save' })))
  if (iptables !== undefined) succeeded(await node(['iptables-nft-restore', '--noflush'], iptables))
  if (nftables !== undefined) succeeded(await node(['nft', '-f', '-'], nftables))
  const { status, stderr } = await node(['conntrack', '-F'])
  if (status !== 0) throw new Error(stderr)
  const tables = await dumpTables(node, 'IPv4', 'nft')
  return nftables === undefined ? [tables] : [tables, nftables]
}

describe('a packet on a node with rules of another program', () => {
  const labFor = useSandbox(['iptables-nft', 'nft', 'network', 'conntrack'], async (sandbox) => {
    const lab = await buildLab(sandbox, iptablesRules('IPv4', 'nft'))
    await serve(sandbox, 'other', 'IPv4', ['8080'])
    return lab
  })

  it.for(FOREIGN_PROGRAMS)('has the traced outcome with $name', async (each, context) => {
    const lab = await labFor(context)
    const dump = await load(lab, each)
    const packet = packetTo(each)
    const milliseconds = each.expected === 'drop' ? 700 : 20_000
    const [observation] = await lab.probe(each.from, [{ packet, count: 3, milliseconds }])
    expect(summaryOf(observation as Observation, packet)).toBe(each.expected)
    const [{ plan }] = lab.result.families as readonly [FamilyResult]
    const state = annotateOwners(readDump(dump, { family: 'IPv4' }).IPv4)
    expect(traced(state, packet, traceContextFor(plan))).toBe(each.traced ?? each.expected)
  })
})
