import { describe, expect, it } from 'vitest'
import { getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'
import { printRestore } from '../../../src/dataplane/iptables/print/print.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { cidr } from '../../support/decisions.js'
import { type IpvsConfiguration, lowered } from '../../support/ipvs-states.js'
import { servicePort } from '../../support/model-builder.js'

const linesOf = (servicePorts: readonly ServicePort[], configuration: IpvsConfiguration = {}): readonly string[] =>
  printRestore(lowered(servicePorts, configuration).iptables).split('\n')

const rulesOf = (chain: string, ...args: Parameters<typeof linesOf>): readonly string[] =>
  linesOf(...args).filter((line) => line.startsWith(`-A ${chain} `))

it('ipvs mode prints all chains and fixed rules, nat before filter, even without service ports', () => {
  expect(linesOf([])).toEqual([
    '*nat',
    ':KUBE-SERVICES - [0:0]',
    ':KUBE-POSTROUTING - [0:0]',
    ':KUBE-NODE-PORT - [0:0]',
    ':KUBE-LOAD-BALANCER - [0:0]',
    ':KUBE-MARK-MASQ - [0:0]',
    '-A KUBE-SERVICES -s 127.0.0.0/8 -j RETURN',
    '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT',
    '-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ',
    '-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN',
    '-A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000',
    '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
    '-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000',
    'COMMIT',
    '*filter',
    ':KUBE-FORWARD - [0:0]',
    ':KUBE-NODE-PORT - [0:0]',
    ':KUBE-PROXY-FIREWALL - [0:0]',
    ':KUBE-SOURCE-RANGES-FIREWALL - [0:0]',
    ':KUBE-IPVS-FILTER - [0:0]',
    ':KUBE-IPVS-OUT-FILTER - [0:0]',
    '-A KUBE-SOURCE-RANGES-FIREWALL -j DROP',
    '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT',
    '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
    '-A KUBE-NODE-PORT -m comment --comment "Kubernetes health check node port" -m set --match-set KUBE-HEALTH-CHECK-NODE-PORT dst -j ACCEPT',
    '-A KUBE-IPVS-FILTER -m set --match-set KUBE-LOAD-BALANCER dst,dst -j RETURN',
    '-A KUBE-IPVS-FILTER -m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN',
    '-A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP dst,dst -j RETURN',
    '-A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -j RETURN',
    '-A KUBE-IPVS-FILTER -m set --match-set KUBE-HEALTH-CHECK-NODE-PORT dst -j RETURN',
    '-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT',
    'COMMIT',
    '',
  ])
})

it('IPv6 rules of ipvs mode match IPv6 sets', () => {
  const sourceRanges = [cidr('2001:db8::/32')]
  const lines = linesOf([servicePort({ clusterIP: 'fd00::41', loadBalancerIPs: ['2001:db8:1::1'], sourceRanges })], {
    family: 'IPv6',
    node: { ip: 'fd00:1::2', localTrafficDetection: { kind: 'cidr', cidr: cidr('fd00:10::/64') } },
  })
  expect(lines.filter((line) => /KUBE-(?:CLUSTER|LOAD-BALANCER-S|LOAD-BALANCER dst|IPVS-IPS)/.test(line))).toEqual([])
  expect(lines).toContain('-A KUBE-SERVICES -s ::1/128 -j RETURN')
  expect(lines).toContain(
    '-A KUBE-SOURCE-RANGES-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source cidr for packet filter purpose" -m set --match-set KUBE-6-LOAD-BALANCER-SOURCE-CID dst,dst,src -j RETURN',
  )
  expect(lines).toContain(
    '-A KUBE-IPVS-OUT-FILTER -s 2001:db8:1::1 -m ipvs --vaddr 2001:db8:1::1 --vproto tcp --vport 80 -j DROP',
  )
})

describe('packets to cluster IPs in ipvs mode', () => {
  const set =
    '-m comment --comment "Kubernetes service cluster ip + port for masquerade purpose" -m set --match-set KUBE-CLUSTER-IP'
  const rest = [
    '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT',
    '-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT',
  ]
  const withLocalTrafficDetection = (
    localTrafficDetection: NonNullable<NonNullable<IpvsConfiguration['node']>['localTrafficDetection']>,
  ) => ({
    node: { localTrafficDetection },
  })

  it.each<[string, IpvsConfiguration, string]>([
    ['from an address outside the pod network', {}, 'dst,dst ! -s 10.0.0.0/8'],
    [
      'from another interface than that of pods',
      withLocalTrafficDetection({ kind: 'interface', interface: 'cni0' }),
      'dst,dst ! -i cni0',
    ],
    [
      'from an interface without the prefix of pods',
      withLocalTrafficDetection({ kind: 'interfacePrefix', prefix: 'cali' }),
      'dst,dst ! -i cali+',
    ],
    [
      'from the cluster IP itself, without local traffic detection',
      { node: { localTrafficDetection: undefined } },
      'src,dst',
    ],
    ['from anywhere, with masqueradeAll', { settings: { masqueradeAll: true } }, 'dst,dst'],
  ])('are masqueraded if they come %s', (_, configuration, matches) => {
    expect(rulesOf('KUBE-SERVICES', [servicePort()], configuration)).toEqual([
      '-A KUBE-SERVICES -s 127.0.0.0/8 -j RETURN',
      `-A KUBE-SERVICES ${set} ${matches} -j KUBE-MARK-MASQ`,
      ...rest,
    ])
  })
})

it('ipvs mode has KUBE-SERVICES rules for every kind of address in the same order as kube-proxy', () => {
  const ports = [
    servicePort({ externalIPs: ['192.168.99.11'], loadBalancerIPs: ['1.2.3.4'] }),
    servicePort({ name: 'svc2', clusterIP: '172.30.0.42', externalIPs: ['192.168.99.12'], externalPolicyLocal: true }),
  ]
  const external =
    '-m comment --comment "Kubernetes service external ip + port for masquerade and filter purpose" -m set --match-set KUBE-EXTERNAL-IP dst,dst'
  const local =
    '-m comment --comment "Kubernetes service external ip + port with externalTrafficPolicy=local" -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst'
  expect(rulesOf('KUBE-SERVICES', ports)).toEqual([
    '-A KUBE-SERVICES -s 127.0.0.0/8 -j RETURN',
    '-A KUBE-SERVICES -m comment --comment "Kubernetes service lb portal" -m set --match-set KUBE-LOAD-BALANCER dst,dst -j KUBE-LOAD-BALANCER',
    '-A KUBE-SERVICES -m comment --comment "Kubernetes service cluster ip + port for masquerade purpose" -m set --match-set KUBE-CLUSTER-IP dst,dst ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ',
    `-A KUBE-SERVICES ${external} -j KUBE-MARK-MASQ`,
    `-A KUBE-SERVICES ${external} -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT`,
    `-A KUBE-SERVICES ${external} -m addrtype --dst-type LOCAL -j ACCEPT`,
    `-A KUBE-SERVICES ${local} -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT`,
    `-A KUBE-SERVICES ${local} -m addrtype --dst-type LOCAL -j ACCEPT`,
    '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT',
    '-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT',
    '-A KUBE-SERVICES -m set --match-set KUBE-LOAD-BALANCER dst,dst -j ACCEPT',
  ])
})

it('ipvs mode masquerades hairpin packets first in KUBE-POSTROUTING, without --random-fully', () => {
  const endpoints = [
    {
      ip: '10.180.0.1',
      port: 80,
      text: '10.180.0.1:80',
      ready: true,
      serving: true,
      terminating: false,
      nodeName: 'node1',
      local: true,
      hints: { zones: [], nodes: [] },
    },
  ]
  expect(rulesOf('KUBE-POSTROUTING', [servicePort({ endpoints })])[0]).toBe(
    '-A KUBE-POSTROUTING -m comment --comment "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose" -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE',
  )
})

it('ipvs mode preserves the client IP of packets to load-balancer IPs with policy Local', () => {
  expect(
    rulesOf('KUBE-LOAD-BALANCER', [servicePort({ loadBalancerIPs: ['1.2.3.4'], externalPolicyLocal: true })]),
  ).toEqual([
    '-A KUBE-LOAD-BALANCER -m comment --comment "Kubernetes service load balancer ip + port with externalTrafficPolicy=local" -m set --match-set KUBE-LOAD-BALANCER-LOCAL dst,dst -j RETURN',
    '-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ',
  ])
})

it('ipvs mode has node port rules for each protocol, with policy Local first', () => {
  const ports = (['TCP', 'UDP', 'SCTP'] as const).map((protocol) =>
    servicePort({ protocol, nodePort: 3001, externalPolicyLocal: true }),
  )
  const matches = (protocol: string, set: string, comment: string, directions: string) =>
    `-A KUBE-NODE-PORT -p ${protocol} -m comment --comment "${comment}" -m set --match-set ${set} ${directions}`
  expect(rulesOf('KUBE-NODE-PORT', ports).slice(0, 6)).toEqual([
    `${matches('tcp', 'KUBE-NODE-PORT-LOCAL-TCP', 'Kubernetes nodeport TCP port with externalTrafficPolicy=local', 'dst')} -j RETURN`,
    `${matches('tcp', 'KUBE-NODE-PORT-TCP', 'Kubernetes nodeport TCP port for masquerade purpose', 'dst')} -j KUBE-MARK-MASQ`,
    `${matches('udp', 'KUBE-NODE-PORT-LOCAL-UDP', 'Kubernetes nodeport UDP port with externalTrafficPolicy=local', 'dst')} -j RETURN`,
    `${matches('udp', 'KUBE-NODE-PORT-UDP', 'Kubernetes nodeport UDP port for masquerade purpose', 'dst')} -j KUBE-MARK-MASQ`,
    `${matches('sctp', 'KUBE-NODE-PORT-LOCAL-SCTP-HASH', "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'", 'dst,dst')} -j RETURN`,
    `${matches('sctp', 'KUBE-NODE-PORT-SCTP-HASH', "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'", 'dst,dst')} -j KUBE-MARK-MASQ`,
  ])
})

describe('source ranges in ipvs mode', () => {
  const guarded = (range: string) =>
    servicePort({ loadBalancerIPs: ['1.2.3.4', '1.2.3.5'], sourceRanges: [cidr(range)], protocol: 'UDP' })
  const jump =
    '-A KUBE-PROXY-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port for load balancer with sourceRange" -m set --match-set KUBE-LOAD-BALANCER-FW dst,dst -j KUBE-SOURCE-RANGES-FIREWALL'
  const fromRange =
    '-A KUBE-SOURCE-RANGES-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source cidr for packet filter purpose" -m set --match-set KUBE-LOAD-BALANCER-SOURCE-CIDR dst,dst,src -j RETURN'
  const fromItself =
    '-A KUBE-SOURCE-RANGES-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source IP for packet filter purpose" -m set --match-set KUBE-LOAD-BALANCER-SOURCE-IP dst,dst,src -j RETURN'
  const drop = '-A KUBE-SOURCE-RANGES-FIREWALL -j DROP'

  it('also accept packets from the load-balancer IP to itself if the ranges contain the node', () => {
    const ports = [guarded('192.168.0.0/24')]
    expect(rulesOf('KUBE-PROXY-FIREWALL', ports)).toEqual([jump])
    expect(rulesOf('KUBE-SOURCE-RANGES-FIREWALL', ports)).toEqual([fromRange, fromItself, drop])
    expect(rulesOf('KUBE-IPVS-OUT-FILTER', ports)).toEqual([])
  })

  it('cause packets of the node to be dropped if the ranges do not contain the node', () => {
    const ports = [guarded('203.0.113.0/24')]
    expect(rulesOf('KUBE-SOURCE-RANGES-FIREWALL', ports)).toEqual([fromRange, drop])
    expect(rulesOf('KUBE-IPVS-OUT-FILTER', ports)).toEqual([
      '-A KUBE-IPVS-OUT-FILTER -s 1.2.3.4 -m ipvs --vaddr 1.2.3.4 --vproto udp --vport 80 -j DROP',
      '-A KUBE-IPVS-OUT-FILTER -s 1.2.3.5 -m ipvs --vaddr 1.2.3.5 --vproto udp --vport 80 -j DROP',
    ])
  })

  it('have their KUBE-IPVS-OUT-FILTER rules in the block of their service port', () => {
    const { tables } = lowered([guarded('203.0.113.0/24'), servicePort({ name: 'svc2' })]).iptables
    expect(tables[1]?.blocks.map((block) => [block.owner, getBlockRules(block).length])).toEqual([
      ['', 3],
      ['ns1/svc1:p80/UDP', 2],
      ['', 9],
    ])
  })
})
