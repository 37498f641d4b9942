import type { Service } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import { diff, type ResultPatch } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { afterRun, type HeldNode, nodeWith } from '../support/held-node.js'
import { dumpOf } from '../support/node-dump.js'
import { readDump } from '../support/read-dump.js'

const service: Service = {
  metadata: { namespace: 'a', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.2',
    ports: [{ name: 'http', port: 80, nodePort: 30080 }],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } },
}

function resultOf(mode: 'ipvs' | 'iptables', kubernetesVersion: string) {
  return compile({ services: [service] }, { nodeName: 'node-1', families: ['IPv4'], mode, kubernetesVersion })
}

const afterCommands = (patch: ResultPatch, node: HeldNode) =>
  toCommands(patch)
    .filter(({ tool }) => tool !== 'nft')
    .reduce<HeldNode>((held, command) => afterRun(held, command), node)
const chainsOf = (node: HeldNode) => [...(node.tables.get('nat')?.keys() ?? [])]

// kube-proxy up to 1.24 checks source ranges in nat/KUBE-FIREWALL, whose rules keep the set from being destroyed.
it('an ipvs update from a dump removes an old firewall chain of kube-proxy, but not of the kubelet', () => {
  const old = nodeWith(resultOf('ipvs', '1.24').families[0]?.state)
  expect(chainsOf(old)).toContain('KUBE-FIREWALL')
  const filter = new Map([...(old.tables.get('filter') ?? []), ['KUBE-FIREWALL', [{ spec: '-j DROP' }]] as const])
  const node = { ...old, tables: new Map([...old.tables, ['filter', filter] as const]) }

  const next = resultOf('ipvs', '1.34')
  const patch = reconcile(readDump(dumpOf(node, 'IPv4')), next)
  const upgraded = afterCommands(patch, node)
  expect(chainsOf(upgraded)).not.toContain('KUBE-FIREWALL')
  expect([...(upgraded.tables.get('filter')?.keys() ?? [])]).toContain('KUBE-FIREWALL')

  const changed = afterCommands(diff(next, resultOf('iptables', '1.34')), upgraded)
  expect(changed.sets.size).toBe(0)
})

it('an ipvs update without a dump removes an old firewall chain, so that the next mode can destroy its sets', () => {
  const old = nodeWith(resultOf('ipvs', '1.24').families[0]?.state)
  const next = resultOf('ipvs', '1.34')
  const upgraded = afterCommands(reconcile(undefined, next), old)
  expect(chainsOf(upgraded)).not.toContain('KUBE-FIREWALL')

  const changed = afterCommands(diff(next, resultOf('iptables', '1.34')), upgraded)
  expect(changed.sets.size).toBe(0)
})
