import { describe, expect, it } from 'vitest'
import { compile } from '../../../../compiler/src/compilation/compile.js'
import type { Chain, Table } from '../../../../compiler/src/dataplane/nftables/ast.js'
import { at, loadBalancer, service, slice } from '../../../../compiler/test/support/objects.js'
import { printFamily } from '../../../../compiler/test/support/print-family.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { inferVersions } from '../../../src/targets/nftables/infer-versions.js'
import { verify } from '../../../src/verify/verify.js'

const guarded = {
  ...loadBalancer({ clusterIP: '10.96.0.2', loadBalancerSourceRanges: ['203.0.113.0/24'] }),
  metadata: { namespace: 'ns2', name: 'lb' },
}
const one = [slice(at('10.244.1.1'))]
const two = [slice(at('10.244.1.1', '10.244.1.2'))]

function compiled(kubernetesVersion: string, endpointSlices = one, services = [service(), guarded]) {
  const configuration = kubernetesVersion === '1.30' ? { featureGates: { NFTablesProxyMode: true } } : {}
  const input = { services, endpointSlices, configuration: { clusterCIDR: '10.244.0.0/16', ...configuration } }
  return compile(input, { mode: 'nftables', families: ['IPv4'], nodeName: 'node-1', kubernetesVersion })
}

const listed = (result: ReturnType<typeof compiled>) =>
  readDump(printFamily(result, { family: 'IPv4', format: 'save' }))

describe('inferVersions', () => {
  it.each<[string, readonly string[]]>([
    ['1.30', ['1.30', '1.31']],
    ['1.31', ['1.30', '1.31']],
    ['1.32', ['1.32', '1.33']],
    ['1.33', ['1.32', '1.33']],
    ['1.34', ['1.34', '1.35']],
    ['1.35', ['1.34', '1.35']],
    ['1.36', ['1.36']],
    ['1.37', ['1.37']],
  ])('returns all versions with the same table as version %s', (version, versions) => {
    expect(inferVersions(listed(compiled(version)).IPv4.nftables ?? { tables: [] })).toEqual(versions)
  })

  it('returns several versions if their tables cannot be distinguished', () => {
    const of = (version: string, ...rest: [typeof two, (typeof guarded)[]?]) =>
      inferVersions(compiled(version, ...rest).families[0]?.state.nftables ?? { tables: [] })
    expect(of('1.31', two, [])).toEqual(['1.30', '1.31', '1.32', '1.33'])
    expect(of('1.36', two)).toEqual(['1.36', '1.37'])
    expect(inferVersions({ tables: [] })).toBeUndefined()
  })
})

describe('inferVersions for one table', () => {
  const NEWEST = compiled('1.37').families[0]?.state.nftables?.tables[0]
  if (NEWEST === undefined) throw new Error('there is no table')
  const base = { type: 'filter', hook: 'input', priority: 0 }
  const input: Chain = { name: 'filter-input', base, rules: [] }
  const leading = (name: string, address: string): Chain => ({
    name,
    rules: [{ statements: [{ kind: 'dnat', to: { kind: 'address', address, port: 80 } }] }],
  })
  const hairpins = NEWEST.sets.filter(({ name }) => name === 'hairpin-connections')
  const tableOf = (fields: Partial<Table>): Table => ({ ...NEWEST, chains: [input], sets: [], ...fields })

  it.each<[string, Partial<Table>, readonly string[] | undefined]>([
    ['returns undefined for a table of another program', { name: 'mine' }, undefined],
    ['returns undefined for a table of another family', { family: 'inet' }, undefined],
    ['returns undefined for a table without chains', { chains: [] }, undefined],
    [
      'returns undefined if packets do not reach the input chain',
      { chains: [{ name: 'filter-input', rules: [] }] },
      undefined,
    ],
    ['returns 1.34 and 1.35 if the input chain is after destination NAT', {}, ['1.34', '1.35']],
    [
      'returns versions before 1.34 if the input chain is before destination NAT',
      { chains: [{ ...input, base: { ...base, priority: -110 } }] },
      ['1.30', '1.31', '1.32', '1.33'],
    ],
    ['returns 1.36 and later if there is a hairpin set', { sets: hairpins }, ['1.36', '1.37']],
    [
      'returns 1.37 if a service chain translates to a single endpoint',
      { sets: hairpins, chains: [input, leading('service-W4L2TFLV-ns/svc/tcp/', '10.1.1.1')] },
      ['1.37'],
    ],
    [
      'returns 1.36 and later if only an endpoint chain translates',
      { sets: hairpins, chains: [input, leading('endpoint-W4L2TFLV-ns/svc/tcp/__10.1.1.1/80', '10.1.1.1')] },
      ['1.36', '1.37'],
    ],
    [
      'returns 1.36 and later if only a chain without an owner translates',
      { sets: hairpins, chains: [input, leading('mine', '10.1.1.1')] },
      ['1.36', '1.37'],
    ],
  ])('%s', (_, fields, versions) => {
    expect(inferVersions({ tables: [tableOf(fields)] })).toEqual(versions)
    expect(inferVersions({ tables: [tableOf({ name: 'other' }), tableOf(fields)] })).toEqual(versions)
  })
})

describe('inferVersions for a table that rejects node ports on loopback addresses', () => {
  it('returns the first version that supports the feature', () => {
    const input = {
      services: [],
      endpointSlices: [],
      configuration: { featureGates: { KubeProxyNFTablesLocalhostNodePorts: true } },
    }
    const [family] = compile(input, { mode: 'nftables', families: ['IPv4'], nodeName: 'node-1' }).families
    expect(inferVersions(family?.state.nftables ?? { tables: [] })).toEqual(['1.37'])
  })
})

describe('verify', () => {
  it('reports first that the tables are from another version of kube-proxy', () => {
    const [report] = verify(compiled('1.33'), listed(compiled('1.36'))).families
    expect(report?.caveats).toEqual([
      {
        about: 'version',
        message:
          'the node has tables of kube-proxy 1.36, but the expected rules are for 1.32 or 1.33: which version does the node run?',
      },
    ])
    expect(verify(compiled('1.33'), listed(compiled('1.32'))).families[0]?.caveats).toEqual([])
  })
})
