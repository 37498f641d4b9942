import type { EndpointSlice, Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { diagnoseOnly, diagnoseQuestion } from './diagnosed-packet.js'

// One fault in the rules of kube-proxy: a rule, jump, element, set entry, server or address is missing or wrong. The
// first line has to be the outcome, and the cause has to name the first part that is missing or wrong on the way.

const node = (name: string, address: string) => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
})

const slice = (service: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: { namespace: 'shop', name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: addresses.map((address) => ({ addresses: [address], nodeName: 'node-2' })),
})

const INPUT = {
  nodes: [node('node-1', '192.0.2.11'), node('node-2', '192.0.2.12')],
  services: [
    {
      metadata: { namespace: 'shop', name: 'web' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.96.20.5',
        externalIPs: ['203.0.113.20'],
        ports: [{ name: 'http', port: 80, nodePort: 30080 }],
      },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    },
    {
      metadata: { namespace: 'shop', name: 'api' },
      spec: { clusterIP: '10.96.20.6', ports: [{ name: 'http', port: 80 }] },
    },
  ],
  endpointSlices: [slice('web', '10.244.2.7'), slice('api', '10.244.2.9')],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

const without = (line: RegExp) => (rules: string) =>
  rules
    .split('\n')
    .filter((each) => !line.test(each))
    .join('\n')
const replaced = (from: string, to: string) => (rules: string) => rules.replaceAll(from, to)

const UNMATCHED = 'are not handled by kube-proxy'
const WEB = 'a part of the rules of shop/web:http is missing on the node'
const API_WRONG =
  'reach 10.244.2.9:9090 instead of an endpoint: a part of the rules of shop/api:http is wrong on the node'
const NO_RETURN =
  'reach 10.244.2.7:8080 with their own source address, so their replies may not return through this node'

type Fault = readonly [
  fault: string,
  mode: ProxyMode,
  from: Packet['origin'],
  to: string,
  change: (rules: string) => string,
  outcome: string,
  cause: string,
]

const masqueradedTooLate = (rules: string) =>
  rules.replace(/^(-A KUBE-SVC-67NZLRHBNDSAWJRO ! -s .*\n)(-A KUBE-SVC-67NZLRHBNDSAWJRO .*\n)/m, '$2$1')

const FAULTS: readonly Fault[] = [
  [
    'a masquerade rule after the jump to an endpoint',
    'iptables',
    'node',
    '10.96.20.5:80',
    masqueradedTooLate,
    `${NO_RETURN}: a part of the rules of shop/web:http is in the wrong place on the node`,
    'a rule of chain KUBE-SVC-67NZLRHBNDSAWJRO of table nat is in the wrong place: the rule exists at a wrong position',
  ],
  [
    'a missing rule of a cluster IP',
    'iptables',
    'pod',
    '10.96.20.5:80',
    without(/^-A KUBE-SERVICES -d 10\.96\.20\.5\//),
    `${UNMATCHED}: ${WEB}`,
    'chain KUBE-SERVICES of table nat has no jump to KUBE-SVC-67NZLRHBNDSAWJRO for them: packets do not reach the chain of the service port',
  ],
  [
    'a missing rule of a load-balancer IP',
    'iptables',
    'outside',
    '203.0.113.9:80',
    without(/^-A KUBE-SERVICES -d 203\.0\.113\.9\//),
    `${UNMATCHED}: ${WEB}`,
    'chain KUBE-SERVICES of table nat has no jump to KUBE-EXT-67NZLRHBNDSAWJRO for them: packets do not reach the chain of the service port',
  ],
  [
    'a missing rule of an external IP',
    'iptables',
    'outside',
    '203.0.113.20:80',
    without(/^-A KUBE-SERVICES -d 203\.0\.113\.20\//),
    `${UNMATCHED}: ${WEB}`,
    'chain KUBE-SERVICES of table nat has no jump to KUBE-EXT-67NZLRHBNDSAWJRO for them: packets do not reach the chain of the service port',
  ],
  [
    'an emptied chain KUBE-NODEPORTS',
    'iptables',
    'outside',
    '192.0.2.11:30080',
    without(/^-A KUBE-NODEPORTS /),
    `${UNMATCHED}: ${WEB}`,
    'chain KUBE-NODEPORTS of table nat has no jump to KUBE-EXT-67NZLRHBNDSAWJRO for them: packets do not reach the chain of the service port',
  ],
  [
    'a missing jump to KUBE-NODEPORTS',
    'iptables',
    'outside',
    '192.0.2.11:30080',
    without(/-j KUBE-NODEPORTS$/),
    `${UNMATCHED}: chain KUBE-SERVICES of table nat has no jump to KUBE-NODEPORTS`,
    'chain KUBE-SERVICES of table nat has no jump to KUBE-NODEPORTS for them: packets do not enter a chain that they should traverse',
  ],
  [
    'a missing jump from PREROUTING',
    'iptables',
    'pod',
    '10.96.20.5:80',
    without(/^-A PREROUTING .* -j KUBE-SERVICES$/),
    `${UNMATCHED}: chain PREROUTING of table nat has no jump to KUBE-SERVICES`,
    'chain PREROUTING of table nat has no jump to KUBE-SERVICES for them: packets do not enter a chain that they should traverse',
  ],
  [
    'a missing DNAT rule',
    'iptables',
    'pod',
    '10.96.20.6:80',
    without(/--to-destination 10\.244\.2\.9:8080$/),
    `${UNMATCHED}: a part of the rules of shop/api:http is missing on the node`,
    'chain KUBE-SEP-M5NRRDQ3PTKXVZ2C of table nat has no rule with the target DNAT --to-destination 10.244.2.9:8080: packets for an endpoint are not translated to its address',
  ],
  [
    'a wrong endpoint port',
    'iptables',
    'pod',
    '10.96.20.6:80',
    replaced('10.244.2.9:8080', '10.244.2.9:9090'),
    API_WRONG,
    'a rule of chain KUBE-SEP-M5NRRDQ3PTKXVZ2C of table nat has the target DNAT --to-destination 10.244.2.9:9090 instead of DNAT --to-destination 10.244.2.9:8080: packets go to 10.244.2.9:9090 instead of 10.244.2.9:8080',
  ],
  [
    'a missing rule that masquerades',
    'iptables',
    'outside',
    '203.0.113.9:80',
    without(/-j MASQUERADE/),
    `${NO_RETURN}: chain KUBE-POSTROUTING of table nat has no rule with the target MASQUERADE --random-fully`,
    'chain KUBE-POSTROUTING of table nat has no rule with the target MASQUERADE --random-fully: packets that should be masqueraded keep their source address, so replies may bypass the node',
  ],
  [
    'a missing virtual server',
    'ipvs',
    'pod',
    '10.96.20.5:80',
    without(/^-[aA] -t 10\.96\.20\.5:/),
    `${UNMATCHED}: ${WEB}`,
    'virtual server 10.96.20.5:80/TCP is missing: this address and port are not served',
  ],
  [
    'a missing virtual server of a node port',
    'ipvs',
    'outside',
    '192.0.2.11:30080',
    without(/^-[aA] -t 192\.0\.2\.11:/),
    `${UNMATCHED}: ${WEB}`,
    'virtual server 192.0.2.11:30080/TCP is missing: this address and port are not served',
  ],
  [
    'a missing address',
    'ipvs',
    'pod',
    '10.96.20.5:80',
    without(/^address add 10\.96\.20\.5\//),
    `${UNMATCHED}: ${WEB}`,
    'the address 10.96.20.5 is not bound to kube-ipvs0: the address is not bound to the node',
  ],
  [
    'a missing entry of a load-balancer IP',
    'ipvs',
    'outside',
    '203.0.113.9:80',
    without(/^add KUBE-LOAD-BALANCER /),
    `are rejected: ${WEB}`,
    'set KUBE-LOAD-BALANCER has no entry 203.0.113.9,tcp:80: rules that match the set do not apply to this entry',
  ],
  [
    'a missing entry of a cluster IP',
    'ipvs',
    'outside',
    '10.96.20.5:80',
    without(/^add KUBE-CLUSTER-IP 10\.96\.20\.5,/),
    `are rejected: ${WEB}`,
    'set KUBE-CLUSTER-IP has no entry 10.96.20.5,tcp:80: rules that match the set do not apply to this entry',
  ],
  [
    'a real server with a wrong port',
    'ipvs',
    'pod',
    '10.96.20.6:80',
    replaced('10.244.2.9:8080', '10.244.2.9:9090'),
    'reach 10.244.2.9:9090 instead of an endpoint: a part of the rules of shop/api:http is missing on the node',
    'virtual server 10.96.20.6:80/TCP has no real server 10.244.2.9:8080: an endpoint gets no connections',
  ],
  [
    'a missing element of a cluster IP',
    'nftables',
    'pod',
    '10.96.20.5:80',
    replaced('10.96.20.5 . tcp . 80 : goto service-KHN6ECMT-shop/web/tcp/http,', ''),
    `are rejected: ${WEB}`,
    'map service-ips has no element for 10.96.20.5 . tcp . 80: packets for this address and port do not reach the chain of the service port',
  ],
  [
    'a missing element of an external IP',
    'nftables',
    'outside',
    '203.0.113.20:80',
    replaced('203.0.113.20 . tcp . 80 : goto external-KHN6ECMT-shop/web/tcp/http', ''),
    `${UNMATCHED}: ${WEB}`,
    'map service-ips has no element for 203.0.113.20 . tcp . 80: packets for this address and port do not reach the chain of the service port',
  ],
  [
    'a missing element of a node port',
    'nftables',
    'outside',
    '192.0.2.11:30080',
    without(/tcp \. 30080 : goto/),
    `${UNMATCHED}: ${WEB}`,
    'map service-nodeports has no element for tcp . 30080: packets for this address and port do not reach the chain of the service port',
  ],
  [
    'a wrong endpoint port',
    'nftables',
    'pod',
    '10.96.20.6:80',
    replaced('dnat to 10.244.2.9:8080', 'dnat to 10.244.2.9:9090'),
    API_WRONG,
    'chain endpoint-AGW3AB7R-shop/api/tcp/http__10.244.2.9/8080 of table ip kube-proxy has "meta l4proto tcp dnat to 10.244.2.9:9090" instead of "meta l4proto tcp dnat to 10.244.2.9:8080": the chain handles packets differently',
  ],
  [
    'a chain without its jump',
    'nftables',
    'pod',
    '10.96.20.5:80',
    without(/^\tjump services$|^\t\tjump services$/),
    'are rejected: a part of the rules of all Services is wrong on the node',
    'chain nat-prerouting of table ip kube-proxy has no rule "jump services": the chain handles packets differently',
  ],
  [
    'a missing masquerade statement',
    'nftables',
    'outside',
    '203.0.113.9:80',
    without(/masquerade fully-random/),
    `${NO_RETURN}: a part of the rules of all Services is wrong on the node`,
    'chain masquerading of table ip kube-proxy has no rule "masquerade fully-random": the chain handles packets differently',
  ],
]

const SOURCES = { pod: 'from a pod', node: 'from the node itself', outside: 'from external clients' } as const

describe('the diagnosis of drift', () => {
  it.each(FAULTS)('names the deciding part for %s in %s mode', (_, mode, from, to, dump, outcome, cause) => {
    const diagnosis = diagnoseOnly({ input: INPUT, options: { mode, kubernetesVersion: '1.33' }, from, to, dump })
    expect(diagnosis.summary).toBe(`On node node-1, packets ${SOURCES[from]} to ${to}/TCP ${outcome}`)
    expect(diagnosis.cause.slice(0, cause.length)).toBe(cause)
    expect(diagnosis.steps[0]?.command).toBe(
      'kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=node-1',
    )
  })

  it.each(['iptables', 'ipvs', 'nftables'] as const)('returns no diagnosis for correct rules in %s mode', (mode) => {
    for (const to of ['10.96.20.5:80', '203.0.113.9:80', '203.0.113.20:80', '192.0.2.11:30080', '10.96.20.6:80']) {
      expect(
        diagnoseQuestion({
          input: INPUT,
          options: { mode, kubernetesVersion: '1.33' },
          from: 'pod',
          to,
          dump: (rules) => rules,
        }),
      ).toEqual([])
    }
  })

  it('ignores drift in the rules of another Service', () => {
    const dump = without(/^-A KUBE-SERVICES -d 10\.96\.20\.6\//)
    expect(
      diagnoseQuestion({
        input: INPUT,
        options: { mode: 'iptables', kubernetesVersion: '1.33' },
        from: 'pod',
        to: '10.96.20.5:80',
        dump,
      }),
    ).toEqual([])
  })

  it('reports an old rule if no part is missing before it', () => {
    const reject =
      '-A KUBE-SERVICES -d 10.96.20.6/32 -p tcp -m comment --comment "shop/api:http has no endpoints" -m tcp --dport 80 -j DROP'
    const dump = (rules: string) =>
      rules
        .replace('-A KUBE-SVC-', `${reject}\n-A KUBE-SVC-`)
        .replace(/(-A KUBE-SERVICES [^\n]*\n)+/, (all) => `${reject}\n${all}`)
    const { code, summary } = diagnoseOnly({
      input: INPUT,
      options: { mode: 'iptables', kubernetesVersion: '1.33' },
      from: 'pod',
      to: '10.96.20.6:80',
      dump,
    })
    expect(code).toBe('outdatedRule')
    expect(summary).toContain('are dropped: a part of the rules of shop/api:http is out of date on the node')
  })
})
