import { expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { type TrackedNode, trackNode } from '../../src/tracker/track-node.js'
import { afterRun, type HeldNode, nodeWith } from '../support/held-node.js'
import { dumpOf } from '../support/node-dump.js'
import { at, service, slice } from '../support/objects.js'
import { readDump } from '../support/read-dump.js'

// A node has the rules of an earlier process in ipvs mode. A new process starts in iptables mode, without a dump.

function resultOf(mode: ProxyMode, clusterIP: string, kubernetesVersion?: string) {
  const web = service()
  const input = { services: [{ ...web, spec: { ...web.spec, clusterIP } }], endpointSlices: [slice(at('10.244.1.1'))] }
  return compile(input, { nodeName: 'node-1', families: ['IPv4'], mode, kubernetesVersion })
}

const EARLIER = nodeWith(resultOf('ipvs', '10.96.0.7').families[0]?.state)

function update(tracked: TrackedNode, node: HeldNode, result: ReturnType<typeof resultOf>): HeldNode {
  const commands = toCommands(tracked.updateTo(result).patch).filter(
    ({ tool }) => tool !== 'conntrack' && tool !== 'nft',
  )
  return commands.reduce<HeldNode>((held, command) => afterRun(held, command, () => {}), node)
}

const entriesOf = ({ sets }: HeldNode) => [...(sets.get('KUBE-CLUSTER-IP')?.entries.keys() ?? [])]

it('an update to iptables mode keeps old ipvs sets until a dump contains the ipvs virtual servers', () => {
  const tracked = trackNode()
  const node = update(tracked, EARLIER, resultOf('iptables', '10.96.0.8'))
  expect([...node.servers.keys()]).toEqual(['-t 10.96.0.7:80'])
  expect(node.sets.size).toBeGreaterThan(0)
  tracked.resync(readDump(dumpOf(node, 'IPv4')))
  const cleaned = update(tracked, node, resultOf('iptables', '10.96.0.8'))
  expect([cleaned.servers.size, cleaned.sets.size]).toEqual([0, 0])
})

it('an update back to ipvs mode removes old entries from the sets of an earlier ipvs mode', () => {
  const tracked = trackNode()
  const node = update(tracked, EARLIER, resultOf('iptables', '10.96.0.8'))
  expect(entriesOf(node)).toEqual(['10.96.0.7,tcp:80'])
  expect(entriesOf(update(tracked, node, resultOf('ipvs', '10.96.0.8')))).toEqual(['10.96.0.8,tcp:80'])
})

it('an update leaves IPv6 sets of versions up to 1.15, which have the names of IPv4 sets', () => {
  const resultOfVersion = (kubernetesVersion: string) =>
    compile({ services: [] }, { nodeName: 'node-1', families: ['IPv6'], mode: 'ipvs', kubernetesVersion })
  const [old, next] = [resultOfVersion('1.15'), resultOfVersion('1.16')]
  const node = nodeWith(old.families[0]?.state)
  expect(setsOf(update(trackNode(readDump(dumpOf(node, 'IPv6'))), node, next))).toEqual(
    [...setsOf(node), ...setsOf(nodeWith(next.families[0]?.state))].sort(),
  )
})

const setsOf = ({ sets }: HeldNode) => [...sets.keys()].sort()

it.each([
  ['a dump', true],
  ['no dump', false],
])('an update with %s removes the sets that only older versions in ipvs mode have', (_, hasDump) => {
  const old = nodeWith(resultOf('ipvs', '10.96.0.7', '1.15').families[0]?.state)
  expect(setsOf(old)).toContain('KUBE-NODE-PORT-SCTP')
  const next = resultOf('ipvs', '10.96.0.7', '1.30')
  const node = update(trackNode(hasDump ? readDump(dumpOf(old, 'IPv4')) : undefined), old, next)
  expect(setsOf(node)).toEqual(setsOf(nodeWith(next.families[0]?.state)))
})
