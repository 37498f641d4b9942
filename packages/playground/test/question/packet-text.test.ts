import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PacketText, packetText, readPacket, withOrigin } from '../../src/question/packet-text.js'

describe('the text of the packet box', () => {
  it.each<[string, PacketText]>([
    ['from pod → 10.96.0.10:53/udp', { from: 'pod', to: { address: '10.96.0.10', family: 'IPv4', port: 53, protocol: 'UDP' } }],
    ['outside -> node:30080', { from: 'outside', to: { port: 30080, protocol: 'TCP' } }],
    ['from node to [fd00::1]:443', { from: 'node', to: { address: 'fd00::1', family: 'IPv6', port: 443, protocol: 'TCP' } }],
    ['10.0.0.1:80', { from: 'pod', to: { address: '10.0.0.1', family: 'IPv4', port: 80, protocol: 'TCP' } }],
    ['from 10.244.1.5 => default/web:http', { from: { address: '10.244.1.5', family: 'IPv4' }, to: { service: 'default/web', port: 'http' } }],
    ['svc/default/web', { from: 'pod', to: { service: 'default/web' } }],
    ['shop/web:80/UDP', { from: 'pod', to: { service: 'shop/web', port: '80', protocol: 'UDP' } }],
  ])('%s', (text, value) => {
    expect(readPacket(text)).toEqual({ ok: true, value })
  })

  it.each([
    ['', 'where to?'],
    ['from pod →', 'where to?'],
    ['from moon → node:1', 'from moon: expected'],
    ['10.0.0.1:0', 'expected an address and port'],
    ['10.0.0.1:65536', 'expected an address and port'],
    ['fd00::1:80', 'expected an address and port'],
    ['[10.0.0.1]:80', 'expected an address and port'],
    ['10.0.0.1:80/icmp', 'expected an address and port'],
    ['a → b → c', 'more than one arrow'],
  ])('%s is refused', (text, problem) => {
    expect(readPacket(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  it('is read as it was written', () => {
    const port = fc.integer({ min: 1, max: 65535 })
    const protocol = fc.constantFrom('TCP' as const, 'UDP' as const, 'SCTP' as const)
    const ipv4 = fc.ipV4().map((address) => ({ address, family: 'IPv4' as const }))
    const packet: fc.Arbitrary<PacketText> = fc.record({
      from: fc.oneof(fc.constantFrom('pod' as const, 'node' as const, 'outside' as const), ipv4),
      to: fc.oneof(
        fc.record({ port, protocol }),
        fc.tuple(ipv4, port, protocol).map(([ip, number, name]) => ({ ...ip, port: number, protocol: name })),
        fc.record({ service: fc.constantFrom('default/web', 'a/b-c'), port: fc.constantFrom('http', '80'), protocol }),
      ),
    })
    fc.assert(
      fc.property(packet, (value) => {
        expect(readPacket(packetText(value))).toEqual({ ok: true, value })
      }),
      { seed: 1 },
    )
  })

  it('takes any text without failing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof readPacket(text).ok).toBe('boolean')
      }),
      { seed: 1 },
    )
  })

  it('keeps its destination when its origin changes', () => {
    expect(withOrigin('from pod → node:30080', 'outside')).toBe('from outside → node:30080')
    expect(withOrigin('node:30080', 'node')).toBe('from node → node:30080')
  })
})
