import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { diff } from '../../src/diff/diff.js'
import { print } from '../../src/print/print.js'
import { at, loadBalancer, service, slice } from '../support/objects.js'

const MODES = ['iptables', 'ipvs', 'nftables', 'userspace'] as const

function compiled(mode: (typeof MODES)[number]) {
  const input = {
    services: [service(), { ...loadBalancer(), metadata: { namespace: 'ns1', name: 'lb' } }],
    endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))],
  }
  return compile(input, { mode, kubernetesVersion: mode === 'userspace' ? '1.25' : '1.34' })
}

/** Every object in a value, itself included. */
function objectsIn(value: unknown, found = new Set<object>()): ReadonlySet<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const each of Object.values(value)) objectsIn(each, found)
  return found
}

describe.each(MODES)('a result of %s mode', (mode) => {
  it('has only enumerable properties with string keys', () => {
    const objects = [...objectsIn(compiled(mode))].filter((object) => !Array.isArray(object))
    expect(objects.length).toBeGreaterThan(50)
    for (const object of objects) expect(Reflect.ownKeys(object)).toEqual(Object.keys(object))
  })

  it('prints the same text as its clone, and has no differences from the clone', () => {
    const result = compiled(mode)
    const clone = structuredClone(result)
    expect(clone).toEqual(result)
    expect(clone.families.map(({ state }) => print(state))).toEqual(result.families.map(({ state }) => print(state)))
    expect(diff(result, clone)).toEqual(diff(result, result))
    expect(diff(undefined, clone)).toEqual(diff(undefined, result))
  })

  it('has equal families after a JSON round trip', () => {
    const { families } = compiled(mode)
    const read: typeof families = JSON.parse(JSON.stringify(families))
    expect(read).toEqual(families)
    expect(read.map(({ state }) => print(state))).toEqual(families.map(({ state }) => print(state)))
  })
})
