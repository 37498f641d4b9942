import { describe, expect, it } from 'vitest'
import { printRestore } from '../../../src/dataplane/iptables/print/print.js'
import { featuresOf } from '../../../src/model/configuration/features.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { cidr } from '../../support/decisions.js'
import { type Configuration, stateOf } from '../../support/iptables-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

// The expected rules follow the source code of each version. The node is 192.168.0.2, and pods have addresses in
// 10.0.0.0/8.

const HASH = '4SW47YFZTEDKD3PK'
const SEP4 = 'KUBE-SEP-UKSFD7AGPMPPLUHC'
const SEP5 = 'KUBE-SEP-C6EBXVWJJZMIWKLZ'

const LOCAL_4 = endpoint({ ip: '10.180.0.4', local: true })
const REMOTE_5 = endpoint({ ip: '10.180.0.5' })
const BOTH = [LOCAL_4, REMOTE_5]

/** Builds `ns4/svc4:p80` at 172.30.0.44:80, with overrides. */
function service(fields: Partial<Omit<ServicePort, 'id'>> = {}): ServicePort {
  return servicePort({ namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', ...fields })
}

function of(version: string, node: Configuration['node'] = {}, gates = {}): Configuration {
  const features = featuresOf('iptables', version, new Map(Object.entries(gates)))
  return { node, settings: { features, localhostNodePorts: true } }
}

/** Returns the rules of one chain, without `-A CHAIN `, and undefined if the chain is not declared. */
function chain(
  table: 'nat' | 'filter',
  name: string,
  port: ServicePort,
  configuration: Configuration,
): readonly string[] | undefined {
  const [, text = ''] = printRestore(stateOf([port], configuration)).split(`*${table}\n`)
  const [lines = ''] = text.split('COMMIT\n')
  if (!lines.includes(`:${name} - [0:0]`)) return undefined
  const start = `-A ${name} `
  return lines
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length))
}

describe('an address that Endpoints of up to 1.18 list twice', () => {
  it('has one chain with its rules twice', () => {
    const twice = service({ endpoints: [REMOTE_5, REMOTE_5] })
    const configuration = of('1.18')
    const name = '-m comment --comment ns4/svc4:p80'
    const rules = [
      `${name} -s 10.180.0.5/32 -j KUBE-MARK-MASQ`,
      `${name} -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80`,
    ]
    expect(chain('nat', SEP5, twice, configuration)).toEqual([...rules, ...rules])
    expect(printRestore(stateOf([twice], configuration)).split(`:${SEP5} - [0:0]`)).toHaveLength(2)
  })
})

describe('the fixed chains of iptables mode', () => {
  const filterChains = ['KUBE-NODEPORTS', 'KUBE-PROXY-FIREWALL', 'KUBE-FIREWALL']

  it.each([
    ['1.27', filterChains],
    ['1.26', ['KUBE-NODEPORTS', 'KUBE-PROXY-FIREWALL']],
    ['1.25', ['KUBE-NODEPORTS', 'KUBE-PROXY-FIREWALL']],
    ['1.24', ['KUBE-NODEPORTS']],
    ['1.21', ['KUBE-NODEPORTS']],
    ['1.20', []],
  ])('in the filter table of %s include %j', (version, present) => {
    expect(filterChains.filter((name) => chain('filter', name, service(), of(version)) !== undefined)).toEqual(present)
  })

  it.each([
    ['1.25', undefined],
    ['1.24', []],
    ['1.20', []],
    ['1.19', undefined],
  ])('in %s have in KUBE-MARK-DROP of table nat the rules %j', (version, rules) => {
    expect(chain('nat', 'KUBE-MARK-DROP', service(), of(version))).toEqual(rules)
  })

  it.each([
    ['1.19', '-j MARK --or-mark 0x00004000', 3],
    ['1.18.6', '-j MARK --or-mark 0x00004000', 3],
    ['1.18.5', '-j MARK --set-xmark 0x00004000/0x00004000', 1],
    ['1.17.9', '-j MARK --or-mark 0x00004000', 3],
    ['1.17.8', '-j MARK --set-xmark 0x00004000/0x00004000', 1],
  ])('in %s mark packets by %s, and masquerade marked packets by %i rules', (version, mark, count) => {
    expect(chain('nat', 'KUBE-MARK-MASQ', service(), of(version))).toEqual([mark])
    expect(chain('nat', 'KUBE-POSTROUTING', service(), of(version))).toHaveLength(count)
  })

  const tracked = '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT'
  const [fromPods, toPods] = ['source', 'destination'].map(
    (side) => `-m comment --comment "kubernetes forwarding conntrack pod ${side} rule"`,
  )
  const marked = '-m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT'
  const invalid = '-m conntrack --ctstate INVALID -j DROP'

  it.each([
    ['1.23', [invalid, marked, `-m comment --comment "kubernetes forwarding conntrack rule" ${tracked}`]],
    ['1.22', [invalid, marked, `${fromPods} ${tracked}`, `${toPods} ${tracked}`]],
    ['1.17', [invalid, marked, `-s 10.0.0.0/8 ${fromPods} ${tracked}`, `${toPods} -d 10.0.0.0/8 ${tracked}`]],
    ['1.14', [marked, `-s 10.0.0.0/8 ${fromPods} ${tracked}`, `${toPods} -d 10.0.0.0/8 ${tracked}`]],
  ])('forward packets of tracked connections in %s', (version, rules) => {
    expect(chain('filter', 'KUBE-FORWARD', service(), of(version))).toEqual(rules)
  })

  it('forward packets of tracked connections in 1.17 only with local traffic detection', () => {
    const configuration = of('1.17', { localTrafficDetection: undefined })
    expect(chain('filter', 'KUBE-FORWARD', service(), configuration)).toEqual([invalid, marked])
  })

  it('do not drop invalid packets in version 1.29 and later if the kernel is liberal', () => {
    const rulesOf = (version: string) => {
      const { settings } = of(version)
      return chain('filter', 'KUBE-FORWARD', service(), {
        settings: { ...settings, conntrackTcpBeLiberal: true },
      })
    }
    expect(rulesOf('1.29')).not.toContain(invalid)
    expect(rulesOf('1.28')).toContain(invalid)
  })
})

describe('a packet to a load-balancer IP that has source ranges', () => {
  const limited = service({
    endpoints: BOTH,
    loadBalancerIPs: ['198.51.100.1', '198.51.100.2'],
    sourceRanges: [cidr('192.168.0.0/16')],
  })
  const rulesOf = (version: string) => chain('nat', `KUBE-FW-${HASH}`, limited, of(version))
  const name = '-m comment --comment "ns4/svc4:p80 loadbalancer IP"'

  it('in version 1.25 is checked once for all load-balancer IPs and dropped in the filter table', () => {
    expect(rulesOf('1.25')).toEqual([
      `${name} -s 192.168.0.0/16 -j KUBE-EXT-${HASH}`,
      `${name} -s 198.51.100.1 -j KUBE-EXT-${HASH}`,
      `${name} -s 198.51.100.2 -j KUBE-EXT-${HASH}`,
    ])
    expect(chain('filter', 'KUBE-PROXY-FIREWALL', limited, of('1.25'))).toHaveLength(2)
  })

  it('up to version 1.24 is checked for each load-balancer IP and marked to be dropped', () => {
    expect(rulesOf('1.24')).toEqual([
      `${name} -s 192.168.0.0/16 -j KUBE-EXT-${HASH}`,
      `${name} -s 198.51.100.1 -j KUBE-EXT-${HASH}`,
      `${name} -j KUBE-MARK-DROP`,
      `${name} -s 192.168.0.0/16 -j KUBE-EXT-${HASH}`,
      `${name} -s 198.51.100.2 -j KUBE-EXT-${HASH}`,
      `${name} -j KUBE-MARK-DROP`,
    ])
  })

  it('up to version 1.23 is masqueraded in the firewall chain and then sent to KUBE-SVC', () => {
    expect(rulesOf('1.22')).toEqual([
      `${name} -j KUBE-MARK-MASQ`,
      `${name} -s 192.168.0.0/16 -j KUBE-SVC-${HASH}`,
      `${name} -s 198.51.100.1/32 -j KUBE-SVC-${HASH}`,
      `${name} -j KUBE-MARK-DROP`,
      `${name} -j KUBE-MARK-MASQ`,
      `${name} -s 192.168.0.0/16 -j KUBE-SVC-${HASH}`,
      `${name} -s 198.51.100.2/32 -j KUBE-SVC-${HASH}`,
      `${name} -j KUBE-MARK-DROP`,
    ])
  })
})

describe('external policy Local in older versions', () => {
  const local = (endpoints: ServicePort['endpoints']) =>
    service({ endpoints, externalPolicyLocal: true, nodePort: 30_080, affinitySeconds: 60 })

  it('marks packets to be dropped in KUBE-SVL of 1.24 if the node has no endpoints', () => {
    const none = local([REMOTE_5])
    expect(chain('nat', `KUBE-SVL-${HASH}`, none, of('1.24'))).toEqual([
      '-m comment --comment "ns4/svc4:p80 has no local endpoints" -j KUBE-MARK-DROP',
    ])
    expect(chain('nat', `KUBE-SVL-${HASH}`, none, of('1.25'))).toBeUndefined()
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', none, of('1.24'))).toEqual([])
  })

  const redirect = `-m comment --comment "Redirect pods trying to reach external loadbalancer VIP to clusterIP" -s 10.0.0.0/8 -j KUBE-SVC-${HASH}`
  const own = [
    '-m comment --comment "masquerade LOCAL traffic for ns4/svc4:p80 LB IP" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ',
    `-m comment --comment "route LOCAL traffic for ns4/svc4:p80 LB IP to service chain" -m addrtype --src-type LOCAL -j KUBE-SVC-${HASH}`,
  ]
  const recent = `-m recent --name ${SEP4} --rcheck --seconds 60 --reap -j ${SEP4}`

  it.each([
    [
      '1.23',
      [redirect, ...own, `-m comment --comment ns4/svc4:p80 ${recent}`, `-m comment --comment ns4/svc4:p80 -j ${SEP4}`],
    ],
    [
      '1.16',
      [
        redirect,
        ...own,
        `-m comment --comment ns4/svc4:p80 ${recent}`,
        `-m comment --comment "Balancing rule 0 for ns4/svc4:p80" -j ${SEP4}`,
      ],
    ],
    [
      '1.14',
      [
        redirect,
        `-m comment --comment ns4/svc4:p80 ${recent}`,
        `-m comment --comment "Balancing rule 0 for ns4/svc4:p80" -j ${SEP4}`,
      ],
    ],
  ])('distributes packets in KUBE-XLB of %s among the endpoints on the node', (version, rules) => {
    expect(chain('nat', `KUBE-XLB-${HASH}`, local(BOTH), of(version))).toEqual(rules)
  })

  it('has an empty chain KUBE-XLB if there are no endpoints', () => {
    expect(chain('nat', `KUBE-XLB-${HASH}`, local([]), of('1.23'))).toEqual([])
  })

  it('up to version 1.23 masquerades packets from loopback addresses to node ports', () => {
    expect(chain('nat', 'KUBE-NODEPORTS', local(BOTH), of('1.23'))).toEqual([
      '-m comment --comment ns4/svc4:p80 -m tcp -p tcp --dport 30080 -s 127.0.0.0/8 -j KUBE-MARK-MASQ',
      `-m comment --comment ns4/svc4:p80 -m tcp -p tcp --dport 30080 -j KUBE-XLB-${HASH}`,
    ])
  })
})

describe('external policy Local in 1.23 with the gate ProxyTerminatingEndpoints', () => {
  const gated = of('1.23', {}, { ProxyTerminatingEndpoints: true })
  const draining = { ready: false, terminating: true }
  const local = { externalPolicyLocal: true, nodePort: 30080 }
  const shortCircuits = [
    `-m comment --comment "Redirect pods trying to reach external loadbalancer VIP to clusterIP" -s 10.0.0.0/8 -j KUBE-SVC-${HASH}`,
    `-m comment --comment "masquerade LOCAL traffic for ns4/svc4:p80 LB IP" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ`,
    `-m comment --comment "route LOCAL traffic for ns4/svc4:p80 LB IP to service chain" -m addrtype --src-type LOCAL -j KUBE-SVC-${HASH}`,
  ]
  const toClusterIP = '-m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80'

  it('uses a terminating endpoint on this node in KUBE-XLB, and none in KUBE-SVC', () => {
    const port = service({ ...local, endpoints: [endpoint({ ip: '10.180.0.4', local: true, ...draining })] })
    expect(chain('nat', `KUBE-SVC-${HASH}`, port, gated)).toEqual([`${toClusterIP} ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ`])
    expect(chain('nat', `KUBE-XLB-${HASH}`, port, gated)).toEqual([
      ...shortCircuits,
      `-m comment --comment ns4/svc4:p80 -j ${SEP4}`,
    ])
    expect(chain('nat', 'KUBE-NODEPORTS', port, gated)?.at(-1)).toBe(
      `-m comment --comment ns4/svc4:p80 -m tcp -p tcp --dport 30080 -j KUBE-XLB-${HASH}`,
    )
    expect(chain('nat', SEP4, port, gated)).toHaveLength(2)
    expect(chain('filter', 'KUBE-SERVICES', port, gated)).toEqual([])
  })

  it('has both chains without endpoints if an endpoint terminates on another node', () => {
    const port = service({ ...local, endpoints: [endpoint({ ip: '10.180.0.5', ...draining })] })
    expect(chain('nat', `KUBE-SVC-${HASH}`, port, gated)).toHaveLength(1)
    expect(chain('nat', `KUBE-XLB-${HASH}`, port, gated)).toEqual([
      ...shortCircuits,
      '-m comment --comment "ns4/svc4:p80 has no local endpoints" -j KUBE-MARK-DROP',
    ])
    expect(chain('nat', SEP5, port, gated)).toBeUndefined()
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', port, gated)).toEqual([])
  })

  it('rejects packets if the policy is Cluster', () => {
    const port = service({ endpoints: [endpoint({ ip: '10.180.0.4', local: true, ...draining })] })
    expect(chain('nat', `KUBE-SVC-${HASH}`, port, gated)).toBeUndefined()
    expect(chain('filter', 'KUBE-SERVICES', port, gated)).toHaveLength(1)
  })
})

describe('policy Cluster in older versions', () => {
  const served = service({ endpoints: BOTH, externalIPs: ['198.51.100.1'], nodePort: 30_080 })
  const clusterIP = (length: string) =>
    `-m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44${length} --dport 80`
  const externalIP = (length: string) =>
    `-m comment --comment "ns4/svc4:p80 external IP" -m tcp -p tcp -d 198.51.100.1${length} --dport 80`
  const nodePort = '-m comment --comment ns4/svc4:p80 -m tcp -p tcp --dport 30080'
  const nodePorts =
    '-m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS'
  const masquerade = '-j KUBE-MARK-MASQ'
  const svc = `-j KUBE-SVC-${HASH}`

  it('masquerades packets in KUBE-SVC of 1.22 and 1.23', () => {
    expect(chain('nat', `KUBE-SVC-${HASH}`, served, of('1.23'))).toEqual([
      `${clusterIP('')} ! -s 10.0.0.0/8 ${masquerade}`,
      `${externalIP('')} ! -s 10.0.0.0/8 ${masquerade}`,
      `${nodePort} ${masquerade}`,
      `-m comment --comment ns4/svc4:p80 -m statistic --mode random --probability 0.5000000000 -j ${SEP4}`,
      `-m comment --comment ns4/svc4:p80 -j ${SEP5}`,
    ])
    expect(chain('nat', 'KUBE-SERVICES', served, of('1.22'))).toEqual([
      `${clusterIP('/32')} ${svc}`,
      `${externalIP('/32')} ${svc}`,
      nodePorts,
    ])
  })

  it('up to version 1.21 masquerades packets before the jump to KUBE-SVC', () => {
    expect(chain('nat', 'KUBE-SERVICES', served, of('1.21'))).toEqual([
      `${clusterIP('/32')} ! -s 10.0.0.0/8 ${masquerade}`,
      `${clusterIP('/32')} ${svc}`,
      `${externalIP('/32')} ! -s 10.0.0.0/8 ${masquerade}`,
      `${externalIP('/32')} ${svc}`,
      nodePorts,
    ])
    expect(chain('nat', 'KUBE-NODEPORTS', served, of('1.21'))).toEqual([
      `${nodePort} ${masquerade}`,
      `${nodePort} ${svc}`,
    ])
  })

  it('up to 1.20 has two rules for an external IP, and masquerades every packet to this IP', () => {
    expect(chain('nat', 'KUBE-SERVICES', served, of('1.20'))?.slice(2, 5)).toEqual([
      `${externalIP('/32')} ${masquerade}`,
      `${externalIP('/32')} -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL ${svc}`,
      `${externalIP('/32')} -m addrtype --dst-type LOCAL ${svc}`,
    ])
  })

  it.each([
    ['1.18', [`-m comment --comment ns4/svc4:p80 -m statistic --mode random --probability 0.5000000000 -j ${SEP4}`]],
    ['1.17', [`-m statistic --mode random --probability 0.5000000000 -j ${SEP4}`]],
    ['1.16', [`-m statistic --mode random --probability 0.50000 -j ${SEP4}`]],
  ])('selects endpoints in KUBE-SVC of %s', (version, first) => {
    expect(chain('nat', `KUBE-SVC-${HASH}`, served, of(version))?.slice(0, 1)).toEqual(first)
  })

  it('rounds the probability for 64 endpoints to the even digit, like Go', () => {
    const endpoints = Array.from({ length: 64 }, (_, index) => endpoint({ ip: `10.180.1.${index}` }))
    expect(chain('nat', `KUBE-SVC-${HASH}`, service({ endpoints }), of('1.16'))?.[0]).toContain(
      '--probability 0.01562 ',
    )
  })

  it.each([
    ['1.18', true],
    ['1.19', false],
    ['1.22', false],
    ['1.23', true],
  ])('in %s has endpoint rules on a node without node port addresses: %s', (version, hasEndpoints) => {
    const configuration = of(version, { nodePorts: { all: false, addresses: [], containsLoopback: false } })
    const balancing = chain('nat', `KUBE-SVC-${HASH}`, served, configuration)?.filter((rule) =>
      rule.includes('KUBE-SEP-'),
    )
    expect(balancing).toHaveLength(hasEndpoints ? 2 : 0)
    expect(chain('nat', SEP4, served, configuration) !== undefined).toBe(hasEndpoints)
  })
})

describe('the rule that rejects packets to a load-balancer IP', () => {
  const empty = service({ loadBalancerIPs: ['198.51.100.1'] })
  const reject =
    '-m comment --comment "ns4/svc4:p80 has no endpoints" -m tcp -p tcp -d 198.51.100.1/32 --dport 80 -j REJECT'

  it('is in KUBE-SERVICES up to version 1.18 and in KUBE-EXTERNAL-SERVICES later', () => {
    expect(chain('filter', 'KUBE-SERVICES', empty, of('1.18'))).toContain(reject)
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', empty, of('1.18'))).toEqual([])
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', empty, of('1.19'))).toEqual([reject])
  })
})
