import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { ToolCommand } from '../../../compiler/src/dataplane/netfilter/tool-command.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { cases } from '../../../compiler/test/support/clusters.js'
import { afterRun, EMPTY_NODE, type HeldNode, linesOf, nodeWith } from '../../../compiler/test/support/held-node.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { type VerifyOptions, verify } from '../../src/verify/verify.js'
import { canonicalizeState } from '../support/canonical-state.js'

const input = {
  services: [service()],
  endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}
const compiled = (mode: 'iptables' | 'ipvs') => compile(input, { nodeName: 'node-1', families: ['IPv4'], mode })

const result = compiled('iptables')
const saved = printFamily(result, { family: 'IPv4', format: 'save' })
const withoutNat = saved.replace(/\*nat[\s\S]*?COMMIT\n/, '')
const withoutMark = saved.replace(/-A KUBE-MARK-MASQ .*\n/, '')

describe('the verdict of a report', () => {
  const verdictOf = (text: string, options: VerifyOptions = {}, desired = result) => {
    const report = verify(desired, readDump(text), options)
    return {
      verdict: report.verdict,
      parts: report.families.flatMap((each) => each.unverified.map(({ part }) => part)),
    }
  }

  it('is one of: no drift, drift, not verified', () => {
    expect(verdictOf(saved)).toEqual({ verdict: 'noDrift', parts: [] })
    expect(verdictOf(withoutMark)).toEqual({ verdict: 'drift', parts: [] })
    expect(verdictOf(withoutNat)).toEqual({ verdict: 'notVerified', parts: ['iptables nat'] })
    expect(verdictOf('')).toEqual({ verdict: 'notVerified', parts: ['iptables'] })
  })

  it('is drift if a report contains both drift and unverified items', () => {
    const both = withoutNat.replace(/-A INPUT .* -j KUBE-NODEPORTS\n/, '')
    expect(verdictOf(both)).toEqual({ verdict: 'drift', parts: ['iptables nat'] })
  })

  it('combines the verdicts of all families', () => {
    const dual = compile(input, { nodeName: 'node-1' })
    expect(verdictOf(saved, {}, dual)).toEqual({ verdict: 'notVerified', parts: ['iptables'] })
    expect(verdictOf(withoutMark, {}, dual).verdict).toBe('drift')
  })
})

describe('missing parts of a complete dump', () => {
  const tableOf =
    (name: string) =>
    (state: NodeState | undefined): NodeState => {
      const { tables = [], family = 'IPv4' } = state?.iptables ?? {}
      return { family, iptables: { family, tables: tables.filter((table) => table.name !== name) } }
    }
  const stateOf = (desired: CompileResult): NodeState => desired.families[0]?.state ?? { family: 'IPv4' }

  /** A repair writes rules in the kernel's normal form. */
  const nodeOf = (state: NodeState) =>
    nodeWith({ ...state, iptables: state.iptables && canonicalizeState(state.iptables) })

  /** Returns the report for a node with `live`, and its state after the repair. */
  function complete(live: NodeState, desired = result) {
    const report = verify(desired, { IPv4: live, IPv6: { family: 'IPv6' } }, { complete: true })
    const [family] = report.families
    if (family === undefined) throw new Error('no family')
    const { unverified, repair } = family
    const repaired = repair.reduce((node, run) => afterRun(node, run), nodeOf(live))
    return { verdict: report.verdict, unverified, tools: repair.map(({ tool }) => tool), repaired: linesOf(repaired) }
  }
  const whole = (desired = result) => linesOf(nodeOf(stateOf(desired)))

  it('are not reported if nothing is missing', () => {
    expect(complete(stateOf(result))).toEqual({ verdict: 'noDrift', unverified: [], tools: [], repaired: whole() })
  })

  it.each<[string, NodeState]>([
    ['a table', tableOf('nat')(stateOf(result))],
    ['another table', tableOf('filter')(stateOf(result))],
    ['everything', { family: 'IPv4' }],
  ])('are reported and repaired: %s', (_what, live) => {
    const tools = ['iptables-restore']
    expect(complete(live)).toEqual({ verdict: 'drift', unverified: [], tools, repaired: whole() })
  })

  it.each([
    ['ipvs', ['ipvsadm']],
    ['addresses', ['ip', 'ip']],
    ['iptables', ['iptables-restore']],
  ])('are reported and repaired: the subsystem %s', (name, tools) => {
    const ipvs = compiled('ipvs')
    const live = { ...stateOf(ipvs), [name]: undefined }
    expect(verify(ipvs, { IPv4: live, IPv6: { family: 'IPv6' } }).verdict).toBe('notVerified')
    expect(complete(live, ipvs)).toEqual({ verdict: 'drift', unverified: [], tools, repaired: whole(ipvs) })
  })
})

describe('missing subsystems and tables of a node', () => {
  const LOSSES = ['nat', 'filter', 'servers', 'addresses', 'device', 'everything'] as const

  function without(node: HeldNode, losses: readonly (typeof LOSSES)[number][]): HeldNode {
    if (losses.includes('everything')) return { ...EMPTY_NODE, tables: new Map() }
    const tables = [...node.tables].filter(([name]) => !losses.some((loss) => loss === name))
    const flushed = losses.includes('addresses') ? new Set<string>() : node.addresses
    return {
      ...node,
      tables: new Map(tables),
      servers: losses.includes('servers') ? new Map() : node.servers,
      addresses: node.addresses && (losses.includes('device') ? undefined : flushed),
    }
  }

  /** Excludes nftables mode, which `nftables-mutations` covers. */
  const casesOfRules = cases.filter(({ options }) => options.mode !== 'nftables')

  it('prevent the verdict "no drift", and are repaired if the dump is complete', () => {
    const seen = { notVerified: 0, drift: 0, ipvs: 0 }
    const lists = fc.uniqueArray(fc.constantFrom(...LOSSES), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(casesOfRules, fc.constantFrom(...IP_FAMILIES), lists, ({ cluster, options }, family, losses) => {
        const desired = compile(cluster, { ...options, families: [family] })
        fc.pre(desired.counts.rules > 0)
        const node = nodeHolding(desired, family)
        const left = without(node, losses)
        fc.pre(JSON.stringify(linesOf(left)) !== JSON.stringify(linesOf(node)))
        const verdictOf = (held: HeldNode, complete: boolean) =>
          verify(desired, readDump(dumpOf(held, family), { family }), { complete })
        const unsure = verdictOf(left, false).verdict
        expect(unsure).not.toBe('noDrift')
        const report = verdictOf(left, true)
        expect(report.verdict).toBe('drift')
        const repair = report.families.flatMap((each) => each.repair)
        // A kernel creates a table on first use.
        const held: HeldNode = { ...left, tables: new Map([...EMPTY_NODE.tables, ...left.tables]) }
        // Only the command that creates the device first checks for its existence.
        const isDone = (held: HeldNode, command: ToolCommand) =>
          command.skipIf !== undefined && held.addresses !== undefined
        const repaired = repair.reduce((held, run) => (isDone(held, run) ? held : afterRun(held, run)), held)
        expect(verdictOf(repaired, true).verdict).toBe('noDrift')
        seen.drift += 1
        if (unsure === 'notVerified') seen.notVerified += 1
        if (options.mode === 'ipvs') seen.ipvs += 1
      }),
      { numRuns: 30 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
  })
})
