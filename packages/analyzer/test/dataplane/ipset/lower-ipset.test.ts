import { describe, expect, it } from 'vitest'
import { lowerIpset } from '../../../src/dataplane/ipset/lower-ipset.js'
import { parseIpset } from '../../../src/dataplane/ipset/parse.js'
import { evaluateLiteral } from '../../../src/program/evaluate-literal.js'
import type { KernelPacket } from '../../../src/program/kernel-packet.js'
import { createReadSet } from '../../../src/program/read-set.js'
import { recordReads } from '../../../src/program/record-reads.js'
import { kernelPacket, nodeFacts } from '../../program/programs.js'

const SAVED = `create ADDRESSES hash:ip family inet hashsize 1024 maxelem 65536
add ADDRESSES 10.96.0.1
create PORTS hash:ip,port family inet hashsize 1024 maxelem 65536
add PORTS 10.96.0.1,tcp:80
add PORTS 10.96.0.1,17:53
create HAIRPIN hash:ip,port,ip family inet hashsize 1024 maxelem 65536
add HAIRPIN 10.96.0.1,tcp:80,203.0.113.2
create RANGES hash:ip,port,net family inet hashsize 1024 maxelem 65536
add RANGES 10.96.0.1,tcp:80,203.0.113.0/24
add RANGES 10.96.0.1,tcp:80,192.0.2.7
add RANGES 10.96.0.1,tcp:80,203.0.113.2 nomatch
create NODE-PORTS bitmap:port range 0-65535
add NODE-PORTS 80
create WITH-RANGE hash:ip family inet hashsize 1024 maxelem 65536
add WITH-RANGE 10.96.0.1
add WITH-RANGE 10.97.0.0-10.97.0.9
create OTHER hash:net family inet hashsize 1024 maxelem 65536
add OTHER 10.0.0.0/8
`

function membership() {
  const parsed = parseIpset(SAVED)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return lowerIpset(parsed.value, undefined)
}

const lookUpSet = membership()

const lookUp = (name: string, directions: string) => lookUpSet(name, directions.split(',') as ('src' | 'dst')[])

const PACKET = { source: '203.0.113.2', sourcePort: 40000, destination: '10.96.0.1' }

describe('a lookup in a set', () => {
  it.each<[string, string, Partial<KernelPacket>, string]>([
    ['ADDRESSES', 'dst', {}, 'yes'],
    ['ADDRESSES', 'src', {}, 'no'],
    ['PORTS', 'dst,dst', {}, 'yes'],
    ['PORTS', 'dst,dst', { destinationPort: 81 }, 'no'],
    ['PORTS', 'dst,dst', { protocol: 'udp' }, 'no'],
    ['PORTS', 'dst,dst', { protocol: 'udp', destinationPort: 53 }, 'yes'],
    ['PORTS', 'src,dst', { source: '10.96.0.1' }, 'yes'],
    ['PORTS', 'dst,src', { sourcePort: 80 }, 'yes'],
    ['PORTS', 'dst,src', { sourcePort: undefined }, 'unknown'],
    ['HAIRPIN', 'dst,dst,src', {}, 'yes'],
    ['HAIRPIN', 'dst,dst,src', { source: '203.0.113.3' }, 'no'],
    ['HAIRPIN', 'dst,dst,src', { destinationPort: 81 }, 'no'],
    ['HAIRPIN', 'dst,src,src', { sourcePort: undefined }, 'unknown'],
    ['HAIRPIN', 'dst,src,src', { source: '203.0.113.3', sourcePort: undefined }, 'no'],
    ['HAIRPIN', 'dst,dst,dst', {}, 'no'],
    ['RANGES', 'dst,dst,src', { source: '203.0.113.9' }, 'yes'],
    ['RANGES', 'dst,dst,src', { source: '192.0.2.7' }, 'yes'],
    ['RANGES', 'dst,dst,src', { source: '192.0.2.8' }, 'unknown'],
    ['NODE-PORTS', 'dst', {}, 'yes'],
    ['NODE-PORTS', 'dst', { destinationPort: 8080 }, 'no'],
    ['NODE-PORTS', 'src', { sourcePort: undefined }, 'unknown'],
    ['WITH-RANGE', 'dst', {}, 'yes'],
    ['WITH-RANGE', 'dst', { destination: '10.97.0.5' }, 'unknown'],
    ['OTHER', 'dst', {}, 'unknown'],
    ['MISSING', 'dst', {}, 'unknown'],
  ])('evaluates set %s with directions %s and packet %o to %s', (name, directions, packet, ternary) => {
    const held = kernelPacket({ ...PACKET, ...packet })
    expect(evaluateLiteral(lookUp(name, directions), held, 'PREROUTING', nodeFacts())).toBe(ternary)
  })
})

describe('a set match', () => {
  function readSetBy(name: string, directions: string, packet: Partial<KernelPacket> = {}) {
    const readSet = createReadSet()
    recordReads(lookUp(name, directions), kernelPacket({ ...PACKET, ...packet }), 'PREROUTING', readSet)
    return { sources: [...readSet.sources].sort(), ports: [...readSet.ports] }
  }

  it.each([
    ['NODE-PORTS', 'dst', [], ['80']],
    ['NODE-PORTS', 'src', [], []],
    ['ADDRESSES', 'dst', [], []],
    ['ADDRESSES', 'src', ['10.96.0.1'], []],
    ['PORTS', 'dst,dst', [], []],
    ['PORTS', 'src,src', [], []],
    // Sources of entries for the protocol and port of the packet, and the ports of all entries.
    ['PORTS', 'src,dst', ['10.96.0.1'], ['80', '53']],
    ['HAIRPIN', 'dst,dst,src', ['203.0.113.2'], []],
    ['HAIRPIN', 'dst,dst,dst', [], []],
    ['RANGES', 'dst,dst,src', ['192.0.2.7', '203.0.113.0/24'], []],
    ['MISSING', 'src', [], []],
  ])('on set %s with directions %s reads the sources %j and the ports %j', (name, directions, sources, ports) => {
    expect(readSetBy(name, directions)).toEqual({ sources, ports })
  })

  it('has no sources in its read set for other destinations, and no ports after a translation', () => {
    expect(readSetBy('RANGES', 'dst,dst,src', { destination: '10.96.0.2' }).sources).toEqual([])
    expect(readSetBy('NODE-PORTS', 'dst', { translatedBy: 'dnat' }).ports).toEqual([])
    expect(readSetBy('PORTS', 'src,dst', { translatedBy: 'dnat' })).toEqual({ sources: ['10.96.0.1'], ports: [] })
  })
})
