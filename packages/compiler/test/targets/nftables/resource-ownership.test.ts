import { describe, expect, it } from 'vitest'
import { verify } from '../../../../analyzer/src/verify/verify.js'
import { compile } from '../../../src/compilation/compile.js'
import type { DriftKind } from '../../../src/dataplane/comparison.js'
import type { Chain, Element } from '../../../src/dataplane/nftables/ast.js'
import { createElementResource, type NftablesResourceValue } from '../../../src/dataplane/nftables/resources.js'
import { createTableOwnership } from '../../../src/targets/nftables/ownership.js'
import { afterNft, textsOfTables } from '../../support/nft-interpreter.js'
import { at, service, slice } from '../../support/objects.js'
import { printFamily } from '../../support/print-family.js'
import { readDump } from '../../support/read-dump.js'

const input = {
  services: [
    service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } }),
    service(
      { type: 'LoadBalancer', clusterIP: '10.96.0.2', loadBalancerSourceRanges: ['203.0.113.0/24'] },
      {
        metadata: { namespace: 'ns2', name: 'lb' },
        status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
      },
    ),
  ],
  endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}
const compiled = (kubernetesVersion = '1.37') =>
  compile(input, { mode: 'nftables', families: ['IPv4'], nodeName: 'node-1', kubernetesVersion })
const result = compiled()
const listed = printFamily(result, { family: 'IPv4', format: 'save' })

function reportOf(text: string, desired = result) {
  const dump = readDump(text)
  const [report] = verify(desired, dump).families
  if (report === undefined) throw new Error('no family')
  const drift = report.drift.flatMap((group) => group.drift)
  const held = report.repair.reduce((tables, { input: run }) => afterNft(tables, run), dump.IPv4.nftables?.tables ?? [])
  return { drift, places: drift.map(({ kind, location }) => `${kind} ${location}`), held }
}

const expected = textsOfTables(result.families[0]?.state.nftables?.tables ?? [])

describe('verify for a table of nftables mode', () => {
  it.each<[string, (text: string) => string, readonly [string, string]]>([
    [
      'a missing rule',
      (text) => text.replace('\t\tjump masquerading\n', ''),
      ['changed nftables ip kube-proxy chain nat-postrouting', 'the chain handles packets differently'],
    ],
    [
      'a missing set',
      (text) => text.replace(/\tset cluster-ips \{[^}]*\}\n\t\}\n/, ''),
      [
        'missing nftables ip kube-proxy set cluster-ips',
        'the set is missing with all its elements, and rules that use it cannot be loaded',
      ],
    ],
    [
      'an element that no Service has',
      (text) =>
        text.replace(
          'elements = { 10.96.0.1 . tcp',
          'elements = { 10.96.0.99 . tcp . 80 : drop,\n\t\t\t     10.96.0.1 . tcp',
        ),
      [
        'extra nftables ip kube-proxy element service-ips 10.96.0.99 . tcp . 80',
        'packets for this address and port should not be translated',
      ],
    ],
    [
      'an additional chain',
      (text) => text.replace('\tchain services {', '\tchain mine {\n\t\taccept\n\t}\n\n\tchain services {'),
      ['extra nftables ip kube-proxy chain mine', 'kube-proxy would have removed this chain'],
    ],
    [
      'an additional set',
      (text) => text.replace('\tset cluster-ips {', '\tset mine {\n\t\ttype ipv4_addr\n\t}\n\n\tset cluster-ips {'),
      ['extra nftables ip kube-proxy set mine', 'kube-proxy would have removed this set'],
    ],
    [
      'another affinity timeout',
      (text) => text.replace('timeout 3h\n', 'timeout 1h\n'),
      ['changed nftables ip kube-proxy set affinity-', 'the set has another type, or another timeout'],
    ],
    [
      'a counter',
      (text) =>
        text.replace('\tset cluster-ips {', '\tcounter mine {\n\t\tpackets 1 bytes 2\n\t}\n\n\tset cluster-ips {'),
      ['extra nftables ip kube-proxy object mine', 'kube-proxy would not create this object'],
    ],
  ])('reports and repairs %s', (_what, change, [place, reason]) => {
    const text = change(listed)
    expect(text).not.toBe(listed)
    const { drift, places, held } = reportOf(text)
    expect(places.find((each) => each.startsWith(place))).toBeDefined()
    expect(drift.map((each) => each.reason)).toContain(reason)
    expect(textsOfTables(held)).toEqual(expected)
  })

  it('reports and repairs a missing table', () => {
    const { held, drift } = reportOf('table ip other {\n}\n')
    expect(drift.map((each) => each.reason)).toContain('the table is missing, so no Service is served')
    expect(textsOfTables(held)).toMatchObject(expected)
  })
})

describe('verify for a table with leftovers of kube-proxy', () => {
  it.each<[string, (text: string) => string]>([
    [
      'empty chains of removed service ports',
      (text) => text.replace(/\}\n$/, '\n\tchain service-W4L2TFLV-ns/svc/tcp/ {\n\t}\n}\n'),
    ],
    [
      'clients of session affinity',
      (text) => text.replace(/(\tset affinity-[^}]*timeout 3h\n)/, '$1\t\telements = { 10.0.0.9 expires 5s }\n'),
    ],
    [
      'chains that other versions create',
      (text) =>
        text.replace(
          /\}\n$/,
          '\n\tchain mark-for-masquerade {\n\t\tmeta mark set meta mark | 0x00004000\n\t}\n\n\tchain filter-prerouting {\n' +
            '\t\ttype filter hook prerouting priority dstnat - 10; policy accept;\n\t\tct state new jump firewall-check\n\t}\n}\n',
        ),
    ],
    ['tables of other programs', (text) => `table inet kube-proxy {\n\tchain mine {\n\t}\n}\n${text}`],
  ])('reports no drift because of %s', (_what, change) => {
    const text = change(listed)
    expect(text).not.toBe(listed)
    const { places, held } = reportOf(text)
    expect(places).toEqual([])
    expect(held).toHaveLength(readDump(text).IPv4.nftables?.tables.length ?? 0)
  })

  it('reports drift in a chain if this version creates that chain', () => {
    const old = compiled('1.35')
    const text = printFamily(old, { family: 'IPv4', format: 'save' })
    const { places } = reportOf(
      text.replace(/\tchain mark-for-masquerade \{\n.*\n/, '\tchain mark-for-masquerade {\n'),
      old,
    )
    expect(places).toEqual(['changed nftables ip kube-proxy chain mark-for-masquerade'])
  })
})

describe('the drift reason of a map element', () => {
  const ownership = createTableOwnership('IPv4')
  const reasonOf = (kind: DriftKind, set: string, element: Element) =>
    ownership.reasonOf(kind, {
      expected: createElementResource({ family: 'ip', name: 'kube-proxy' }, { set, element }),
    })
  const drop = { key: '1.2.3.4 . tcp . 80', verdict: { kind: 'drop' } } as const

  it.each<[string, DriftKind, Element, string]>([
    ['no-endpoint-services', 'missing', drop, 'packets that should be rejected are not'],
    ['no-endpoint-nodeports', 'extra', drop, 'packets that should be accepted are rejected'],
    ['no-endpoint-services', 'changed', drop, 'packets are rejected differently'],
    ['firewall-ips', 'missing', drop, 'clients are not checked against the source ranges'],
    ['firewall-ips', 'changed', drop, 'clients are checked against the source ranges of another service port'],
    ['service-ips', 'missing', drop, 'packets for this address and port do not reach the chain of the service port'],
    ['service-nodeports', 'misplaced', drop, 'packets for this address and port go to a wrong chain'],
    ['nodeport-ips', 'missing', { key: '192.0.2.1' }, 'packets to node ports of this address are not translated'],
    ['cluster-ips', 'extra', { key: '10.96.0.9' }, 'rules that use the set apply to an unexpected element'],
  ])('describes the effect on packets in %s if the element is %s', (set, kind, element, reason) => {
    expect(reasonOf(kind, set, element)).toBe(reason)
  })
})

describe('the ownership of the nftables table', () => {
  const ownership = createTableOwnership('IPv4')
  const table = { family: 'ip', name: 'kube-proxy' } as const
  const chain = (name: string, rules: Chain['rules'] = []): NftablesResourceValue => ({
    table,
    kind: 'chain',
    value: { name, rules },
  })
  const RULES: Chain['rules'] = [{ statements: [{ kind: 'drop' }] }]
  const NAME = 'service-W4L2TFLV-ns/svc/tcp/'
  const element = (set: string): NftablesResourceValue => ({
    table,
    kind: 'element',
    value: { set, element: { key: 'a' } },
  })

  it.each<[string, string, NftablesResourceValue | undefined, boolean]>([
    ['the table', 'nftables ip kube-proxy', undefined, true],
    ['a chain of the table', 'nftables ip kube-proxy chain mine', chain('mine', RULES), true],
    ['another table with the same prefix', 'nftables ip kube-proxy-2', undefined, false],
    ['the table of the other family', 'nftables ip6 kube-proxy', undefined, false],
    ['a chain of a service port', `nftables ip kube-proxy chain ${NAME}`, chain(NAME, RULES), true],
    ['an empty chain of a service port', `nftables ip kube-proxy chain ${NAME}`, chain(NAME), false],
    ['an empty chain without a service port', 'nftables ip kube-proxy chain mine', chain('mine'), true],
    ...[
      ...['mark-for-masquerade', 'filter-prerouting', 'filter-output-post-dnat'],
      ...['filter-prerouting-pre-dnat', 'filter-output-pre-dnat'],
    ].map((name): [string, string, NftablesResourceValue, boolean] => [
      `${name}, of another version`,
      `nftables ip kube-proxy chain ${name}`,
      chain(name, RULES),
      false,
    ]),
    ['a client of session affinity', 'nftables ip kube-proxy element affinity-A a', element('affinity-A'), false],
    ['a map element', 'nftables ip kube-proxy element service-ips a', element('service-ips'), true],
  ])('includes or excludes %s', (_, id, value, isOwned) => {
    expect(ownership.isOwned(id, value)).toBe(isOwned)
  })

  const objectOf = { kind: 'counter', name: 'mine', packets: 0, bytes: 0 } as const
  const setOf = { kind: 'set', name: 'mine', key: { kind: 'type', types: ['ipv4_addr'] } } as const

  it.each<[NftablesResourceValue, readonly string[]]>([
    [
      { table, kind: 'table', value: table },
      [
        'the table is missing, so no Service is served',
        'an unexpected table',
        'the table has other flags; a dormant table has no effect',
      ],
    ],
    [
      chain('mine'),
      [
        'the chain is missing with all its rules',
        'kube-proxy would have removed this chain',
        'the chain handles packets differently',
      ],
    ],
    [
      { table, kind: 'set', value: { ...setOf, elements: [] } },
      [
        'the set is missing with all its elements, and rules that use it cannot be loaded',
        'kube-proxy would have removed this set',
        'the set has another type, or another timeout',
      ],
    ],
    [
      { table, kind: 'object', value: objectOf },
      ['rules that name it cannot be loaded', 'kube-proxy would not create this object', 'the object has another kind'],
    ],
    [
      element('cluster-ips'),
      [
        'the rules for cluster IPs, such as the rejection of other ports, do not apply to this address',
        'rules that use the set apply to an unexpected element',
        'the element has wrong data',
      ],
    ],
    [
      { table, kind: 'element', value: { set: 'service-ips', element: { key: 'a', verdict: { kind: 'drop' } } } },
      [
        'packets for this address and port do not reach the chain of the service port',
        'packets for this address and port should not be translated',
        'packets for this address and port go to a wrong chain',
      ],
    ],
    ...['no-endpoint-services', 'no-endpoint-nodeports', 'localhost-nodeport-reject-ports'].map(
      (set): [NftablesResourceValue, readonly string[]] => [
        element(set),
        [
          'packets that should be rejected are not',
          'packets that should be accepted are rejected',
          'packets are rejected differently',
        ],
      ],
    ),
    [
      element('firewall-ips'),
      [
        'clients are not checked against the source ranges',
        'clients are checked against source ranges that should not apply',
        'clients are checked against the source ranges of another service port',
      ],
    ],
  ])('returns the drift reasons if %j is missing, extra or changed', (value, reasons) => {
    const kinds: readonly DriftKind[] = ['missing', 'extra', 'changed']
    const resource = { id: '', refs: [], value }
    expect(kinds.map((kind) => ownership.reasonOf(kind, { expected: resource }))).toEqual(reasons)
    expect(kinds.map((kind) => ownership.reasonOf(kind, { found: resource }))).toEqual(reasons)
    expect(ownership.reasonOf('misplaced', { found: resource })).toBe(reasons[2])
  })
})
