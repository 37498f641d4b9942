import { describe, expect, it } from 'vitest'
import {
  type CompileInput,
  type CompileOptions,
  compile,
  digestOf,
  listModes,
  type NodeState,
} from '../../src/index.js'
import { at, service, slice } from '../support/objects.js'

const WEB = service()
const API = service({ clusterIP: '10.96.0.2' }, { metadata: { namespace: 'ns1', name: 'api' } })
const OF_WEB = slice(at('10.244.1.5'))
const OF_API = slice(at('10.244.1.6'), { name: 'api-1', service: 'api' })
const INPUT: CompileInput = {
  configuration: { clusterCIDR: '10.244.0.0/16' },
  services: [WEB, API],
  endpointSlices: [OF_WEB, OF_API],
}
const MODES = listModes().map((mode) => ({ mode }))

function digest(input: CompileInput, options: CompileOptions): string {
  return compile(input, { nodeName: 'node-1', ...options })
    .families.map(({ state }) => digestOf(state))
    .join(' ')
}

describe.each(MODES)('digestOf in $mode mode', ({ mode }) => {
  it('is the same for another order of the objects, and for copies', () => {
    const { families } = compile(INPUT, { nodeName: 'node-1', mode })
    const reversed = { ...INPUT, services: [API, WEB], endpointSlices: [OF_API, OF_WEB] }
    expect(digest(reversed, { mode })).toBe(digest(INPUT, { mode }))
    for (const { state } of families) {
      expect(digestOf(structuredClone(state))).toBe(digestOf(state))
      expect(digestOf(JSON.parse(JSON.stringify(state)))).toBe(digestOf(state))
    }
  })

  it('is the same for an update and for a new compile', () => {
    const previous = compile({ ...INPUT, services: [] }, { nodeName: 'node-1', mode })
    expect(digest(INPUT, { mode, previous })).toBe(digest(INPUT, { mode }))
  })

  it('differs for different Services and for different families', () => {
    const one = { ...INPUT, services: [WEB] }
    const digests = [INPUT, one].map((input) => digest(input, { mode, families: ['IPv4'] }))
    expect(new Set([...digests, digest(INPUT, { mode, families: ['IPv6'] })]).size).toBe(3)
  })
})

describe.each(['iptables', 'ipvs', 'nftables'] as const)('digestOf in %s mode', (mode) => {
  it('differs for different endpoints and for different masquerade marks', () => {
    const moved = { ...INPUT, endpointSlices: [slice(at('10.244.1.7')), OF_API] }
    const marked = {
      ...INPUT,
      configuration: { ...INPUT.configuration, [mode === 'ipvs' ? 'iptables' : mode]: { masqueradeBit: 15 } },
    }
    const digests = [INPUT, moved, marked].map((input) => digest(input, { mode, families: ['IPv4'] }))
    expect(new Set(digests).size).toBe(3)
  })
})

it('digestOf returns the same digest for two equal dumps, whatever the order of their lines', () => {
  const sets = (lines: readonly string[]): NodeState => ({
    family: 'IPv4',
    addresses: { addresses: lines },
  })
  expect(digestOf(sets(['10.96.0.1', '10.96.0.2']))).toBe(digestOf(sets(['10.96.0.2', '10.96.0.1'])))
})
