import { IP_FAMILIES, type IpFamily, type Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { explain, traceAllFrontends } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { printExplanation } from '../../src/view/print-texts.js'

function stateOf(name: string, family: IpFamily): NodeState {
  return annotateOwners(readDump(CORPUS_DUMPS.get(name) ?? '')[family])
}

describe('a packet to a node port on Kubernetes 1.12', () => {
  const state = stateOf('kube-1.12-node-port-redis.save', 'IPv4')
  const addresses = ['172.17.0.120']
  const packet: Packet = {
    origin: 'outside',
    protocol: 'TCP',
    source: '203.0.113.2',
    destination: '172.17.0.120',
    destinationPort: 31269,
  }

  it('reaches the endpoint of redis', () => {
    expect(
      printExplanation(explain(state, packet, { addresses })),
    ).toBe(`203.0.113.2 -> 172.17.0.120:31269/TCP, from outside
work/saythx-redis/TCP
PREROUTING nat: KUBE-SERVICES > KUBE-NODEPORTS > KUBE-MARK-MASQ > MARK --set-xmark 0x4000/0x4000, KUBE-NODEPORTS > KUBE-SVC-SMQNAAUIAENDDGYQ > KUBE-SEP-QX7VDAS5KDY6V3EV > DNAT --to-destination 10.32.0.2:6379
POSTROUTING nat: KUBE-POSTROUTING > MASQUERADE
=> 10.32.0.2:6379, masqueraded
`)
  })

  it('reaches one of five frontends', () => {
    const rows = traceAllFrontends(state, { addresses }).map(({ frontend: { owner, address, port }, outcomes }) => [
      owner,
      address,
      port,
      outcomes.outside,
    ])
    expect(rows).toEqual([
      ['work/saythx-redis/TCP', '172.17.0.120', 31269, '1 endpoint, masqueraded'],
      ['default/kubernetes:https/TCP', '10.96.0.1', 443, '1 endpoint'],
      ['kube-system/kube-dns:dns/UDP', '10.96.0.10', 53, '2 endpoints'],
      ['kube-system/kube-dns:dns-tcp/TCP', '10.96.0.10', 53, '2 endpoints'],
      ['work/saythx-redis/TCP', '10.103.193.175', 6379, '1 endpoint'],
    ])
  })
})

/**
 * The number of frontends of each dump, counted in its text, including health-check ports and frontends that only
 * reject.
 */
const FRONTENDS: Readonly<Record<string, Readonly<Record<IpFamily, number>>>> = {
  'calico.nft.save': { IPv4: 0, IPv6: 0 },
  'cilium.nft.save': { IPv4: 0, IPv6: 0 },
  'kube-1.12-node-port-redis.save': { IPv4: 5, IPv6: 0 },
  'kube-1.20-docker-flannel.legacy.save': { IPv4: 7, IPv6: 0 },
  'kube-1.33-ipvs.dump': { IPv4: 3, IPv6: 0 },
  'kube-1.1-portals.save': { IPv4: 10, IPv6: 0 },
  'kubelet-flannel.ip6.nft.save': { IPv4: 0, IPv6: 3 },
  'ufw.legacy.save': { IPv4: 0, IPv6: 0 },
}

describe.each([...CORPUS_DUMPS.keys()])('explain with the dump %s', (name) => {
  it.each(IP_FAMILIES)(
    'for every frontend of %s returns the packet outcome, or the conditions of the outcomes',
    (family) => {
      const addresses = [{ IPv4: '192.168.0.41', IPv6: 'fd00::41' }[family]]
      const rows = traceAllFrontends(stateOf(name, family), { addresses })
      expect(rows).toHaveLength(FRONTENDS[name]?.[family] ?? -1)
      for (const outcome of rows.flatMap(({ outcomes }) => Object.values(outcomes)))
        expect(outcome).toMatch(/endpoint|to the proxy|rejected|dropped|unmatched|cannot be determined/)
    },
  )
})
