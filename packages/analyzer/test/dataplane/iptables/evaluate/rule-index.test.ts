import { describe, expect, it } from 'vitest'
import { createDestinationReadLog } from '../../../../../compiler/src/dataplane/netfilter/destination-read-log.js'
import type { KernelPacket } from '../../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { createReadSet } from '../../../../../compiler/src/dataplane/netfilter/read-set.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { kernelPacket, passage } from '../../../../../compiler/test/support/passages.js'
import { indexRules } from '../../../../src/dataplane/iptables/evaluate/rule-index.js'

describe('the index of a chain', () => {
  it('does not treat the network 2001:db8::/32 as an address', () => {
    const chain = Array.from({ length: 16 }, () => ({
      rule: readRule('-d 2001:db8::/32 -j ACCEPT', 'IPv6'),
      owner: '',
    }))
    expect(indexRules(chain)(passage({ destination: '2001:db8::1' }).packet)).toHaveLength(16)
  })

  it('skips rules with another port of the same address', () => {
    const chain = Array.from({ length: 1000 }, (_, index) => ({
      rule: readRule(`-d 10.96.0.1/32 -p tcp -m tcp --dport ${1000 + index} -j ACCEPT`),
      owner: String(index),
    }))
    const { packet } = passage({ destination: '10.96.0.1', destinationPort: 1004 })
    expect(indexRules(chain)(packet).map(({ owner }) => owner)).toEqual(['4'])
  })

  it('skips rules with another address or port', () => {
    const chain = Array.from({ length: 1000 }, (_, index) => ({
      rule: readRule(`-d 10.96.${index >> 8}.${index & 255}/32 -p tcp -m tcp --dport 80 -j ACCEPT`),
      owner: String(index),
    }))
    const { packet } = passage({ destination: '10.96.1.4' })
    expect(indexRules(chain)(packet).map(({ owner }) => owner)).toEqual(['260'])
  })

  const chainOf = (count: number, ...words: readonly string[]) =>
    Array.from({ length: count }, (_, index) => words[index] ?? '-d 10.9.9.9/32').map((each) => ({
      rule: readRule(`${each} -j ACCEPT`),
      owner: each,
    }))
  const foundIn = (chain: ReturnType<typeof chainOf>, packet: Partial<KernelPacket>) =>
    indexRules(chain)(passage(packet).packet).map(({ owner }) => owner)

  const WORDS = [
    '-p tcp -m tcp --dport 80',
    '-d 10.96.0.1/32',
    '-s 10.0.0.1',
    '-p tcp -m tcp --dport 443 -d 10.96.0.1',
    '! -d 10.96.0.1',
    '-p tcp -m tcp ! --dport 80',
    '-p tcp -m tcp --dport 80:81',
    '-d 10.96.0.0/16 -p tcp -m tcp --dport 443',
    '-d 10.96.0.2',
  ]
  const [port80, ip1, source, ip1Port443, notIp1, not80, range, port443, ip2] = WORDS
  const anywhere = [notIp1, not80, range]

  it.each([
    [{ destination: '10.96.0.1', destinationPort: 80 }, [port80, ip1, source, ...anywhere]],
    [{ destination: '10.96.0.1', destinationPort: 443 }, [ip1, source, ip1Port443, ...anywhere, port443]],
    [
      { destination: '10.96.0.1', destinationPort: 80, readSet: createReadSet() },
      [port80, ip1, source, ip1Port443, ...anywhere, port443],
    ],
    [{ destination: '10.96.0.2', destinationPort: 443 }, [source, ...anywhere, port443, ip2]],
    [{ destination: '10.96.0.3', destinationPort: 81 }, [source, ...anywhere]],
    [
      { destination: '10.96.0.2', destinationPort: 81, readSet: createReadSet() },
      [port80, source, ...anywhere, port443, ip2],
    ],
    [
      { destination: '10.96.0.2', destinationPort: 81, readSet: createReadSet(), translatedBy: 'dnat' as const },
      [source, ...anywhere, ip2],
    ],
  ])('finds rules in order by address, or by port for rules without an address: %j', (packet, expected) => {
    expect(foundIn(chainOf(16, ...WORDS), packet)).toEqual(expected)
  })

  it('returns all rules if the chain is small or the destination of the packet is unknown', () => {
    expect(foundIn(chainOf(15, ...WORDS), { destination: '10.96.0.3' })).toHaveLength(15)
    expect(foundIn(chainOf(16, ...WORDS), { translatedBy: 'redirectToInterface' })).toHaveLength(16)
    const plain = chainOf(16, ...Array.from({ length: 16 }, () => '-s 10.0.0.1'))
    expect(indexRules(plain)(passage().packet)).toBe(plain)
  })

  it('records every query for a destination', () => {
    const destinationLog = createDestinationReadLog(undefined)
    const rulesFor = indexRules(chainOf(16, ...WORDS))
    rulesFor(kernelPacket({ destination: '10.96.0.3', destinationPort: 81, destinationLog }))
    rulesFor(kernelPacket({ destination: '10.96.0.4', destinationPort: 81, destinationLog }))
    const [first, second] = destinationLog.queries
    expect(first?.result).toBe(second?.result)
    expect(first?.evaluate(kernelPacket({ destination: '10.96.0.2' }))).not.toBe(first?.result)
  })
})
