import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPacketText, parsePacketText, replacePacketOrigin } from '../../src/question/packet-text.js'

describe('the text of the packet box', () => {
  it.each([
    ['from pod → 10.96.0.10:53/udp', 'pod', '10.96.0.10:53/udp'],
    ['outside -> node:30080', 'outside', 'node:30080'],
    ['from node to [fd00::1]:443', 'node', '[fd00::1]:443'],
    ['10.0.0.1:80', 'pod', '10.0.0.1:80'],
    ['from 10.244.1.5 => default/web:http', '10.244.1.5', 'default/web:http'],
    ['from fd00::7→svc/web', 'fd00::7', 'svc/web'],
    ['  shop/web:80/UDP ', 'pod', 'shop/web:80/UDP'],
    [`from pod${' '.repeat(1_000_000)}10.0.0.1:80`.replace(/(?=10)/, '→ '), 'pod', '10.0.0.1:80'],
  ])('is parsed: %s', (text, from, to) => {
    expect(parsePacketText(text)).toEqual({ ok: true, value: { from, to } })
  })

  it.each([
    ['', 'the destination is missing'],
    ['from pod →', 'the destination is missing'],
    ['from moon → node:1', 'moon: expected'],
    ['10.0.0.1:0', 'is not a valid destination'],
    ['fd00::1:80', 'is not a valid destination'],
    ['10.0.0.1:80/icmp', 'is not a valid destination'],
    ['a → b → c', 'more than one arrow'],
  ])('is rejected: %s', (text, problem) => {
    expect(parsePacketText(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  it('is parsed to the same packet after it is formatted', () => {
    const port = fc.integer({ min: 1, max: 65535 })
    const suffix = fc.constantFrom('', '/udp', '/TCP', '/sctp')
    const host = fc.oneof(fc.ipV4(), fc.constantFrom('node', 'default/web', 'a/b-c'))
    const packet = fc.record({
      from: fc.oneof(fc.constantFrom('pod', 'node', 'outside'), fc.ipV4()),
      to: fc.tuple(host, port, suffix).map(([name, number, end]) => `${name}:${number}${end}`),
    })
    fc.assert(
      fc.property(packet, (value) => {
        expect(parsePacketText(formatPacketText(value))).toEqual({ ok: true, value })
      }),
    )
  })

  it('never throws when it is parsed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof parsePacketText(text).ok).toBe('boolean')
      }),
    )
  })

  it('keeps the destination when the origin changes', () => {
    expect(replacePacketOrigin('from pod → node:30080', 'outside')).toBe('from outside → node:30080')
    expect(replacePacketOrigin('node:30080', 'node')).toBe('from node → node:30080')
  })
})
