import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { cleanUp } from '../../../../compiler/src/commands/clean-up.js'
import { compile } from '../../../../compiler/src/compilation/compile.js'
import { getBlockRules } from '../../../../compiler/src/dataplane/iptables/lazy-block.js'
import type { NodeState } from '../../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../../compiler/src/print/print.js'
import { service } from '../../../../compiler/test/support/objects.js'
import { CORPUS_DUMPS, readDump } from '../../../../compiler/test/support/read-dump.js'
import { inferHost } from '../../../src/dump/infer-host.js'
import { parseDump } from '../../../src/dump/parse-dump.js'
import { FRONTEND_READERS } from '../../../src/explain/explain.js'
import { preferKnownPaths } from '../../../src/program/missing-content.js'
import { PROXY_LISTENER_READERS } from '../../../src/trace/mode-readers.js'
import { trace } from '../../../src/trace/trace.js'
import { annotateOwners } from '../../../src/verify/annotate-owners.js'
import { verify } from '../../../src/verify/verify.js'

const OF_1_1 = readDump(CORPUS_DUMPS.get('kube-1.1-portals.save') ?? '')

/** The ports in the listing of the article. */
const PORTS = {
  'default/kubernetes:https': 44649,
  'kube-system/kube-dns:dns': 35960,
  'kube-system/kube-dns:dns-tcp': 33621,
  'kube-system/kubernetes-dashboard': 37711,
  'kube-system/monitoring-grafana': 33881,
  'kube-system/monitoring-influxdb:http': 46833,
  'kube-system/monitoring-influxdb:api': 45231,
  'kube-system/heapster': 44267,
  'default/default-http-backend': 34319,
  'default/nginx': 37255,
}

describe('a dump of Kubernetes 1.1', () => {
  it('contains the host address and the proxy ports, even if a comment ends with a colon', () => {
    expect(inferHost(OF_1_1, 'userspace')).toEqual({ proxyPorts: PORTS, hostIP: '172.21.102.125' })
    expect(inferHost(OF_1_1, 'iptables')).toEqual({})
    expect(inferHost(OF_1_1, 'kernelspace')).toEqual({})
    expect(inferHost(readDump('*nat\nCOMMIT\n'), 'userspace')).toEqual({})
  })

  it('has an owner for each rule', () => {
    const { iptables } = annotateOwners(OF_1_1.IPv4)
    const owners = iptables?.tables.flatMap(({ blocks }) => blocks.map(({ owner }) => owner))
    expect([...new Set(owners)].sort()).toEqual(
      [
        '',
        ...Object.keys(PORTS).map((name) => `${name}/${name === 'kube-system/kube-dns:dns' ? 'UDP' : 'TCP'}`),
      ].sort(),
    )
  })

  it('contains its frontends', () => {
    const frontends = FRONTEND_READERS.userspace(annotateOwners(OF_1_1.IPv4))
    expect(frontends).toHaveLength(10)
    expect(frontends[1]).toEqual({
      ...{ owner: 'kube-system/kube-dns:dns/UDP', protocol: 'UDP', address: '10.152.183.10', port: 53 },
    })
    expect(FRONTEND_READERS.userspace({ family: 'IPv4' })).toEqual([])
    expect(PROXY_LISTENER_READERS.userspace({ family: 'IPv4' })).toEqual([])
    expect(inferHost({ IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' } }, 'userspace')).toEqual({})
  })
})

describe('a proxy port in a partial dump of Kubernetes 1.1', () => {
  const RULES = [
    '-A KUBE-NODEPORT-CONTAINER -p tcp -m comment --comment "default/web:" -m tcp --dport 30080 -j REDIRECT --to-ports 40001',
    '-A KUBE-NODEPORT-HOST -p tcp -m comment --comment "default/web:" -m tcp --dport 30080 -j DNAT --to-destination 192.0.2.2:40001',
    '-A KUBE-PORTALS-CONTAINER -d 10.0.0.1/32 -p tcp -m comment --comment "default/web:" -m tcp --dport 80 -j REDIRECT --to-ports 40001',
    '-A KUBE-PORTALS-HOST -d 10.0.0.1/32 -p tcp -m comment --comment "default/web:" -m tcp --dport 80 -j DNAT --to-destination 192.0.2.2:40001',
  ]
  const endsOf = (text: string, packet: Pick<Packet, 'origin' | 'destination' | 'destinationPort'>) => {
    const parsed = parseDump(text, { lenient: true })
    const state: NodeState = parsed.ok ? parsed.value.IPv4 : { family: 'IPv4' }
    const paths = trace(state, { ...packet, protocol: 'TCP', source: '198.51.100.7' }, { addresses: ['192.0.2.2'] })
    return [...new Set(preferKnownPaths(paths).map(({ outcome }) => outcome.kind))]
  }
  const PACKETS = (['outside', 'node'] as const).flatMap((origin) => [
    { origin, destination: '192.0.2.2', destinationPort: 30080 },
    { origin, destination: '10.0.0.1', destinationPort: 80 },
  ])

  it.each(PACKETS)('is a possible outcome if the dump omits rules that reference it: %j', (packet) => {
    expect(endsOf(RULES.join('\n'), packet)).toEqual(['proxy'])
  })

  it.each(PACKETS)('is not reached if the dump contains all rules that reference it: %j', (packet) => {
    const chains = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'].map((chain) => `:${chain} ACCEPT [0:0]`)
    const own = RULES.map((rule) => `:${rule.split(' ')[1]} - [0:0]`)
    expect(endsOf(['*nat', ...chains, ...own, ...RULES, 'COMMIT', ''].join('\n'), packet)).not.toContain('proxy')
  })
})

describe('rules that resemble the rules of the userspace proxy', () => {
  it('keep their own addresses and ports', () => {
    const lines = [
      '-A KUBE-PORTALS-CONTAINER -d 10.0.0.1/32 -p tcp -m comment --comment "a/b" -m tcp --dport 80 -j REDIRECT --to-ports 1',
      '-A KUBE-PORTALS-CONTAINER -p tcp -m comment --comment "no address" -m tcp --dport 80 -j REDIRECT --to-ports 2',
      '-A KUBE-PORTALS-CONTAINER -d 10.0.0.0/8 -p tcp -m comment --comment "a/network" -m tcp --dport 80 -j REDIRECT --to-ports 3',
      '-A KUBE-PORTALS-HOST -d 10.0.0.1/32 -p tcp -m comment --comment "a/range" -m tcp --dport 80:81 -j DNAT --to-destination 10.0.0.1',
      '-A KUBE-PORTALS-HOST -d 10.0.0.1/32 -p sctp -m comment --comment "a/sctp" -m sctp --dport 80 -j REDIRECT --to-ports 4',
      '-A KUBE-PORTALS-HOST -d 10.0.0.1/32 -p tcp -m comment --comment "a/none" -m tcp --dport 80',
      '-A KUBE-PORTALS-HOST -d 10.0.0.1/32 -p tcp -m comment --comment "a/accepted" -m tcp --dport 80 -j ACCEPT',
      '-A KUBE-NODEPORT-HOST -p tcp -m comment --comment "a/b" -m tcp --dport 80:90 -j DNAT --to-destination 10.0.0.9:5',
    ]
    const dump = readDump(
      [
        '*nat',
        ':KUBE-PORTALS-CONTAINER - [0:0]',
        ':KUBE-PORTALS-HOST - [0:0]',
        ':KUBE-NODEPORT-HOST - [0:0]',
        '-A OUTPUT -j KUBE-PORTALS-HOST',
        ...lines,
        'COMMIT',
        '',
      ].join('\n'),
    )
    expect(PROXY_LISTENER_READERS.userspace(dump.IPv4)).toEqual([
      { servicePort: 'a/b', protocol: 'TCP', port: 1 },
      { servicePort: '', protocol: 'TCP', port: 2 },
      { servicePort: 'a/network', protocol: 'TCP', port: 3 },
      { servicePort: 'a/b', protocol: 'TCP', address: '10.0.0.9', port: 5 },
    ])
    expect(FRONTEND_READERS.userspace(dump.IPv4)).toEqual([
      { owner: '', protocol: 'TCP', address: '10.0.0.1', port: 80 },
    ])
    expect(inferHost(dump, 'userspace')).toEqual({
      proxyPorts: { 'a/b': 5, 'a/network': 3 },
      hostIP: '10.0.0.9',
    })
  })
})

const INPUT = {
  services: [
    service({ clusterIP: '10.96.0.9', type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }),
  ],
  host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
}

describe('a node in userspace mode', () => {
  const compiled = (host: object) =>
    compile({ ...INPUT, host: { ...INPUT.host, ...host } }, { mode: 'userspace', families: ['IPv4'] })
  const live = compiled({ proxyPorts: { 'ns1/web:http': 47110 }, hostIP: '192.168.0.9' })
  const dump = readDump(live.families.map(({ state }) => print(state, { format: 'save' })).join(''))

  it('has no drift from a state compiled with its ports and address', () => {
    expect(verify(compiled(inferHost(dump, 'userspace')), dump).verdict).toBe('noDrift')
  })

  it('has drift from a state compiled with other ports or addresses', () => {
    const [report] = verify(compiled({}), dump).families
    const drift =
      report?.drift.flatMap((group) => group.drift.map(({ location, reason }) => `${location}: ${reason}`)) ?? []
    expect(drift).toContain(
      'nat/KUBE-PORTALS-CONTAINER: packets go to port 47110 of the node instead of port 40000 of the node',
    )
    expect(drift).toContain('nat/KUBE-NODEPORT-HOST: packets go to 192.168.0.9:47110 instead of 192.168.0.2:40000')
  })

  it('has drift after a loss or addition of rules', () => {
    const lines = (text: string) => readDump(text)
    const saved = live.families.map(({ state }) => print(state, { format: 'save' })).join('')
    const less = lines(saved.replace(/^-A KUBE-PORTALS-(?:CONTAINER|HOST) .*\n/gm, ''))
    const reasons = (held: typeof dump) =>
      verify(live, held).families.flatMap(({ drift }) =>
        drift.flatMap((group) => group.drift.map(({ reason }) => reason)),
      )
    expect(reasons(less)).toEqual([
      'packets do not reach the process that accepts the connections of the service port',
      'packets do not reach the process that accepts the connections of the service port',
    ])
    const nothing = compile({ ...INPUT, services: [] }, { mode: 'userspace', families: ['IPv4'] })
    const [report] = verify(nothing, dump).families
    const extra = report?.drift.flatMap((group) => group.drift.map(({ reason }) => reason)) ?? []
    expect(new Set(extra)).toEqual(
      new Set(['packets reach a process that should not accept them', 'kube-proxy would not write this rule']),
    )
  })

  it('needs the same clean-up commands as kube-proxy uses', () => {
    const [family] = live.families
    const runs = family === undefined ? [] : cleanUp(family.state, { mode: 'userspace' })
    const removed = runs.map(({ args, input }) => [
      args.slice(3, 6).join(' '),
      args.at(-1),
      input.split('\n').filter((line) => line.startsWith('-X')),
    ])
    expect(removed).toEqual([
      ['nat -D OUTPUT', 'KUBE-PORTALS-HOST', []],
      ['nat -D PREROUTING', 'KUBE-PORTALS-CONTAINER', []],
      ['nat -D OUTPUT', 'KUBE-NODEPORT-HOST', []],
      ['nat -D PREROUTING', 'KUBE-NODEPORT-CONTAINER', []],
      ['filter -D INPUT', 'KUBE-NODEPORT-NON-LOCAL', []],
      [
        ...['nat --noflush --counters', '--counters'],
        ['-X KUBE-PORTALS-CONTAINER', '-X KUBE-PORTALS-HOST', '-X KUBE-NODEPORT-HOST', '-X KUBE-NODEPORT-CONTAINER'],
      ],
      ['filter --noflush --counters', '--counters', ['-X KUBE-NODEPORT-NON-LOCAL']],
    ])
    expect(cleanUp({ family: 'IPv4' }, { mode: 'userspace' })).toEqual([])
    expect(() => cleanUp({ family: 'IPv4' }, { mode: 'userspace', kubernetesVersion: '1.30' })).toThrow(
      'userspace mode does not exist in version "1.30"',
    )
  })

  it('keeps the position of appended jumps', () => {
    const [family] = live.families
    const jumps = family?.state.iptables?.tables.flatMap((table) =>
      table.jumps.map((jump) => [jump.chain, jump.appended ?? false]),
    )
    expect(jumps).toEqual([
      ['INPUT', false],
      ['PREROUTING', false],
      ['PREROUTING', true],
      ['OUTPUT', false],
      ['OUTPUT', true],
    ])
    expect(
      family?.state.iptables?.tables
        .flatMap(({ blocks }) => blocks.flatMap(getBlockRules))
        .some(({ appended }) => appended),
    ).toBe(false)
  })
})
