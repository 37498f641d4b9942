import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/compile.js'
import type { DriftKind } from '../../../src/dataplane/comparison.js'
import type { Element } from '../../../src/dataplane/nftables/ast.js'
import { elementResource } from '../../../src/dataplane/nftables/resources.js'
import { tableCustody } from '../../../src/targets/nftables/custody.js'
import { verify } from '../../../src/verify.js'
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
const listed = printFamily(result, { family: 'IPv4', spelling: 'save' })

function reportOf(text: string, desired = result) {
  const dump = readDump(text)
  const [report] = verify(desired, dump).families
  if (report === undefined) throw new Error('no family')
  const drift = report.drift.flatMap((group) => group.drift)
  const held = report.repair.reduce((tables, { input: run }) => afterNft(tables, run), dump.IPv4.nftables?.tables ?? [])
  return { drift, places: drift.map(({ kind, place }) => `${kind} ${place}`), held }
}

const wanted = textsOfTables(result.families[0]?.state.nftables?.tables ?? [])

describe('a table that differs', () => {
  it.each<[string, (text: string) => string, readonly [string, string]]>([
    [
      'a rule less',
      (text) => text.replace('\t\tjump masquerading\n', ''),
      [
        'changed nftables ip kube-proxy chain nat-postrouting',
        'the chain does something else with the packets that come to it',
      ],
    ],
    [
      'no chain for refusals',
      (text) => text.replace(/\tset cluster-ips \{[^}]*\}\n\t\}\n/, ''),
      [
        'missing nftables ip kube-proxy set cluster-ips',
        'the set is missing with all its elements, and rules that look into it cannot be loaded',
      ],
    ],
    [
      'an address that nobody serves',
      (text) =>
        text.replace(
          'elements = { 10.96.0.1 . tcp',
          'elements = { 10.96.0.99 . tcp . 80 : drop,\n\t\t\t     10.96.0.1 . tcp',
        ),
      [
        'extra nftables ip kube-proxy element service-ips 10.96.0.99 . tcp . 80',
        'packets for this address and port are sent on, which nobody wants',
      ],
    ],
    [
      'a chain more',
      (text) => text.replace('\tchain services {', '\tchain mine {\n\t\taccept\n\t}\n\n\tchain services {'),
      ['extra nftables ip kube-proxy chain mine', 'a chain that kube-proxy would have removed'],
    ],
    [
      'a set more',
      (text) => text.replace('\tset cluster-ips {', '\tset mine {\n\t\ttype ipv4_addr\n\t}\n\n\tset cluster-ips {'),
      ['extra nftables ip kube-proxy set mine', 'a set that kube-proxy would have removed'],
    ],
    [
      'another time for clients',
      (text) => text.replace('timeout 3h\n', 'timeout 1h\n'),
      [
        'changed nftables ip kube-proxy set affinity-',
        'the set is of another type, or its elements stay for another time',
      ],
    ],
    [
      'a counter',
      (text) =>
        text.replace('\tset cluster-ips {', '\tcounter mine {\n\t\tpackets 1 bytes 2\n\t}\n\n\tset cluster-ips {'),
      ['extra nftables ip kube-proxy object mine', 'something that kube-proxy would not make'],
    ],
  ])('in %s is found and repaired', (_what, change, [place, reason]) => {
    const text = change(listed)
    expect(text).not.toBe(listed)
    const { drift, places, held } = reportOf(text)
    expect(places.find((each) => each.startsWith(place))).toBeDefined()
    expect(drift.map((each) => each.reason)).toContain(reason)
    expect(textsOfTables(held)).toEqual(wanted)
  })

  it('in everything, because it is not there, is written anew', () => {
    const { held, drift } = reportOf('table ip other {\n}\n')
    expect(drift.map((each) => each.reason)).toContain('the table is missing with everything in it: nothing is served')
    expect(textsOfTables(held)).toMatchObject(wanted)
  })
})

describe('what kube-proxy leaves itself', () => {
  it.each<[string, (text: string) => string]>([
    [
      'chains of service ports that it has emptied',
      (text) => text.replace(/\}\n$/, '\n\tchain service-W4L2TFLV-ns/svc/tcp/ {\n\t}\n}\n'),
    ],
    [
      'clients',
      (text) => text.replace(/(\tset affinity-[^}]*timeout 3h\n)/, '$1\t\telements = { 10.0.0.9 expires 5s }\n'),
    ],
    [
      'chains of other versions',
      (text) =>
        text.replace(
          /\}\n$/,
          '\n\tchain mark-for-masquerade {\n\t\tmeta mark set meta mark | 0x00004000\n\t}\n\n\tchain filter-prerouting {\n' +
            '\t\ttype filter hook prerouting priority dstnat - 10; policy accept;\n\t\tct state new jump firewall-check\n\t}\n}\n',
        ),
    ],
    ['tables of others', (text) => `table inet kube-proxy {\n\tchain mine {\n\t}\n}\n${text}`],
  ])('is no drift: %s', (_what, change) => {
    const text = change(listed)
    expect(text).not.toBe(listed)
    const { places, held } = reportOf(text)
    expect(places).toEqual([])
    expect(held).toHaveLength(readDump(text).IPv4.nftables?.tables.length ?? 0)
  })

  it('is its own where it is of this version', () => {
    const old = compiled('1.35')
    const text = printFamily(old, { family: 'IPv4', spelling: 'save' })
    const { places } = reportOf(
      text.replace(/\tchain mark-for-masquerade \{\n.*\n/, '\tchain mark-for-masquerade {\n'),
      old,
    )
    expect(places).toEqual(['changed nftables ip kube-proxy chain mark-for-masquerade'])
  })
})

describe('the reason', () => {
  const custody = tableCustody('IPv4')
  const reasonOf = (kind: DriftKind, set: string, element: Element) =>
    custody.reasonOf(kind, { wanted: elementResource({ family: 'ip', name: 'kube-proxy' }, { set, element }) })
  const drop = { key: '1.2.3.4 . tcp . 80', verdict: { kind: 'drop' } } as const

  it.each<[string, DriftKind, Element, string]>([
    ['no-endpoint-services', 'missing', drop, 'packets that should be refused are not'],
    ['no-endpoint-nodeports', 'extra', drop, 'packets are refused that should not be'],
    ['no-endpoint-services', 'changed', drop, 'packets are refused in another way than they should be'],
    ['firewall-ips', 'missing', drop, 'nobody is held against the source ranges'],
    ['firewall-ips', 'changed', drop, 'clients are held against the source ranges of another service port'],
    ['service-ips', 'missing', drop, 'packets for this address and port do not get to the chain of the service port'],
    ['service-nodeports', 'misplaced', drop, 'packets for this address and port go to another chain than they should'],
    [
      'cluster-ips',
      'extra',
      { key: '10.96.0.9' },
      'rules that look into the set apply to an element that nobody wants',
    ],
  ])('of an element of %s that is %s says what it does', (set, kind, element, reason) => {
    expect(reasonOf(kind, set, element)).toBe(reason)
  })
})
