import { describe, expect, it } from 'vitest'
import { compareNftables } from '../../../../compiler/src/dataplane/nftables/compare.js'
import type { NftablesState } from '../../../../compiler/src/dataplane/nftables/state.js'
import { print } from '../../../../compiler/src/print/print.js'
import { cidr } from '../../../../compiler/test/support/decisions.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { type NftablesConfiguration, nftablesOf } from '../../../../compiler/test/support/nftables-states.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { annotateTableOwners } from '../../../src/targets/nftables/annotate-table.js'
import { findTableOwners } from '../../../src/targets/nftables/find-table-owners.js'
import { annotateOwners } from '../../../src/verify/annotate-owners.js'

const PORTS = [
  servicePort({ endpoints: [endpoint()], affinitySeconds: 60, nodePort: 3001, loadBalancerIPs: ['1.2.3.4'] }),
  servicePort({ name: 'svc2', portName: '', clusterIP: '172.30.0.42', protocol: 'UDP' }),
  servicePort({
    ...{ name: 'svc3', clusterIP: '172.30.0.43', loadBalancerIPs: ['1.2.3.5'], nodePort: 3003 },
    ...{ sourceRanges: [cidr('203.0.113.0/24')], externalPolicyLocal: true, endpoints: [endpoint()] },
  }),
]

/** Reads the nft listing of a table back. */
function listed(configuration: NftablesConfiguration = {}): NftablesState {
  const { nftables } = readDump(print(nftablesOf(PORTS, configuration), { format: 'save' })).IPv4
  if (nftables === undefined) throw new Error('nothing was read')
  return nftables
}

/** Returns the resources of each owner, by name or key. */
function ownedIn({ contributions = [] }: NftablesState) {
  return Object.fromEntries(
    contributions.map(({ owner, chains, sets, elements }) => [
      owner,
      [
        ...chains.map(({ name }) => name.replace(/^(\w+)-.*/, '$1')),
        ...sets.map(({ name }) => name.replace(/^(\w+)-.*/, '$1')),
        ...elements.map(({ set, element }) => `${set} ${element.key}`),
      ].sort(),
    ]),
  )
}

describe('annotateOwners', () => {
  it('finds service ports in names and comments', () => {
    expect(ownedIn(annotateTableOwners(listed()))).toEqual({
      'ns1/svc1:p80/TCP': [
        'affinity',
        'endpoint',
        'external',
        'service',
        'service-ips 1.2.3.4 . tcp . 80',
        'service-ips 172.30.0.41 . tcp . 80',
        'service-nodeports tcp . 3001',
      ],
      'ns1/svc2/UDP': ['no-endpoint-services 172.30.0.42 . udp . 80'],
      'ns1/svc3:p80/TCP': [
        'external',
        'firewall',
        'firewall-ips 1.2.3.5 . tcp . 80',
        'no-endpoint-nodeports tcp . 3003',
        'no-endpoint-services 1.2.3.5 . tcp . 80',
        'service',
        'service-ips 1.2.3.5 . tcp . 80',
        'service-ips 172.30.0.43 . tcp . 80',
        'service-nodeports tcp . 3003',
      ],
    })
  })

  it('returns the same table, and assigns no owner to shared elements', () => {
    const state = listed()
    const { staticTable, tables } = annotateTableOwners(state)
    expect(tables).toBe(state.tables)
    const names = staticTable?.sets.map(({ name, elements }) =>
      `${name} ${elements.map(({ key }) => key).join()}`.trim(),
    )
    expect(names).toContain('cluster-ips 172.30.0.41,172.30.0.42,172.30.0.43')
    expect(staticTable?.chains.map(({ name }) => name).filter((name) => name.includes('/'))).toEqual([])
  })

  it('returns owners that appear in traces and reports', () => {
    const live = { family: 'IPv4', nftables: listed() } as const
    expect(annotateOwners(live).nftables?.contributions).toHaveLength(3)
  })

  it.each<[string, (text: string) => string, string]>([
    [
      'a set of recorded clients',
      (text) => text.replace('timeout 1m\n', 'timeout 1m\n\t\telements = { 10.0.0.9 expires 5s }\n'),
      'affinity',
    ],
    ['a name that is truncated', (text) => text.replaceAll('external-42', 'external-42'), ''],
  ])('assigns no owner to %s', (_what, change, gone) => {
    const text = change(print(nftablesOf(PORTS), { format: 'save' }))
    const { nftables } = readDump(text).IPv4
    const owned = ownedIn(annotateTableOwners(nftables ?? { tables: [] }))['ns1/svc1:p80/TCP']
    expect(owned?.includes(gone)).toBe(false)
  })

  it.each([
    ['service-ULMVA6XW-ns1/svc1/tcp/p80', 'ns1/svc1:p80/TCP'],
    ['local-W4L2TFLV-ns/svc/tcp/', 'ns/svc/TCP'],
    ['endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53', 'ns/svc:dns/UDP'],
    ['affinity-QPV5MIS6-ns/svc/udp/dns__fd00..1/53', 'ns/svc:dns/UDP'],
    ['endpoint-QPV5MIS6-ns/svc/udp/...', undefined],
    ['endpoint-QPV5MIS6-ns/svc', undefined],
    ['service-qpv5mis6-ns/svc/udp/dns', undefined],
    ['other-QPV5MIS6-ns/svc/udp/dns', undefined],
    ['service-QPV5MIS6-ns/svc/udp/dns/more', undefined],
    ['services', undefined],
  ])('assigns the chain %s to %s', (name, owner) => {
    const table = { family: 'ip', name: 'kube-proxy', chains: [{ name, rules: [] }], sets: [], objects: [] } as const
    expect(annotateTableOwners({ tables: [table] }).contributions?.map((each) => each.owner)).toEqual(
      owner === undefined ? [] : [owner],
    )
  })

  it.each([
    ['10.0.0.1 . tcp . 80', 'ns/svc:dns', ['ns/svc:dns/TCP']],
    ['tcp . 80', 'ns/svc', ['ns/svc/TCP']],
    ['80', 'ns/svc', []],
    ['10.0.0.1 . tcp . 80', 'of mine', []],
    ['10.0.0.1 . tcp . 80', undefined, []],
  ])('assigns the element %s with the comment %s to %j', (key, comment, owners) => {
    const element = { key, verdict: { kind: 'drop' }, ...(comment && { comment }) } as const
    const map = {
      kind: 'map',
      name: 'no-endpoint-services',
      key: { kind: 'type', types: [] },
      elements: [element],
    } as const
    const table = { family: 'ip', name: 'kube-proxy', chains: [], sets: [map], objects: [] } as const
    expect(annotateTableOwners({ tables: [table] }).contributions?.map(({ owner }) => owner)).toEqual(owners)
  })

  it('returns the identical state if there are other tables or the owners are known', () => {
    const [table] = listed().tables
    if (table === undefined) throw new Error('no table')
    const other = { ...table, name: 'filter' }
    for (const state of [{ tables: [other] }, { tables: [table, other] }, nftablesOf(PORTS).nftables]) {
      expect(annotateTableOwners(state)).toBe(state)
    }
  })

  it('finds the owners of a table next to tables of other programs during a trace', () => {
    const [table] = listed().tables
    if (table === undefined) throw new Error('no table')
    const other = { ...table, name: 'filter', chains: [], sets: [] }
    const owners = findTableOwners({ tables: [other, table] })
    expect(owners).toEqual(findTableOwners(annotateTableOwners({ tables: [table] })))
    expect([...new Set(owners.values())]).toEqual(['ns1/svc1:p80/TCP', 'ns1/svc3:p80/TCP', 'ns1/svc2/UDP'])
  })

  it('is not required for a comparison', () => {
    const state = listed()
    const ownership = { isOwned: () => true, reasonOf: () => 'why' }
    expect(compareNftables(state, state, ownership).driftItems).toEqual([])
  })
})
