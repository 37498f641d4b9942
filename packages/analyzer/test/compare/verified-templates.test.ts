import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import { createVerifiedTemplateLookup } from '../../src/compare/verified-templates.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import type { DriftGroup } from '../../src/verify/report.js'

const NODE = '192.168.0.2'

/** Two Services that differ only in their names and addresses. */
const INPUT = {
  services: ['cart', 'shop'].map((name, index) => ({
    metadata: { namespace: 'default', name },
    spec: { clusterIP: `10.96.0.${index + 1}`, ports: [{ port: 80 }] },
  })),
  endpointSlices: ['cart', 'shop'].map((name, index) => ({
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [`10.244.2.${index + 1}`] }],
    ports: [{ name: '', port: 8080 }],
  })),
}
const [family] = compile(INPUT, { families: ['IPv4'], kubernetesVersion: '1.34' }).families
const expected = family?.state as NodeState

/** Returns the state of a node after some lines were added to the beginning of the filter table. */
function nodeWith(...lines: readonly string[]): NodeState {
  const text = print(expected, { format: 'save', subsystem: 'iptables' })
  const dump = parseDump(text.replace(/(?=^-A )/m, lines.map((line) => `${line}\n`).join('')))
  if (!dump.ok) throw new Error(JSON.stringify(dump.problems))
  const { IPv4 } = dump.value
  return { family: 'IPv4', iptables: IPv4.iptables }
}

function keysOn(node: NodeState, drift: readonly DriftGroup[] = []): readonly (string | undefined)[] {
  const templateAt = createVerifiedTemplateLookup(node, expected, { addresses: [NODE] }, drift)
  return ['10.96.0.1', '10.96.0.2'].map((address) => templateAt(address)?.key)
}

describe('the templates of destinations on a verified node', () => {
  it('are equal if rules differ only in names and addresses', () => {
    const [cart, shop] = keysOn(nodeWith('-A FORWARD -i docker0 -j ACCEPT'))
    expect(cart).toEqual(expect.any(String))
    expect(shop).toBe(cart)
  })

  it('do not exist for an address that a rule of another program mentions', () => {
    const [cart, shop] = keysOn(nodeWith('-A OUTPUT -d 10.96.0.1/32 -j DROP'))
    expect(cart).toBe(undefined)
    expect(shop).toEqual(expect.any(String))
  })

  it.each([
    ['a partial dump', { ...nodeWith(), coverage: { complete: [] } }],
    ['a range that is none', nodeWith('-A OUTPUT -m iprange --dst-range 10.0.0.1-999.0.0.1 -j DROP')],
  ])('do not exist for %s', (_, node) => {
    expect(keysOn(node)).toEqual([undefined, undefined])
  })

  it('do not exist for a service port if a rule of another program jumps to its chain', () => {
    const [name = ''] =
      expected.iptables?.tables.flatMap(({ blocks }) =>
        blocks.flatMap(({ owner, chains }) => (owner === 'default/cart/TCP' ? chains : [])),
      ) ?? []
    expect(name).toMatch(/^KUBE-/)
    const [cart, shop] = keysOn(nodeWith(`-A OUTPUT -p tcp -j ${name}`))
    expect(cart).toBe(undefined)
    expect(shop).toEqual(expect.any(String))
  })

  const rule = { kind: 'rule', table: 'nat', chain: 'KUBE-SERVICES' } as const
  const item = { subsystem: 'iptables', location: 'nat/KUBE-SERVICES', kind: 'missing', reason: '' } as const
  const missing = { ...item, part: rule }
  const extra = (found: string, destination?: string) =>
    ({ ...item, kind: 'extra', found, part: { ...rule, found: destination ? { destination } : {} } }) as const

  it('do not exist for the owner of drift and for addresses in drift', () => {
    const [cart, shop] = keysOn(nodeWith(), [{ servicePort: 'default/cart/TCP', drift: [missing] }])
    expect([cart, typeof shop]).toEqual([undefined, 'string'])
    const found = '-A KUBE-SERVICES -s 10.0.0.1/32 -d 10.96.0.2/32 -j DROP'
    const [first, second] = keysOn(nodeWith(), [{ servicePort: '', drift: [extra(found, '10.96.0.2/32')] }])
    expect([typeof first, second]).toEqual(['string', undefined])
  })

  it.each([
    ['a rule for a network', extra('-A KUBE-SERVICES -d 10.96.0.0/16 -j DROP', '10.96.0.0/16')],
    ['a rule for all but one destination', extra('-A KUBE-SERVICES ! -d 10.0.0.1/32 -j DROP')],
    ['a whole set', { ...missing, part: { kind: 'set', set: 'KUBE-CLUSTER-IP' } }],
    ['a whole table', { ...missing, part: { kind: 'table', table: 'ip kube-proxy' } }],
    ['a whole map', { ...missing, part: { kind: 'set', table: 'ip kube-proxy', set: 'service-ips' } }],
  ] as const)('do not exist if drift is about %s between service ports', (_, item) => {
    expect(keysOn(nodeWith(), [{ servicePort: '', drift: [item] }])).toEqual([undefined, undefined])
  })
})
