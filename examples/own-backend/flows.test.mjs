import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import { anyCluster, anyPacket } from '@kube-rules/testing'
import fc from 'fast-check'
import { changeFlows, listFlows, printFlow } from './flows.mjs'
import { runPacket } from './run-packet.mjs'

const SERVICE = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.10',
    ports: [{ name: 'http', port: 80 }],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
  },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.80' }] } },
}
const NODE = { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }

function sliceOf(...addresses) {
  return {
    metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  }
}

function compileShop(services, slices, previous) {
  const input = { services, endpointSlices: slices, nodes: [NODE], configuration: { clusterCIDR: '10.244.0.0/16' } }
  return compile(input, { families: ['IPv4'], previous })
}

function planOf({ families: [{ plan }] }) {
  return plan
}

test('the flows of a Service contain its decisions', () => {
  const flows = listFlows(planOf(compileShop([SERVICE], [sliceOf('10.244.1.5')])))
  const ofService = [...flows].map(printFlow).filter((text) => /nw_dst=/.test(text))
  assert.deepEqual(ofService, [
    'table=6,priority=2,tcp,nw_dst=10.96.0.10,tp_dst=80,reg0=0x0/0x1,actions=set_field:0x8/0x8->reg0,multipath(symmetric_l4,0,modulo_n,1,0,NXM_NX_REG1[]),resubmit(,7)',
    'table=6,priority=1,tcp,nw_dst=10.96.0.10,tp_dst=80,actions=multipath(symmetric_l4,0,modulo_n,1,0,NXM_NX_REG1[]),resubmit(,7)',
    'table=7,priority=1,tcp,nw_dst=10.96.0.10,tp_dst=80,reg1=0,reg0=0x0/0x10,actions=ct(commit,zone=0,nat(dst=10.244.1.5:8080),table=8)',
    'table=7,priority=2,tcp,nw_dst=10.96.0.10,tp_dst=80,reg1=0,reg0=0x0/0x10,nw_src=10.244.1.5,actions=set_field:0x8/0x8->reg0,ct(commit,zone=0,nat(dst=10.244.1.5:8080),table=8)',
    'table=5,priority=2,tcp,nw_dst=192.0.2.80,tp_dst=80,nw_src=203.0.113.0/24,actions=resubmit(,6)',
    'table=5,priority=1,tcp,nw_dst=192.0.2.80,tp_dst=80,actions=drop',
    'table=6,priority=1,tcp,nw_dst=192.0.2.80,tp_dst=80,actions=set_field:0x8/0x8->reg0,multipath(symmetric_l4,0,modulo_n,1,0,NXM_NX_REG1[]),resubmit(,7)',
    'table=7,priority=1,tcp,nw_dst=192.0.2.80,tp_dst=80,reg1=0,reg0=0x0/0x10,actions=ct(commit,zone=0,nat(dst=10.244.1.5:8080),table=8)',
    'table=7,priority=2,tcp,nw_dst=192.0.2.80,tp_dst=80,reg1=0,reg0=0x0/0x10,nw_src=10.244.1.5,actions=set_field:0x8/0x8->reg0,ct(commit,zone=0,nat(dst=10.244.1.5:8080),table=8)',
  ])
})

test('a changed Service changes only its own flows', () => {
  const service = { ...SERVICE, spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] }, status: {} }
  const other = {
    metadata: { namespace: 'shop', name: 'db' },
    spec: { clusterIP: '10.96.0.11', ports: [{ port: 80 }] },
  }
  const before = compileShop([service, other], [sliceOf('10.244.1.5')])
  const after = compileShop([service], [sliceOf('10.244.2.7')], before)
  assert.deepEqual(changeFlows(planOf(before), planOf(after)).split('\n'), [
    'delete_strict table=6,priority=1,tcp,nw_dst=10.96.0.11,tp_dst=80',
    'delete_strict table=7,priority=2,tcp,nw_dst=10.96.0.10,tp_dst=80,reg1=0,reg0=0x0/0x10,nw_src=10.244.1.5',
    'add table=7,priority=1,tcp,nw_dst=10.96.0.10,tp_dst=80,reg1=0,reg0=0x0/0x10,actions=ct(commit,zone=0,nat(dst=10.244.2.7:8080),table=8)',
    'add table=7,priority=2,tcp,nw_dst=10.96.0.10,tp_dst=80,reg1=0,reg0=0x0/0x10,nw_src=10.244.2.7,actions=set_field:0x8/0x8->reg0,ct(commit,zone=0,nat(dst=10.244.2.7:8080),table=8)',
    '',
  ])
  assert.equal(changeFlows(planOf(after), planOf(compileShop([service], [sliceOf('10.244.2.7')], after))), '')
})

const OPTIONS = { nodeName: 'node-1', mode: 'nftables' }

/** The interfaces of generated packets. */
const BRIDGE = { bridgePorts: ['veth12', 'eth0', 'cbr0'] }

const casesOfPackets = fc.tuple(anyCluster({ mode: 'nftables' }), fc.nat(1)).chain(([cluster, index]) => {
  const { plan } = compile(cluster, OPTIONS).families[index]
  const packets = fc.array(anyPacket(plan), { minLength: 10, maxLength: 10 })
  return packets.map((all) => ({ plan, packets: all.filter(isOnBridge) }))
})

/** Packets to and from loopback addresses do not reach a bridge. */
function isOnBridge({ source, destination }) {
  return ![source, destination].some((address) => address.startsWith('127.') || address === '::1')
}

test('packets have the outcomes that decide expects', () => {
  const counts = {}
  fc.assert(
    fc.property(casesOfPackets, ({ plan, packets }) => {
      const flows = listFlows(plan, BRIDGE)
      for (const packet of packets) {
        const { kind, ends } = expectedEnds(plan, packet)
        counts[kind] = (counts[kind] ?? 0) + 1
        assert.deepEqual(runPacket(flows, packet), ends)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
  for (const kind of ['endpoints', 'masqueraded', 'reject', 'drop', 'unmatched']) assert.ok(counts[kind] > 20, kind)
})

function expectedEnds(plan, packet) {
  const decision = decide(plan, packet)
  const { kind } = decision
  if (kind === 'reject') return { kind, ends: ['rejected'] }
  if (kind === 'drop') return { kind, ends: ['dropped'] }
  if (kind !== 'endpoints') return { kind: 'unmatched', ends: ['unmatched'] }
  const ends = decision.candidates.map(({ endpoint: { ip, port }, masquerade }) => {
    return `${ip.includes(':') ? `[${ip}]` : ip}:${port}${masquerade ? ', masqueraded' : ''}`
  })
  const isMasqueraded = decision.candidates.some(({ masquerade }) => masquerade)
  return { kind: isMasqueraded ? 'masqueraded' : kind, ends: [...new Set(ends)].sort() }
}

test('the flows after a change are those of the next plan', () => {
  let unchanged = 0
  const pairs = fc.tuple(anyCluster(), anyCluster(), fc.boolean())
  fc.assert(
    fc.property(pairs, ([first, second, isSameNode]) => {
      // Usually only Services change, so that the change is incremental.
      const { services, endpointSlices, endpoints } = second
      const next = isSameNode ? { ...first, services, endpointSlices, endpoints } : second
      const previous = compile(first, OPTIONS)
      const { families } = compile(next, { ...OPTIONS, previous })
      for (const [index, { plan }] of families.entries()) {
        const flows = listFlows(previous.families[index].plan, BRIDGE)
        const lines = changeFlows(previous.families[index].plan, plan, BRIDGE)
        const expected = listFlows(plan, BRIDGE)
        assert.deepEqual(new Map([...apply(flows, lines)].sort()), new Map([...expected].sort()))
        if (lines.split('\n').length < expected.size) unchanged++
      }
    }),
    { seed: 1, numRuns: 100 },
  )
  assert.ok(unchanged > 20)
})

/** Applies the input of `ovs-ofctl add-flows`. */
function apply(flows, lines) {
  const result = new Map(flows)
  for (const line of lines.split('\n').filter(Boolean)) {
    const [, command, flow, actions] = /^(\w+) (.*?)(?:,actions=(.*))?$/.exec(line)
    if (command === 'add') result.set(flow, actions)
    else assert.ok(result.delete(flow), `no flow ${flow}`)
  }
  return result
}
