import { describe, expect, it } from 'vitest'
import { printRestore } from '../../../src/dataplane/iptables/print/print.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { RESTORE_TEXT } from '../../dataplane/iptables/worked-example.js'
import { buildPlan } from '../../support/build-plan.js'
import { cidr } from '../../support/decisions.js'
import { type Configuration, stateOf } from '../../support/iptables-states.js'
import { lowerIptables } from '../../support/lower.js'
import { endpoint, model, nodeFacts, servicePort, settings } from '../../support/model-builder.js'

const SVC = 'KUBE-SVC-4SW47YFZTEDKD3PK'
const SVL = 'KUBE-SVL-4SW47YFZTEDKD3PK'
const EXT = 'KUBE-EXT-4SW47YFZTEDKD3PK'
const FW = 'KUBE-FW-4SW47YFZTEDKD3PK'
const SEP4 = 'KUBE-SEP-UKSFD7AGPMPPLUHC'
const SEP5 = 'KUBE-SEP-C6EBXVWJJZMIWKLZ'

const LOCAL_4 = endpoint({ ip: '10.180.0.4', local: true })
const REMOTE_5 = endpoint({ ip: '10.180.0.5' })
const BOTH = [LOCAL_4, REMOTE_5]

/** Builds `ns4/svc4:p80` at 172.30.0.44:80, with overrides. */
function service(fields: Partial<Omit<ServicePort, 'id'>> = {}): ServicePort {
  return servicePort({ namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', ...fields })
}

/** Returns the rules of one table that contain `words`, as written. */
function rules(table: 'nat' | 'filter', words: string, port: ServicePort, configuration: Configuration = {}) {
  const [, text = ''] = printRestore(stateOf([port], configuration)).split(`*${table}\n`)
  const [lines = ''] = text.split('COMMIT\n')
  return lines.split('\n').filter((line) => line.startsWith('-A ') && line.includes(words))
}

/** Returns the rules of one chain, without `-A CHAIN `. */
function chain(table: 'nat' | 'filter', name: string, port: ServicePort, configuration: Configuration = {}) {
  const start = `-A ${name} `
  return rules(table, start, port, configuration).map((line) => line.slice(start.length))
}

describe('printRestore for one Service in v1.30', () => {
  it('prints the same bytes as the example of kube-proxy', () => {
    expect(printRestore(stateOf([servicePort({ endpoints: [endpoint()] })]))).toBe(RESTORE_TEXT)
  })
})

describe('the fixed rules of iptables mode', () => {
  const forward = (configuration: Configuration) => chain('filter', 'KUBE-FORWARD', service(), configuration)
  const postrouting = (configuration: Configuration) => chain('nat', 'KUBE-POSTROUTING', service(), configuration)

  it('count dropped invalid packets if the host has nfacct counters', () => {
    expect(forward({ settings: { nfacctCounters: true } })[0]).toBe(
      '-m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP',
    )
  })

  it('do not drop invalid packets if the kernel is liberal', () => {
    const lines = forward({ settings: { conntrackTcpBeLiberal: true, nfacctCounters: true } })
    expect(lines).toHaveLength(2)
    expect(lines.join('\n')).not.toContain('INVALID')
  })

  it('masquerade with random ports only if iptables supports it', () => {
    const masquerade = '-m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE'
    expect(postrouting({ settings: { randomFully: true } })[2]).toBe(`${masquerade} --random-fully`)
    expect(postrouting({ settings: { randomFully: false } })[2]).toBe(masquerade)
  })

  it.each([
    [0, 0x0000_0001, '0x00000001'],
    [14, 0x0000_4000, '0x00004000'],
    [31, 0x8000_0000, '0x80000000'],
  ])('use the configured mark bit %i', (_, masqueradeMark, text) => {
    const configuration = { settings: { masqueradeMark } }
    expect(postrouting(configuration).slice(0, 2)).toEqual([
      `-m mark ! --mark ${text}/${text} -j RETURN`,
      `-j MARK --xor-mark ${text}`,
    ])
    expect(chain('nat', 'KUBE-MARK-MASQ', service(), configuration)).toEqual([`-j MARK --or-mark ${text}`])
    expect(forward(configuration)[1]).toContain(`-m mark --mark ${text}/${text} -j ACCEPT`)
  })

  it('omit KUBE-FIREWALL if node ports are not served on 127.0.0.0/8', () => {
    const text = printRestore(stateOf([], { settings: { localhostNodePorts: false } }))
    expect(text).not.toContain('KUBE-FIREWALL')
  })
})

describe('the jump to KUBE-NODEPORTS', () => {
  const comment = '-m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain"'
  const lastRules = (configuration: Configuration) => chain('nat', 'KUBE-SERVICES', service(), configuration)

  it.each<[string, Configuration, readonly string[]]>([
    ['every local address', {}, ['-m addrtype --dst-type LOCAL']],
    [
      'every local address except loopback',
      { settings: { localhostNodePorts: false } },
      ['-m addrtype --dst-type LOCAL ! -d 127.0.0.0/8'],
    ],
    [
      'the selected addresses',
      { node: { nodePorts: { all: false, addresses: ['127.0.0.1', '192.168.0.2'], containsLoopback: true } } },
      ['-d 127.0.0.1', '-d 192.168.0.2'],
    ],
    [
      'the selected addresses except loopback',
      {
        node: { nodePorts: { all: false, addresses: ['127.0.0.1', '192.168.0.2'], containsLoopback: true } },
        settings: { localhostNodePorts: false },
      },
      ['-d 192.168.0.2'],
    ],
    [
      'nothing if no address is selected',
      { node: { nodePorts: { all: false, addresses: [], containsLoopback: false } } },
      [],
    ],
  ])('matches %s', (_, configuration, matches) => {
    expect(lastRules(configuration)).toEqual(matches.map((match) => `${comment} ${match} -j KUBE-NODEPORTS`))
  })
})

describe('a packet to a node port', () => {
  const port = service({ endpoints: BOTH, nodePort: 30_080 })
  const rule = '-m comment --comment ns4/svc4:p80 -m tcp -p tcp'

  it('goes to the chain of external destinations', () => {
    expect(chain('nat', 'KUBE-NODEPORTS', port)).toEqual([`${rule} --dport 30080 -j ${EXT}`])
  })

  it('is counted first if the node port is served on loopback and the host has nfacct counters', () => {
    expect(chain('nat', 'KUBE-NODEPORTS', port, { settings: { nfacctCounters: true } })).toEqual([
      `${rule} -d 127.0.0.0/8 --dport 30080 -m nfacct --nfacct-name localhost_nps_accepted_pkts -j ${EXT}`,
      `${rule} --dport 30080 -j ${EXT}`,
    ])
    const without = { settings: { nfacctCounters: true, localhostNodePorts: false } }
    expect(chain('nat', 'KUBE-NODEPORTS', port, without)).toEqual([`${rule} --dport 30080 -j ${EXT}`])
  })

  it('is rejected if there are no endpoints', () => {
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', service({ nodePort: 30_080 }))).toEqual([
      '-m comment --comment "ns4/svc4:p80 has no endpoints" -m addrtype --dst-type LOCAL -m tcp -p tcp --dport 30080 -j REJECT',
    ])
  })

  it('is dropped if the policy is Local and there is no local endpoint', () => {
    const local = service({ endpoints: [REMOTE_5], nodePort: 30_080, externalPolicyLocal: true })
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', local)).toEqual([
      '-m comment --comment "ns4/svc4:p80 has no local endpoints" -m addrtype --dst-type LOCAL -m tcp -p tcp --dport 30080 -j DROP',
    ])
    expect(chain('nat', 'KUBE-NODEPORTS', local)).toEqual([`${rule} --dport 30080 -j ${EXT}`])
  })
})

describe('session affinity in iptables mode', () => {
  it('matches known clients before it selects endpoints, and records the client of each endpoint', () => {
    const port = service({ endpoints: BOTH, affinitySeconds: 10_800 })
    expect(chain('nat', SVC, port).slice(1)).toEqual([
      `-m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m recent --name ${SEP4} --rcheck --seconds 10800 --reap -j ${SEP4}`,
      `-m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -m recent --name ${SEP5} --rcheck --seconds 10800 --reap -j ${SEP5}`,
      `-m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.5000000000 -j ${SEP4}`,
      `-m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j ${SEP5}`,
    ])
    expect(chain('nat', SEP4, port)).toEqual([
      '-m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ',
      `-m comment --comment ns4/svc4:p80 -m recent --name ${SEP4} --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80`,
    ])
  })
})

describe('the rules of a cluster', () => {
  const many = (count: number) =>
    service({
      endpoints: [
        LOCAL_4,
        ...Array.from({ length: count - 1 }, (_, index) => endpoint({ ip: `10.181.${index >> 8}.${index & 255}` })),
      ],
      affinitySeconds: 60,
    })

  it('include all comments if there are 1000 endpoints', () => {
    const port = many(1000)
    expect(chain('nat', SVC, port)[1]).toMatch(/^-m comment --comment "ns4\/svc4:p80 -> 10.180.0.4:80" -m recent /)
    expect(chain('nat', SVC, port)[1001]).toBe(
      `-m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.0010000000 -j ${SEP4}`,
    )
    expect(chain('nat', SEP4, port)[0]).toBe('-m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ')
  })

  it('include no comments for endpoints if there are 1001 endpoints', () => {
    const port = many(1001)
    expect(chain('nat', SVC, port)[0]).toContain('-m comment --comment "ns4/svc4:p80 cluster IP"')
    expect(chain('nat', SVC, port)[1]).toBe(`-m recent --name ${SEP4} --rcheck --seconds 60 --reap -j ${SEP4}`)
    expect(chain('nat', SVC, port)[1002]).toBe(`-m statistic --mode random --probability 0.0009990010 -j ${SEP4}`)
    expect(chain('nat', SVC, port).at(-1)).toMatch(/^-j KUBE-SEP-/)
    expect(chain('nat', SEP4, port)).toEqual([
      '-s 10.180.0.4 -j KUBE-MARK-MASQ',
      `-m recent --name ${SEP4} --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80`,
    ])
    expect(chain('nat', 'KUBE-SERVICES', port)[0]).toContain('--comment "ns4/svc4:p80 cluster IP"')
  })

  it('include no comments for 1001 endpoints, even if they are unready or belong to several ports', () => {
    const ports = [
      service({ endpoints: [LOCAL_4] }),
      servicePort({ endpoints: many(1000).endpoints.map((each) => ({ ...each, ready: false, serving: false })) }),
    ]
    expect(printRestore(stateOf(ports))).toContain(`-A ${SEP4} -s 10.180.0.4 -j KUBE-MARK-MASQ\n`)
  })
})

describe('a service port with internal and external policy Local', () => {
  const port = service({
    endpoints: BOTH,
    internalPolicyLocal: true,
    externalPolicyLocal: true,
    externalIPs: ['192.0.2.1'],
    healthCheckNodePort: 32_000,
  })

  it('uses all endpoints for packets of pods and of the node to external destinations', () => {
    expect(rules('nat', 'ns4/svc4:p80', port)).toEqual([
      `-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j ${SVL}`,
      `-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 external IP" -m tcp -p tcp -d 192.0.2.1 --dport 80 -j ${EXT}`,
      `-A ${SVL} -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ`,
      `-A ${EXT} -m comment --comment "pod traffic for ns4/svc4:p80 external destinations" -s 10.0.0.0/8 -j ${SVC}`,
      `-A ${EXT} -m comment --comment "masquerade LOCAL traffic for ns4/svc4:p80 external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ`,
      `-A ${EXT} -m comment --comment "route LOCAL traffic for ns4/svc4:p80 external destinations" -m addrtype --src-type LOCAL -j ${SVC}`,
      `-A ${SVC} -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.5000000000 -j ${SEP4}`,
      `-A ${SVC} -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j ${SEP5}`,
      `-A ${SVL} -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -j ${SEP4}`,
      `-A ${SEP4} -m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ`,
      `-A ${SEP4} -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80`,
      `-A ${SEP5} -m comment --comment ns4/svc4:p80 -s 10.180.0.5 -j KUBE-MARK-MASQ`,
      `-A ${SEP5} -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80`,
    ])
    expect(chain('nat', EXT, port).at(-1)).toBe(`-j ${SVL}`)
  })

  it('has a rule that accepts health checks', () => {
    expect(chain('filter', 'KUBE-NODEPORTS', port)).toEqual([
      '-m comment --comment "ns4/svc4:p80 health check node port" -m tcp -p tcp --dport 32000 -j ACCEPT',
    ])
  })
})

describe('source ranges in iptables mode', () => {
  const fields = { loadBalancerIPs: ['198.51.100.1', '198.51.100.2'], sourceRanges: [cidr('203.0.113.0/24')] }
  const name = '-m comment --comment "ns4/svc4:p80 loadbalancer IP"'
  const other = '-m comment --comment "other traffic to ns4/svc4:p80 will be dropped by KUBE-PROXY-FIREWALL"'

  it('drop packets to load-balancer IPs from sources outside of the ranges', () => {
    const port = service({ endpoints: BOTH, ...fields })
    expect(chain('nat', 'KUBE-SERVICES', port).slice(1, 3)).toEqual([
      `${name} -m tcp -p tcp -d 198.51.100.1 --dport 80 -j ${FW}`,
      `${name} -m tcp -p tcp -d 198.51.100.2 --dport 80 -j ${FW}`,
    ])
    expect(chain('nat', FW, port)).toEqual([`${name} -s 203.0.113.0/24 -j ${EXT}`, other])
    const dropped = `-m comment --comment "ns4/svc4:p80 traffic not accepted by ${FW}" -m tcp -p tcp`
    expect(chain('filter', 'KUBE-PROXY-FIREWALL', port)).toEqual([
      `${dropped} -d 198.51.100.1 --dport 80 -j DROP`,
      `${dropped} -d 198.51.100.2 --dport 80 -j DROP`,
    ])
  })

  it('also accept packets from the load-balancer IPs if the ranges contain the node', () => {
    const port = service({ endpoints: BOTH, ...fields, sourceRanges: [cidr('192.168.0.0/16')] })
    expect(chain('nat', FW, port)).toEqual([
      `${name} -s 192.168.0.0/16 -j ${EXT}`,
      `${name} -s 198.51.100.1 -j ${EXT}`,
      `${name} -s 198.51.100.2 -j ${EXT}`,
      other,
    ])
  })

  it('have no rules if there are no endpoints', () => {
    const text = printRestore(stateOf([service(fields)]))
    expect(text).not.toContain('KUBE-FW-')
    expect(chain('filter', 'KUBE-EXTERNAL-SERVICES', service(fields))).toHaveLength(2)
  })
})

describe('the IPv6 rules of iptables mode', () => {
  const built = model({
    family: 'IPv6',
    node: nodeFacts({
      ip: '2001:db8::2',
      addresses: [{ interface: 'eth0', address: '2001:db8::2' }],
      localTrafficDetection: {
        kind: 'cidr',
        cidr: { family: 'IPv6', text: 'fd00:244::/48', address: 'fd00:244::', prefixLength: 48 },
      },
    }),
    settings: settings({ localhostNodePorts: false, nfacctCounters: true }),
    servicePorts: [
      servicePort({ clusterIP: 'fd00:96::1', endpoints: [endpoint({ ip: 'fd00:244::1' })], nodePort: 30_080 }),
    ],
  })
  const lines = printRestore(lowerIptables(buildPlan(built)).iptables).split('\n')
  const [sep = ''] = lines.flatMap((line) => /^:(KUBE-SEP-\S+)/.exec(line)?.[1] ?? [])

  it('contain neither KUBE-FIREWALL nor counters of node ports on loopback', () => {
    expect(lines.filter((line) => line.includes('KUBE-FIREWALL') || line.includes('localhost_nps'))).toEqual([])
  })

  it('do not serve node ports on ::1', () => {
    expect(lines).toContain(
      '-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL ! -d ::1/128 -j KUBE-NODEPORTS',
    )
  })

  it('contain addresses without brackets, except for endpoints with a port', () => {
    expect(lines.filter((line) => line.includes('fd00:'))).toEqual([
      '-A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d fd00:96::1 --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O',
      '-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d fd00:96::1 --dport 80 ! -s fd00:244::/48 -j KUBE-MARK-MASQ',
      `-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> [fd00:244::1]:80" -j ${sep}`,
      `-A ${sep} -m comment --comment ns1/svc1:p80 -s fd00:244::1 -j KUBE-MARK-MASQ`,
      `-A ${sep} -m comment --comment ns1/svc1:p80 -m tcp -p tcp -j DNAT --to-destination [fd00:244::1]:80`,
    ])
  })
})
