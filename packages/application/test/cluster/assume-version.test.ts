import { parseDump } from '@kube-rules/analyzer'
import { compile, print } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { assumeVersion, noteAssumedVersion } from '../../src/cluster/assume-version.js'
import type { Cluster } from '../../src/cluster/read-cluster.js'

const CLUSTER = {} as Cluster

function dumpOf(mode: 'iptables' | 'nftables', kubernetesVersion: string) {
  const input = { services: [], endpointSlices: [] }
  const [family] = compile(input, { mode, kubernetesVersion, families: ['IPv4'] }).families
  const parsed = parseDump(family === undefined ? '' : print(family.state, { format: 'save' }))
  if (!parsed.ok) throw new Error('the rules are not a dump')
  return parsed.value
}

describe('assumeVersion', () => {
  it('assumes nothing if the user or the Node defines the version', () => {
    const dump = dumpOf('nftables', '1.33')
    const mode = 'nftables'
    expect(assumeVersion(CLUSTER, { mode, kubernetesVersion: '1.34' }, dump)).toBeUndefined()
    expect(assumeVersion({ ...CLUSTER, nodeVersion: '1.34' }, { mode }, dump)).toBeUndefined()
  })

  it.each([
    ['1.31', '1.33'],
    ['1.33', '1.33'],
    ['1.34', '1.35'],
  ])('returns the newest version with the table of %s: %s', (written, newest) => {
    const dump = dumpOf('nftables', written)
    expect(assumeVersion(CLUSTER, { mode: 'nftables' }, dump)).toEqual({ ofDump: newest })
    expect(assumeVersion({ ...CLUSTER, configuration: { mode: 'nftables' } }, {}, dump)).toEqual({ ofDump: newest })
  })

  it('returns no version of the dump if its rules do not determine one', () => {
    expect(assumeVersion(CLUSTER, { mode: 'iptables' }, dumpOf('iptables', '1.30'))).toEqual({ ofDump: undefined })
    expect(assumeVersion(CLUSTER, {}, dumpOf('nftables', '1.33'))).toEqual({ ofDump: undefined })
  })
})

describe('noteAssumedVersion', () => {
  const used = { kubernetesVersion: '1.33' }

  it('names the version of the dump, with and without drift', () => {
    const note =
      'no version of the node is known: rules of kube-proxy 1.33, the newest with a table like that of the dump; --kubernetes-version selects another'
    expect(noteAssumedVersion({ ofDump: '1.33' }, used, { verdict: 'noDrift' })).toEqual([note])
    expect(noteAssumedVersion({ ofDump: '1.33' }, used, { verdict: 'drift' })).toEqual([note])
  })

  it('names the newest version only if there is drift', () => {
    expect(noteAssumedVersion({}, used, { verdict: 'noDrift' })).toEqual([])
    expect(noteAssumedVersion({}, used, { verdict: 'drift' })[0]).toContain('kube-proxy 1.33, the newest;')
  })

  it('is empty for a known version', () => {
    expect(noteAssumedVersion(undefined, used, { verdict: 'drift' })).toEqual([])
  })
})
