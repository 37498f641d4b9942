import { describe, expect, it } from 'vitest'
import { resourcesOf } from '../../../src/dataplane/addresses/resources.js'
import { toAddressCommands } from '../../../src/dataplane/addresses/script.js'
import { diffResources } from '../../../src/patch/diff-resources.js'
import type { Change } from '../../../src/patch/patch.js'

const DEVICE_RUN = {
  phase: 'provide',
  command: {
    tool: 'ip',
    args: ['link', 'add', 'kube-ipvs0', 'type', 'dummy'],
    input: '',
    purpose: 'create the dummy device kube-ipvs0',
    skipIf: ['link', 'show', 'dev', 'kube-ipvs0'],
  },
}

function changesBetween(before: readonly string[] | undefined, after: readonly string[] | undefined) {
  const resources = (addresses: readonly string[] | undefined) =>
    addresses === undefined ? new Map() : resourcesOf({ addresses })
  return diffResources(resources(before), resources(after)).changes
}

/** Builds a batch of commands. */
function batch(phase: string, purpose: string, ...lines: readonly string[]) {
  return {
    phase,
    command: { tool: 'ip', args: ['-batch', '-'], input: lines.map((line) => `${line}\n`).join(''), purpose },
  }
}

describe('toAddressCommands', () => {
  it('creates the device unless it exists, and then binds addresses', () => {
    expect(toAddressCommands(changesBetween(undefined, ['10.0.0.1', 'fd00::1']))).toEqual([
      DEVICE_RUN,
      batch(
        'provide',
        'bind addresses',
        'address add 10.0.0.1/32 dev kube-ipvs0',
        'address add fd00::1/128 dev kube-ipvs0',
      ),
    ])
  })

  it('binds new addresses before it unbinds old ones, and keeps the other addresses', () => {
    expect(toAddressCommands(changesBetween(['10.0.0.1', '10.0.0.2'], ['10.0.0.2', '10.0.0.3']))).toEqual([
      batch('provide', 'bind addresses', 'address add 10.0.0.3/32 dev kube-ipvs0'),
      batch('withdraw', 'unbind addresses', 'address del 10.0.0.1/32 dev kube-ipvs0'),
    ])
  })

  it('fills a second device that replaces the first device if the state is unknown', () => {
    const changes = changesBetween(undefined, ['10.0.0.1', 'fd00::1'])
    const ip = (purpose: string, ...args: readonly string[]) => ({ tool: 'ip', args, input: '', purpose })
    expect(toAddressCommands(changes, { start: 'unknown' })).toEqual([
      DEVICE_RUN,
      {
        phase: 'provide',
        command: {
          ...ip('remove leftovers of an earlier run', 'link', 'delete', 'kube-ipvs0-new'),
          allowFailure: true,
        },
      },
      {
        phase: 'provide',
        command: ip('create a replacement device', 'link', 'add', 'kube-ipvs0-new', 'type', 'dummy'),
      },
      batch(
        'provide',
        'bind addresses',
        'address add 10.0.0.1/32 dev kube-ipvs0-new',
        'address add fd00::1/128 dev kube-ipvs0-new',
      ),
      batch(
        'provide',
        'rename the replacement device',
        'link delete kube-ipvs0',
        'link set kube-ipvs0-new name kube-ipvs0',
      ),
    ])
  })

  it('removes the device if the state is unknown and no addresses are expected', () => {
    const [removal, ...others] = toAddressCommands(changesBetween([], undefined), { start: 'unknown' })
    expect(others).toEqual([])
    expect(removal).toMatchObject({
      phase: 'withdraw',
      command: { args: ['link', 'delete', 'kube-ipvs0'], allowFailure: true },
    })
  })

  it('does not remove the device if the state is known', () => {
    expect(toAddressCommands(changesBetween(['10.0.0.1'], undefined))).toEqual([
      batch('withdraw', 'unbind addresses', 'address del 10.0.0.1/32 dev kube-ipvs0'),
    ])
    expect(toAddressCommands(changesBetween([], undefined))).toEqual([])
  })

  it('returns no commands if nothing changes', () => {
    expect(toAddressCommands(changesBetween(['10.0.0.1'], ['10.0.0.1']))).toEqual([])
  })

  it('rejects a resource id that contains more than an address', () => {
    const change: Change = { kind: 'create', resource: { id: 'address 10.0.0.1\nlink del eth0', refs: [], value: {} } }
    expect(() => toAddressCommands([change])).toThrow('cannot be bound')
  })
})
