import { describe, expect, it } from 'vitest'
import { resourcesOf } from '../../../src/dataplane/addresses/resources.js'
import { scriptAddresses } from '../../../src/dataplane/addresses/script.js'
import { diff } from '../../../src/diff/diff.js'
import type { Change } from '../../../src/diff/patch.js'

const DEVICE_RUN = {
  phase: 'provide',
  run: {
    tool: 'ip',
    args: ['link', 'add', 'kube-ipvs0', 'type', 'dummy'],
    input: '',
    purpose: 'make the device of the addresses',
    unless: ['link', 'show', 'dev', 'kube-ipvs0'],
  },
}

function changesBetween(before: readonly string[] | undefined, after: readonly string[] | undefined) {
  const resources = (addresses: readonly string[] | undefined) =>
    addresses === undefined ? new Map() : resourcesOf({ addresses })
  return diff(resources(before), resources(after)).changes
}

/** A batch of commands. */
function batch(phase: string, purpose: string, ...lines: readonly string[]) {
  return {
    phase,
    run: { tool: 'ip', args: ['-batch', '-'], input: lines.map((line) => `${line}\n`).join(''), purpose },
  }
}

describe('scriptAddresses', () => {
  it('makes the device where it is missing, then binds addresses', () => {
    expect(scriptAddresses(changesBetween(undefined, ['10.0.0.1', 'fd00::1']))).toEqual([
      DEVICE_RUN,
      batch(
        'provide',
        'bind addresses',
        'address add 10.0.0.1/32 dev kube-ipvs0',
        'address add fd00::1/128 dev kube-ipvs0',
      ),
    ])
  })

  it('binds new addresses before it unbinds old ones, and leaves the others', () => {
    expect(scriptAddresses(changesBetween(['10.0.0.1', '10.0.0.2'], ['10.0.0.2', '10.0.0.3']))).toEqual([
      batch('provide', 'bind addresses', 'address add 10.0.0.3/32 dev kube-ipvs0'),
      batch('withdraw', 'unbind addresses', 'address del 10.0.0.1/32 dev kube-ipvs0'),
    ])
  })

  it('lets an address be there already where that is to be ensured', () => {
    const changes = changesBetween(undefined, ['10.0.0.1'])
    expect(scriptAddresses(changes, { ensure: true })).toEqual([
      DEVICE_RUN,
      batch('provide', 'bind addresses', 'address replace 10.0.0.1/32 dev kube-ipvs0'),
    ])
  })

  it('never removes the device', () => {
    expect(scriptAddresses(changesBetween(['10.0.0.1'], undefined))).toEqual([
      batch('withdraw', 'unbind addresses', 'address del 10.0.0.1/32 dev kube-ipvs0'),
    ])
    expect(scriptAddresses(changesBetween([], undefined))).toEqual([])
  })

  it('has nothing to do where nothing changes', () => {
    expect(scriptAddresses(changesBetween(['10.0.0.1'], ['10.0.0.1']))).toEqual([])
  })

  it('refuses an id that is more than an address', () => {
    const change: Change = { kind: 'create', resource: { id: 'address 10.0.0.1\nlink del eth0', refs: [], value: {} } }
    expect(() => scriptAddresses([change])).toThrow('cannot be bound')
  })
})
