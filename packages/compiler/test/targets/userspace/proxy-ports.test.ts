import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frontend } from '../../../src/plan/plan.js'
import { assignProxyPorts, type ProxyPorts } from '../../../src/targets/userspace/proxy-ports.js'
import type { UserspaceContribution } from '../../../src/targets/userspace/userspace-contribution.js'
import { servicePortId } from '../../support/model-builder.js'

function part(name: string, { nodePort = 0, identity = 'one' } = {}): UserspaceContribution {
  const common = { usesLocalPolicy: false, clauses: [] }
  const clusterIP: Frontend = { kind: 'clusterIP', address: '10.96.0.1', port: 80, ...common }
  const frontends = nodePort === 0 ? [clusterIP] : [clusterIP, { kind: 'nodePort' as const, port: nodePort, ...common }]
  const id = servicePortId({ name, portName: '' })
  return { id, identity, frontends, lowering: { hostAddress: '192.168.0.2', destinationSuffix: '' } }
}

const NONE: ProxyPorts = new Map()
const chosen = (
  parts: readonly UserspaceContribution[],
  settings: Partial<Parameters<typeof assignProxyPorts>[1]> = {},
  before: ProxyPorts = NONE,
) => {
  const { ports, diagnostics } = assignProxyPorts(parts, { proxyPorts: {}, ...settings }, before)
  return { ports, diagnostics, numbers: Object.fromEntries(Array.from(ports, ([name, { port }]) => [name, port])) }
}

describe('the proxy ports that userspace mode chooses', () => {
  it('start at 40000 and follow the order of the service ports', () => {
    expect(chosen([part('a'), part('b'), part('c')]).numbers).toEqual({
      'ns1/a': 40000,
      'ns1/b': 40001,
      'ns1/c': 40002,
    })
  })

  it('exclude node ports, and known ports of other service ports', () => {
    const parts = [part('a'), part('b', { nodePort: 40000 }), part('c')]
    expect(chosen(parts, { proxyPorts: { 'ns1/c': 40001 } }).numbers).toEqual({
      ...{ 'ns1/c': 40001, 'ns1/a': 40002, 'ns1/b': 40003 },
    })
  })

  it('are in the requested range, or missing with a warning if the range is exhausted', () => {
    const { numbers, diagnostics } = chosen([part('a'), part('b'), part('c')], { portRange: { first: 100, last: 101 } })
    expect(numbers).toEqual({ 'ns1/a': 100, 'ns1/b': 101 })
    expect(diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'noProxyPort',
        object: { kind: 'Service', namespace: 'ns1', name: 'c' },
        message: 'all ports from 100 to 101 are in use: ns1/c has no rules',
      },
    ])
  })

  it('exclude port 0', () => {
    expect(chosen([part('a')], { portRange: { first: 0, last: 5 } }).numbers).toEqual({ 'ns1/a': 1 })
  })

  it('equal the known ports unless another service port uses the same proxy or node port', () => {
    const parts = [part('a'), part('b'), part('c', { nodePort: 31000 })]
    const { numbers, diagnostics } = chosen(parts, {
      proxyPorts: { 'ns1/a': 50, 'ns1/b': 50, 'ns1/c': 31000, 'ns1/d': 7 },
    })
    expect(numbers).toEqual({ 'ns1/a': 50, 'ns1/b': 40000, 'ns1/c': 40001 })
    expect(diagnostics.map(({ severity, code, path, message }) => `${severity} ${code} ${path}: ${message}`)).toEqual([
      'warning proxyPortIgnored proxyPorts[ns1/b]: 50 is also assigned to ns1/a: another port is used',
      'warning proxyPortIgnored proxyPorts[ns1/c]: 31000 is a node port of ns1/c: another port is used',
      'info proxyPortIgnored proxyPorts[ns1/d]: no service port has this name',
    ])
    expect(diagnostics.map(({ object }) => object)).toEqual(diagnostics.map(() => ({ kind: 'Host', name: 'host' })))
  })

  it('are kept for unchanged service ports, and replaced for changed service ports', () => {
    const before = chosen([part('a'), part('b'), part('c')]).ports
    const parts = [part('0'), part('b', { identity: 'two' }), part('c')]
    expect(chosen(parts, {}, before).numbers).toEqual({ 'ns1/c': 40002, 'ns1/0': 40003, 'ns1/b': 40004 })
  })

  it('may be reused after an update without their service ports', () => {
    const first = chosen([part('a'), part('b')]).ports
    const second = chosen([part('b')], {}, first).ports
    expect(chosen([part('a'), part('b')], {}, second).numbers).toEqual({ 'ns1/b': 40001, 'ns1/a': 40000 })
  })

  it('are reused in the same update if no other ports are free', () => {
    const range = { portRange: { first: 10, last: 11 } }
    const before = chosen([part('a'), part('b')], range).ports
    expect(chosen([part('a', { identity: 'two' }), part('b')], range, before).numbers).toEqual({
      'ns1/b': 11,
      'ns1/a': 10,
    })
  })

  it('are replaced if they are now node ports or out of range', () => {
    const before = chosen([part('a'), part('b')]).ports
    const parts = [part('a'), part('b'), part('c', { nodePort: 40000 })]
    expect(chosen(parts, {}, before).numbers).toEqual({ 'ns1/b': 40001, 'ns1/a': 40002, 'ns1/c': 40003 })
    expect(chosen([part('a')], { portRange: { first: 50, last: 60 } }, before).numbers).toEqual({ 'ns1/a': 50 })
  })

  it('are unique, unchanged where possible, and the same if the caller passes them as known ports', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const parts = fc
      .subarray(names)
      .chain((some) =>
        fc.tuple(
          ...some.map((name) =>
            fc
              .record({ nodePort: fc.constantFrom(0, 0, 40000, 40003), identity: fc.constantFrom('one', 'two') })
              .map((fields) => part(name, fields)),
          ),
        ),
      )
    const given = fc.dictionary(
      fc.constantFrom(...names.map((name) => `ns1/${name}`)),
      fc.integer({ min: 39999, max: 40004 }),
    )
    fc.assert(
      fc.property(parts, parts, given, (first, second, proxyPorts) => {
        const before = chosen(first).ports
        const { ports, numbers } = chosen(second, { proxyPorts }, before)
        const all = Object.values(numbers)
        const nodePorts = second.flatMap(({ frontends }) =>
          frontends.flatMap(({ kind, port }) => (kind === 'nodePort' ? port : [])),
        )
        expect(new Set(all).size).toBe(second.length)
        expect(all.filter((port) => nodePorts.includes(port))).toEqual([])
        for (const { id, identity } of second) {
          const old = before.get(id.text)
          const isTaken =
            old === undefined || nodePorts.includes(old.port) || Object.values(proxyPorts).includes(old.port)
          if (Object.hasOwn(proxyPorts, id.text) || isTaken) continue
          if (old.identity === identity) expect(ports.get(id.text)?.port).toBe(old.port)
          else expect(ports.get(id.text)?.port).not.toBe(old.port)
        }
        expect(chosen(second, { proxyPorts: numbers }).numbers).toEqual(numbers)
      }),
    )
  })
})
