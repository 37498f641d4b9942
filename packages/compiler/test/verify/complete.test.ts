import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import { canonicalState } from '../../src/dataplane/iptables/canonical-state.js'
import type { NodeState } from '../../src/dataplane/languages.js'
import { type VerifyOptions, verify } from '../../src/verify.js'
import { afterRun, linesOf, nodeWith } from '../support/held-node.js'
import { at, service, slice } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'
import { readDump } from '../support/read-dump.js'

const input = {
  services: [service()],
  endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}
const compiled = (mode: 'iptables' | 'ipvs') => compile(input, { nodeName: 'node-1', families: ['IPv4'], mode })

const result = compiled('iptables')
const saved = printFamily(result, { family: 'IPv4', spelling: 'save' })
const withoutNat = saved.replace(/\*nat[\s\S]*?COMMIT\n/, '')
const withoutMark = saved.replace(/-A KUBE-MARK-MASQ .*\n/, '')

describe('a verdict', () => {
  const verdictOf = (text: string, options: VerifyOptions = {}, desired = result) => {
    const report = verify(desired, readDump(text), options)
    return {
      verdict: report.verdict,
      parts: report.families.flatMap((each) => each.unverified.map(({ part }) => part)),
    }
  }

  it('is that there is no drift, or drift, or that nobody knows', () => {
    expect(verdictOf(saved)).toEqual({ verdict: 'noDrift', parts: [] })
    expect(verdictOf(withoutMark)).toEqual({ verdict: 'drift', parts: [] })
    expect(verdictOf(withoutNat)).toEqual({ verdict: 'notVerified', parts: ['iptables nat'] })
    expect(verdictOf('')).toEqual({ verdict: 'notVerified', parts: ['iptables'] })
  })

  it('is drift where something drifts and something else is not known', () => {
    const both = withoutNat.replace(/-A INPUT .* -j KUBE-NODEPORTS\n/, '')
    expect(verdictOf(both)).toEqual({ verdict: 'drift', parts: ['iptables nat'] })
  })

  it('is of all families together', () => {
    const dual = compile(input, { nodeName: 'node-1' })
    expect(verdictOf(saved, {}, dual)).toEqual({ verdict: 'notVerified', parts: ['iptables'] })
    expect(verdictOf(withoutMark, {}, dual).verdict).toBe('drift')
  })
})

describe('what a complete dump lacks is gone', () => {
  const tableOf =
    (name: string) =>
    (state: NodeState | undefined): NodeState => {
      const { tables = [], family = 'IPv4' } = state?.iptables ?? {}
      return { family, iptables: { family, tables: tables.filter((table) => table.name !== name) } }
    }
  const stateOf = (desired: CompileResult): NodeState => desired.families[0]?.state ?? { family: 'IPv4' }

  /** A repair says rules as the kernel does. */
  const nodeOf = (state: NodeState) =>
    nodeWith({ ...state, iptables: state.iptables && canonicalState(state.iptables) })

  /** The report on a node that holds `live`, and what it holds after the repair. */
  function complete(live: NodeState, desired = result) {
    const report = verify(desired, { IPv4: live, IPv6: { family: 'IPv6' } }, { complete: true })
    const [family] = report.families
    if (family === undefined) throw new Error('no family')
    const { unverified, repair } = family
    const repaired = repair.reduce((node, run) => afterRun(node, run), nodeOf(live))
    return { verdict: report.verdict, unverified, tools: repair.map(({ tool }) => tool), repaired: linesOf(repaired) }
  }
  const whole = (desired = result) => linesOf(nodeOf(stateOf(desired)))

  it('but nothing is where it lacks nothing', () => {
    expect(complete(stateOf(result))).toEqual({ verdict: 'noDrift', unverified: [], tools: [], repaired: whole() })
  })

  it.each<[string, NodeState]>([
    ['a table', tableOf('nat')(stateOf(result))],
    ['another table', tableOf('filter')(stateOf(result))],
    ['everything', { family: 'IPv4' }],
  ])('%s, and the repair brings it back', (_what, live) => {
    const tools = ['iptables-restore']
    expect(complete(live)).toEqual({ verdict: 'drift', unverified: [], tools, repaired: whole() })
  })

  it.each([
    ['ipvs', ['ipvsadm']],
    ['addresses', ['ip', 'ip']],
    ['iptables', ['iptables-restore']],
  ])('%s, and the repair brings it back', (name, tools) => {
    const ipvs = compiled('ipvs')
    const live = { ...stateOf(ipvs), [name]: undefined }
    expect(verify(ipvs, { IPv4: live, IPv6: { family: 'IPv6' } }).verdict).toBe('notVerified')
    expect(complete(live, ipvs)).toEqual({ verdict: 'drift', unverified: [], tools, repaired: whole(ipvs) })
  })
})
