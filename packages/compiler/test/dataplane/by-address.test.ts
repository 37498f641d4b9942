import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { languagesIn } from '../../src/dataplane/language-of.js'
import type { LanguageName, NodeState } from '../../src/dataplane/languages.js'
import { liveLanguageOf } from '../../src/dataplane/live-language-of.js'
import { LOCAL, NOWHERE, type Reach, reachOfAddresses, uniteReaches } from '../../src/dataplane/netfilter/reach.js'
import { print } from '../../src/print.js'
import type { CompiledMode } from '../../src/targets/modes.js'
import { apart } from '../support/apart.js'
import { readDump } from '../support/read-dump.js'

const MODES = ['iptables', 'ipvs', 'nftables'] as const

const service = (name: string, clusterIP: string, more: Service['spec'] = {}): Service => ({
  metadata: { namespace: 'default', name },
  spec: { clusterIP, ports: [{ name: 'http', port: 80 }], ...more },
})

const slice = (name: string, address: string): EndpointSlice => ({
  metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: [address] }],
})

const SERVICES = [service('a', '10.96.0.1'), service('b', '10.96.0.2')]

const INPUT: CompileInput = {
  services: SERVICES,
  endpointSlices: [slice('a', '10.244.1.1'), slice('b', '10.244.1.2')],
  configuration: { clusterCIDR: '10.244.0.0/16', iptables: { localhostNodePorts: false } },
  host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
}

function stateOf(mode: CompiledMode, input: CompileInput, before?: ReturnType<typeof resultOf>): NodeState {
  return resultOf(mode, input, before).families[0]?.state as NodeState
}

function resultOf(mode: CompiledMode, input: CompileInput, previous?: ReturnType<typeof compile>) {
  return compile(input, { mode, nodeName: 'node-1', families: ['IPv4'], previous })
}

/** Nobody asks for a set but with a destination address. */
const NO_SETS = () => undefined

/** Of each language of both states what packets concern what the second has otherwise. */
function changed(before: NodeState, after: NodeState): Readonly<Record<string, Reach | undefined>> {
  const sets = after.iptables && liveLanguageOf('iptables').byAddress?.askingSets?.(after.iptables)
  return Object.fromEntries(
    languagesIn(after).map((name: LanguageName) => [
      name,
      liveLanguageOf(name).byAddress?.changed(before[name] as never, after[name] as never, sets ?? NO_SETS),
    ]),
  )
}

describe.each(MODES)('what a change in mode %s concerns', (mode) => {
  const result = resultOf(mode, INPUT)
  const state = result.families[0]?.state as NodeState
  const none = Object.fromEntries(languagesIn(state).map((name) => [name, NOWHERE]))

  it('is nothing where nothing is otherwise', () => {
    expect(changed(state, stateOf(mode, { ...INPUT, services: [...SERVICES] }, result))).toEqual(none)
  })

  it('is the cluster IP of whose endpoints are others', () => {
    const after = stateOf(
      mode,
      { ...INPUT, endpointSlices: [slice('a', '10.244.1.9'), slice('b', '10.244.1.2')] },
      result,
    )
    const places = Object.values(changed(state, after)).flatMap((each) => [...(each?.keys() ?? ['anything'])])
    expect(new Set(places.filter((place) => !place.startsWith('10.244.')))).toEqual(new Set(['10.96.0.1']))
  })

  it('cannot be told where what all packets meet is otherwise', () => {
    const configuration = { ...INPUT.configuration, iptables: { masqueradeBit: 13 }, nftables: { masqueradeBit: 13 } }
    expect(Object.values(changed(state, stateOf(mode, { ...INPUT, configuration })))).toContain(undefined)
  })

  const withNodePort = {
    ...INPUT,
    services: [
      service('a', '10.96.0.1', { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }),
      ...SERVICES.slice(1),
    ],
  }

  it('is that port of the node where one leads to it', () => {
    const before = resultOf(mode, withNodePort)
    const endpointSlices = [slice('a', '10.244.1.9'), slice('b', '10.244.1.2')]
    const after = stateOf(mode, { ...withNodePort, endpointSlices }, before)
    const reach = uniteReaches(Object.values(changed(before.families[0]?.state as NodeState, after)))
    const places = [...(reach ?? [])].filter(([address]) => !address.startsWith('10.244.'))
    const atNode = [mode === 'ipvs' ? '192.168.0.2' : LOCAL, new Set(['30080'])]
    expect(places).toEqual([['10.96.0.1', mode === 'ipvs' ? new Set(['80']) : 'all'], atNode])
  })

  it.each([
    ['read from a dump', readDump(print(state, { spelling: 'save' })).IPv4],
    ['of which nobody knows who asks for what', apart(state)],
  ])('cannot be told of states %s, but where they are the same', (_, other) => {
    const { ipvs, ipset, nftables } = changed(other, other)
    expect([ipvs, ipset, nftables]).toEqual([undefined, undefined, undefined])
    for (const name of ['ipvs', 'ipset', 'nftables'] as const) {
      const byAddress = liveLanguageOf(name).byAddress
      const own = other[name] as never
      if (own === undefined) continue
      expect(byAddress?.sentFrom(own, reachOfAddresses(['10.96.0.1']), NO_SETS)).toEqual([])
      expect(byAddress?.sendingTo(own, reachOfAddresses(['10.244.1.1']), NO_SETS)).toEqual(NOWHERE)
    }
  })

  it('is found among what packets for an address may meet', () => {
    for (const name of languagesIn(state)) {
      const byAddress = liveLanguageOf(name).byAddress
      const part = byAddress?.partAt(state[name] as never, reachOfAddresses(['10.96.0.1', '10.244.1.1']), NO_SETS)
      if (part === undefined) continue
      const text = print({ family: 'IPv4', [name]: part }, { spelling: 'save' })
      expect(text.includes('10.96.0.1')).toBe(print(state, { language: name, spelling: 'save' }).includes('10.96.0.1'))
      if (name !== 'addresses') expect(text).not.toContain('10.96.0.2')
    }
  })
})

it.each(['iptables', 'ipvs'] as const)('cannot be told of tables of mode %s that are not of one another', (mode) => {
  const state = stateOf(mode, INPUT)
  const tables = state.iptables as IptablesState
  const { byAddress } = liveLanguageOf('iptables')
  expect(byAddress?.changed(tables, { ...tables, tables: [] }, NO_SETS)).toBe(undefined)
  const renamed = { ...tables, tables: [...tables.tables].reverse() }
  expect(byAddress?.changed(tables, renamed, NO_SETS)).toBe(undefined)
  const read = readDump(print(state, { language: 'iptables', spelling: 'save' })).IPv4.iptables
  expect(read && byAddress?.changed(read, tables, NO_SETS)).toBe(undefined)
  expect(read && byAddress?.changed(read, { ...read, tables: [...read.tables] }, NO_SETS)).toEqual(NOWHERE)
})
