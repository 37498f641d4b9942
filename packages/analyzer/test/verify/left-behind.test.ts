import { expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { verify } from '../../src/verify/verify.js'

const input = { services: [service()], endpointSlices: [slice(at('10.244.1.1'))] }

/** Returns the drift of a node with the compiled rules and one additional chain. */
function driftWith(mode: 'iptables' | 'ipvs', chain: string, table = 'nat') {
  const result = compile(input, { nodeName: 'node-1', families: ['IPv4'], mode })
  const text = printFamily(result, { family: 'IPv4', format: 'save' }).replace(
    `*${table}\n`,
    `*${table}\n:${chain} - [0:0]\n`,
  )
  const [report] = verify(result, readDump(text)).families
  const places = report?.drift.flatMap(({ drift }) => drift.map(({ location, kind }) => `${kind} ${location}`))
  return { places, otherChains: report?.otherChains }
}

const MODES = ['iptables', 'ipvs'] as const

// Chains of userspace mode, of either mode, and of older versions of both.
it.each([
  'KUBE-PORTALS-CONTAINER',
  'KUBE-PORTALS-HOST',
  'KUBE-NODEPORT-CONTAINER',
  'KUBE-NODEPORT-HOST',
  'KUBE-NODEPORT-NON-LOCAL',
  'KUBE-FIRE-WALL',
  'KUBE-FIREWALL',
  'KUBE-XLB-AAAAAAAAAAAAAAAA',
  'KUBE-SVC-AAAAAAAAAAAAAAAA',
])('chain %s belongs to some version of kube-proxy, and is reported as extra', (chain) => {
  for (const mode of MODES) expect(driftWith(mode, chain)).toEqual({ places: [`extra nat/${chain}`], otherChains: [] })
})

it.each([
  ['iptables', 'KUBE-LOAD-BALANCER'],
  ['ipvs', 'KUBE-EXTERNAL-SERVICES'],
] as const)('in %s mode, chain %s belongs to another mode, and is reported as extra', (mode, chain) => {
  expect(driftWith(mode, chain)).toEqual({ places: [`extra nat/${chain}`], otherChains: [] })
})

it.each(['KUBE-MARK-DROP', 'KUBE-PROXY-CANARY', 'KUBE-KUBELET-CANARY', 'KUBE-IPTABLES-HINT'])(
  'chain %s may exist on any node, and is not removed',
  (chain) => {
    for (const mode of MODES) expect(driftWith(mode, chain)).toEqual({ places: [], otherChains: [] })
  },
)

it('chain KUBE-FIREWALL in table filter belongs to the kubelet', () => {
  expect(driftWith('ipvs', 'KUBE-FIREWALL', 'filter')).toEqual({ places: [], otherChains: [] })
})

it.each([
  ['KUBE-ROUTER-INPUT', ['nat/KUBE-ROUTER-INPUT']],
  ['DOCKER', []],
])('chain %s belongs to another program', (chain, otherChains) => {
  for (const mode of MODES) expect(driftWith(mode, chain)).toEqual({ places: [], otherChains })
})
