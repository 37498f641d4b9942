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
create NETMASK hash:ip family inet hashsize 1024 maxelem 65536 netmask 24
add NETMASK 10.96.0.0
create NETS hash:net family inet hashsize 1024 maxelem 65536
add NETS 10.0.0.0/8
add NETS 10.96.0.0/16 nomatch
add NETS 10.96.0.1
add NETS 10.96.1.1 nomatch
add NETS 10.96.1.0/24
create NETS6 hash:net family inet6 hashsize 1024 maxelem 65536
add NETS6 ::/1
create NET-PORTS hash:net,port family inet hashsize 1024 maxelem 65536
add NET-PORTS 10.96.0.0/16,tcp:80
add NET-PORTS 10.96.0.0/16,udp:53
create NET-PAIRS hash:net,net family inet hashsize 1024 maxelem 65536
add NET-PAIRS 10.0.0.0/8,203.0.113.0/24
add NET-PAIRS 10.96.0.0/16,203.0.0.0/16 nomatch
create INTERFACES hash:net,iface family inet hashsize 1024 maxelem 65536
add INTERFACES 203.0.113.0/24,eth0
create MARKS hash:ip,mark family inet markmask 0xffffffff hashsize 1024 maxelem 65536
add MARKS 10.96.0.1,0x00000000
create LOW-MARKS hash:ip,mark family inet markmask 0x000000ff hashsize 1024 maxelem 65536
add LOW-MARKS 10.96.0.1,0x00000000
create ADDRESS-RANGE bitmap:ip range 10.96.0.0-10.96.0.255
add ADDRESS-RANGE 10.96.0.1
create MACS hash:mac hashsize 1024 maxelem 65536
add MACS 00:11:22:33:44:55
create UNREAD-EXCEPTION hash:net family inet hashsize 1024 maxelem 65536
add UNREAD-EXCEPTION 10.0.0.0/8
add UNREAD-EXCEPTION example.org nomatch
create LIST list:set size 8
add LIST NETS
add LIST PORTS
create LIST-OF-UNKNOWN list:set size 8
add LIST-OF-UNKNOWN ADDRESSES
add LIST-OF-UNKNOWN MACS
`

function membership() {
  const parsed = parseIpset(SAVED)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return lowerIpset(parsed.value, 'IPv4', undefined)
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
    ['RANGES', 'dst,dst,src', { source: '192.0.2.8' }, 'no'],
    ['RANGES', 'dst,dst,src', { source: '203.0.113.2' }, 'no'],
    ['NODE-PORTS', 'dst', {}, 'yes'],
    ['NODE-PORTS', 'dst', { destinationPort: 8080 }, 'no'],
    ['NODE-PORTS', 'src', { sourcePort: undefined }, 'unknown'],
    ['WITH-RANGE', 'dst', {}, 'yes'],
    ['WITH-RANGE', 'dst', { destination: '10.97.0.5' }, 'unknown'],
    ['NETMASK', 'dst', {}, 'unknown'],
    ['NETS', 'dst', {}, 'yes'],
    ['NETS', 'dst', { destination: '10.96.0.2' }, 'no'],
    ['NETS', 'dst', { destination: '10.97.0.2' }, 'yes'],
    ['NETS', 'dst', { destination: '10.96.1.1' }, 'no'],
    ['NETS', 'dst', { destination: '10.96.1.2' }, 'yes'],
    ['NETS', 'src', {}, 'no'],
    ['NETS6', 'dst', {}, 'no'],
    ['NET-PORTS', 'dst,dst', {}, 'yes'],
    ['NET-PORTS', 'dst,dst', { destinationPort: 53 }, 'no'],
    ['NET-PORTS', 'dst,dst', { destinationPort: 53, protocol: 'udp' }, 'yes'],
    // Rules with fewer directions than the set has parts match nothing.
    ['NET-PORTS', 'dst', {}, 'no'],
    ['NET-PAIRS', 'dst,src', {}, 'no'],
    ['NET-PAIRS', 'dst,src', { destination: '10.97.0.1' }, 'yes'],
    ['NET-PAIRS', 'src,dst', {}, 'no'],
    ['INTERFACES', 'src,src', { inInterface: 'eth0' }, 'yes'],
    ['INTERFACES', 'src,src', { inInterface: 'eth1' }, 'no'],
    ['INTERFACES', 'src,src', { inInterface: undefined }, 'unknown'],
    ['INTERFACES', 'src,dst', {}, 'unknown'],
    ['MARKS', 'dst,dst', {}, 'yes'],
    ['MARKS', 'dst,dst', { mark: 1 }, 'no'],
    ['LOW-MARKS', 'dst,dst', {}, 'unknown'],
    ['ADDRESS-RANGE', 'dst', {}, 'yes'],
    ['ADDRESS-RANGE', 'src', {}, 'no'],
    ['MACS', 'src', {}, 'unknown'],
    ['UNREAD-EXCEPTION', 'dst', {}, 'unknown'],
    ['LIST', 'dst,dst', { destination: '10.97.0.2' }, 'yes'],
    ['LIST', 'dst,dst', { destination: '10.96.0.2' }, 'no'],
    ['LIST', 'src,dst', { source: '10.96.0.1', destinationPort: 80 }, 'yes'],
    ['LIST', 'dst', { destination: '10.96.0.2' }, 'no'],
    ['LIST-OF-UNKNOWN', 'dst', {}, 'yes'],
    ['LIST-OF-UNKNOWN', 'src', {}, 'unknown'],
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
    ['RANGES', 'dst,dst,src', ['192.0.2.7', '203.0.113.0/24', '203.0.113.2'], []],
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
