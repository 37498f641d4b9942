import type { Service } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { localityOfEither } from '../src/changed-part.js'
import { compare } from '../src/compare.js'
import { type CompileInput, compile, diff } from '../src/index.js'
import { surroundingsOf } from '../src/trace.js'

const NODE = '192.168.0.2'

const service = (name: string, spec: Service['spec']): Service => ({ metadata: { namespace: 'default', name }, spec })

const NODE_PORT = service('lower', {
  type: 'NodePort',
  clusterIP: '10.96.0.2',
  ports: [{ name: 'http', port: 80, nodePort: 30_080 }],
})

function inputOf(services: readonly Service[]): CompileInput {
  const endpointSlices = ['higher', 'lower'].map((name, index) => ({
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4' as const,
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: [`10.244.1.${index + 1}`] }],
  }))
  const configuration = { clusterCIDR: '10.244.0.0/16' }
  return {
    services,
    endpointSlices,
    configuration,
    host: { interfaces: [{ name: 'eth0', addresses: [`${NODE}/24`] }] },
  }
}

/** What two comparisons find after a change of Services: one of everything, and one of what has changed. */
function compared(mode: 'iptables' | 'ipvs' | 'nftables', from: readonly Service[], to: readonly Service[]) {
  const options = { mode, nodeName: 'node-1', families: ['IPv4'] } as const
  const before = compile(inputOf(from), options)
  const after = compile(inputOf(to), { ...options, previous: before })
  const [a, b] = [before, after].map(({ families: [family] }) => family)
  if (a === undefined || b === undefined) throw new Error('no family IPv4')
  const surroundings = surroundingsOf(b.plan)
  const onlyChanged = diff(before, after).families[0]?.patch
  const whole = compare(a.state, b.state, surroundings)
  return { whole, part: compare(a.state, b.state, { ...surroundings, onlyChanged }) }
}

/** Of each difference its packet and what becomes of it. */
function becoming({ differences }: ReturnType<typeof compare>) {
  return differences.map(({ packet, a, b }) => ({ packet, a: a.outcomes, b: b.outcomes }))
}

it.each(['iptables', 'nftables'] as const)(
  'has the node port behind an external IP that is gone, in mode %s',
  (mode) => {
    const ports = [{ name: 'http', port: 30_080 }]
    const before = [service('higher', { clusterIP: '10.96.0.1', externalIPs: [NODE], ports }), NODE_PORT]
    const after = [service('higher', { clusterIP: '10.96.0.1', ports }), NODE_PORT]
    const { whole, part } = compared(mode, before, after)
    expect([whole.equal, part.bounded]).toEqual([false, true])
    expect(becoming(part)).toEqual(becoming(whole))
  },
)

it('cannot be told of a node port where a single address is bound', () => {
  const ports = [{ name: 'http', port: 80, nodePort: 30_081 }]
  const { whole, part } = compared('ipvs', [NODE_PORT], [service('lower', { ...NODE_PORT.spec, ports })])
  expect([whole.equal, part.bounded]).toEqual([false, false])
  expect(becoming(part)).toEqual(becoming(whole))
})

it('takes an address for local that is the node’s on one of the sides', () => {
  const options = { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] } as const
  const [one, none] = [[NODE_PORT], []].map((services) => compile(inputOf(services), options).families[0])
  if (one === undefined || none === undefined) throw new Error('no family IPv4')
  const known = surroundingsOf(none.plan)
  const addresses = ['10.96.0.2', NODE, '10.96.0.3']
  expect(addresses.map(localityOfEither(one.state, none.state, known))).toEqual([true, true, false])
  expect(addresses.map(localityOfEither(none.state, one.state, known))).toEqual([true, true, false])
  expect(addresses.map(localityOfEither(none.state, none.state, known))).toEqual([false, true, false])
})
