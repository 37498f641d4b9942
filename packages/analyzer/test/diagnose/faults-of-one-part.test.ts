import type { EndpointSlice, KubeProxyConfiguration, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { diagnoseOnly } from './diagnosed-packet.js'

// Nodes and objects with one wrong part: a rule, an element, a jump, a server, a setting or an object. A reader who
// knows only kubectl has to learn from the summary what happens, from the cause which part is wrong, and from the first
// step what to do.

const node = (name: string, address: string) => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
})

const slice = (service: string, addresses: readonly string[], fields: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { namespace: 'shop', name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: addresses.map((address) => ({ addresses: [address], nodeName: 'node-2' })),
  ...fields,
})

const service = (name: string, spec: Service['spec'], ...ips: readonly string[]): Service => ({
  metadata: { namespace: 'shop', name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, nodePort: 30080 }], ...spec },
  ...(ips.length > 0 && { status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } } }),
})

const PORT = { ports: [{ name: 'http', port: 80 }] }

const INPUT: CompileInput & {
  readonly endpointSlices: readonly EndpointSlice[]
  readonly configuration: KubeProxyConfiguration
} = {
  nodes: [node('node-1', '192.0.2.11'), node('node-2', '192.0.2.12')],
  services: [
    service('web', { type: 'LoadBalancer', clusterIP: '10.96.20.5' }, '203.0.113.9'),
    service('pair', { clusterIP: '10.96.20.6', ...PORT }),
    service('empty', { clusterIP: '10.96.20.7', ...PORT }),
    service(
      'guarded',
      {
        type: 'LoadBalancer',
        clusterIP: '10.96.20.8',
        ports: [{ name: 'http', port: 80, nodePort: 30081 }],
        loadBalancerSourceRanges: ['10.0.0.0/8'],
      },
      '203.0.113.8',
    ),
  ],
  endpointSlices: [
    slice('web', ['10.244.2.7']),
    slice('pair', ['10.244.2.8', '10.244.2.9']),
    slice('guarded', ['10.244.2.10']),
  ],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

const without = (line: RegExp) => (rules: string) =>
  rules
    .split('\n')
    .filter((each) => !line.test(each))
    .join('\n')
const replaced = (from: RegExp, to: string) => (rules: string) => rules.replace(from, to)

interface Fault {
  readonly problem: string
  readonly mode: ProxyMode
  readonly version?: string
  readonly from: Packet['origin']
  readonly to: string
  readonly dump?: (rules: string) => string
  readonly input?: Partial<CompileInput>
  readonly options?: CompileOptions
  readonly summary: RegExp
  readonly cause: RegExp
  readonly step: RegExp
}

const RESTART = /^Restart kube-proxy on node node-1/

const FAULTS: readonly Fault[] = [
  {
    problem: 'the jump from the external chain of a Service to its endpoints is missing',
    mode: 'iptables',
    from: 'outside',
    to: '203.0.113.9:80',
    dump: without(/^-A KUBE-EXT-67NZLRHBNDSAWJRO -j KUBE-SVC-/),
    summary: /are not handled by kube-proxy: a part of the rules of shop\/web:http is missing on the node$/,
    cause: /^chain KUBE-EXT-67NZLRHBNDSAWJRO of table nat has no jump to KUBE-SVC-67NZLRHBNDSAWJRO/,
    step: RESTART,
  },
  {
    problem: 'the rule that masquerades packets from outside the cluster has the network of another cluster',
    mode: 'iptables',
    from: 'pod',
    to: '10.96.20.5:80',
    dump: replaced(/(-A KUBE-SVC-67NZLRHBNDSAWJRO ! -s )10\.244\.0\.0\/16/, '$110.200.0.0/16'),
    summary:
      /reach 10\.244\.2\.7:8080 with the address of the node as their source: a part of the rules of shop\/web:http is wrong on the node$/,
    cause:
      /^a rule of chain KUBE-SVC-67NZLRHBNDSAWJRO of table nat has "! -s 10\.200\.0\.0\/16" instead of "! -s 10\.244\.0\.0\/16": packets are masqueraded that should keep their source address/,
    step: RESTART,
  },
  {
    problem: 'the probability of the first of two endpoints is wrong',
    mode: 'iptables',
    from: 'pod',
    to: '10.96.20.6:80',
    dump: replaced(/--probability 0\.5\d*/, '--probability 0.90000000000'),
    summary:
      /reach its endpoints in other shares \(90 % to 10\.244\.2\.8:8080, 10 % to 10\.244\.2\.9:8080\) than kube-proxy writes \(50 % to 10\.244\.2\.8:8080, 50 % to 10\.244\.2\.9:8080\): a part of the rules of shop\/pair:http is wrong on the node$/,
    cause:
      /^a rule of chain KUBE-SVC-BSIB4EJABMHG7MNS of table nat has "--probability 0\.89999999991" instead of "--probability 0\.50000000000"/,
    step: RESTART,
  },
  {
    problem: 'the mark for masquerading is another one',
    mode: 'iptables',
    from: 'outside',
    to: '203.0.113.9:80',
    dump: replaced(/(-A KUBE-MARK-MASQ -j MARK --set-xmark )0x4000\/0x4000/, '$10x8000/0x8000'),
    summary:
      /reach 10\.244\.2\.7:8080 with their own source address.*: a part of the rules of all Services is wrong on the node$/,
    cause: /^a rule of chain KUBE-MARK-MASQ of table nat has .*0x8000\/0x8000 instead of .*0x4000\/0x4000/,
    step: RESTART,
  },
  {
    problem: 'the rule that rejects packets of a Service without endpoints is missing',
    mode: 'iptables',
    from: 'pod',
    to: '10.96.20.7:80',
    dump: without(/shop\/empty:http has no endpoints/),
    summary: /are not handled by kube-proxy: a part of the rules of shop\/empty:http is missing on the node$/,
    cause: /^chain KUBE-SERVICES of table filter has no rule with the target REJECT/,
    step: RESTART,
  },
  {
    problem: 'the rule that drops packets from other sources than the allowed ones is missing',
    mode: 'iptables',
    from: 'outside',
    to: '203.0.113.8:80',
    dump: without(/^-A KUBE-PROXY-FIREWALL .*shop\/guarded:http/),
    summary: /are not handled by kube-proxy: a part of the rules of shop\/guarded:http is missing on the node$/,
    cause: /^chain KUBE-PROXY-FIREWALL of table filter has no rule with the target DROP/,
    step: RESTART,
  },
  {
    problem: 'the rule of a cluster IP has another port',
    mode: 'iptables',
    from: 'pod',
    to: '10.96.20.5:80',
    dump: replaced(/(-A KUBE-SERVICES -d 10\.96\.20\.5\/32 .*--dport) 80 /, '$1 8080 '),
    summary: /are not handled by kube-proxy: a part of the rules of shop\/web:http is wrong on the node$/,
    cause: /^a rule of chain KUBE-SERVICES of table nat has "--dport 8080" instead of "--dport 80": /,
    step: RESTART,
  },
  {
    problem: 'the rule that accepts marked packets is missing, and the policy drops them',
    mode: 'iptables',
    from: 'outside',
    to: '203.0.113.9:80',
    dump: (rules) => without(/^-A KUBE-FORWARD .*0x4000/)(rules).replace(':FORWARD ACCEPT', ':FORWARD DROP'),
    summary: /are dropped: chain KUBE-FORWARD of table filter has no rule with the target ACCEPT$/,
    cause: /^chain KUBE-FORWARD of table filter has no rule .*ACCEPT/,
    step: RESTART,
  },
  {
    problem: 'the only real server has the weight 0',
    mode: 'ipvs',
    from: 'pod',
    to: '10.96.20.5:80',
    dump: replaced(/^(-a -t 10\.96\.20\.5:80 -r 10\.244\.2\.7:8080 .*-w) 1$/m, '$1 0'),
    summary:
      /are rejected: endpoint 10\.244\.2\.7:8080 of shop\/web:http gets no new connections, because its weight is 0$/,
    cause:
      /^kube-proxy sets the weight of an endpoint to 0 when the endpoint disappears; this endpoint of Service shop\/web is back/,
    step: /^Restore the weight as root on node node-1$/,
  },
  {
    problem: 'a real server has the address of a pod that is gone',
    mode: 'ipvs',
    from: 'pod',
    to: '10.96.20.5:80',
    dump: replaced(/^(-a -t 10\.96\.20\.5:80 -r )10\.244\.2\.7(:8080 .*)$/m, '$&\n$110.244.9.9$2'),
    summary:
      /may reach 10\.244\.9\.9:8080 instead of an endpoint: a part of the rules of shop\/web:http is out of date on the node$/,
    cause: /^virtual server 10\.96\.20\.5:80\/TCP has the unexpected real server 10\.244\.9\.9:8080/,
    step: RESTART,
  },
  {
    problem: 'the entry of a node port is missing in its set',
    mode: 'ipvs',
    from: 'outside',
    to: '192.0.2.11:30080',
    dump: without(/^add KUBE-NODE-PORT-TCP 30080/),
    summary:
      /reach 10\.244\.2\.7:8080 with their own source address.*: a part of the rules of shop\/web:http is missing on the node$/,
    cause: /^set KUBE-NODE-PORT-TCP has no entry 30080/,
    step: RESTART,
  },
  {
    problem: 'the jump that marks packets to load-balancer IPs is missing',
    mode: 'ipvs',
    from: 'outside',
    to: '203.0.113.9:80',
    dump: without(/^-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ/),
    summary:
      /reach 10\.244\.2\.7:8080 with their own source address.*: chain KUBE-LOAD-BALANCER of table nat has no jump to KUBE-MARK-MASQ$/,
    cause: /^chain KUBE-LOAD-BALANCER of table nat has no jump to KUBE-MARK-MASQ/,
    step: RESTART,
  },
  {
    problem: 'the element of a load-balancer IP with source ranges is missing',
    mode: 'nftables',
    from: 'outside',
    to: '203.0.113.8:80',
    dump: without(/^\s*elements = \{ 203\.0\.113\.8 .*goto firewall-/),
    summary: /reach 10\.244\.2\.10:8080.*: a part of the rules of shop\/guarded:http is missing on the node$/,
    cause: /^map firewall-ips has no element for 203\.0\.113\.8 \. tcp \. 80/,
    step: RESTART,
  },
  {
    problem: 'the number of endpoints is wrong in the rule that selects one of them',
    mode: 'nftables',
    from: 'pod',
    to: '10.96.20.6:80',
    dump: replaced(/numgen random mod 2/, 'numgen random mod 3'),
    summary: /(?:may be|or|partly).*: a part of the rules of shop\/pair:http is wrong on the node$/,
    cause: /^chain service-\S+-shop\/pair\/tcp\/http of table ip kube-proxy has .*mod 3.* instead of .*mod 2/,
    step: RESTART,
  },
  {
    problem: 'one of two endpoints is missing in the rule that selects one of them',
    mode: 'nftables',
    from: 'pod',
    to: '10.96.20.6:80',
    dump: (rules) =>
      rules.replace(/numgen random mod 2 (map|vmap) \{ (0 : [^,]*?) ?, .*\}/, 'numgen random mod 1 $1 { $2 }'),
    summary:
      /TCP reach 10\.244\.2\.8:8080 and never 10\.244\.2\.9:8080: a part of the rules of shop\/pair:http is wrong on the node$/,
    cause: /^chain service-\S+-shop\/pair\/tcp\/http of table ip kube-proxy has .*mod 1.* instead of .*mod 2/,
    step: RESTART,
  },
  {
    problem: 'the table is dormant',
    mode: 'nftables',
    from: 'pod',
    to: '10.96.20.6:80',
    dump: replaced(/^table ip kube-proxy \{\n/m, '$&\tflags dormant\n'),
    summary: /are not handled by kube-proxy: a part of the rules of all Services is wrong on the node$/,
    cause: /^table ip kube-proxy has the unexpected "flags dormant": .*a dormant table has no effect/,
    step: RESTART,
  },
  {
    problem: 'the source range of a load-balancer IP is another one',
    mode: 'nftables',
    from: 'pod',
    to: '203.0.113.8:80',
    dump: replaced(/(ip saddr != )\S+( drop)/, '$1203.0.112.0/24$2'),
    summary: /are dropped: a part of the rules of shop\/guarded:http is wrong on the node$/,
    cause:
      /^chain firewall-\S+-shop\/guarded\/tcp\/http of table ip kube-proxy has "ip saddr != 203\.0\.112\.0\/24 drop" instead of/,
    step: RESTART,
  },
  {
    problem: 'the policy of a chain of kube-proxy drops all packets',
    mode: 'nftables',
    from: 'pod',
    to: '10.96.20.6:80',
    dump: replaced(/(hook forward priority \S+; policy )accept/, '$1drop'),
    summary: /are dropped: a part of the rules of all Services is wrong on the node$/,
    cause:
      /^chain filter-forward of table ip kube-proxy has "type filter hook forward priority \S+; policy drop;" instead of "type filter hook forward priority \S+; policy accept;"/,
    step: RESTART,
  },
  {
    problem: 'packets to a Service without endpoints are dropped instead of rejected',
    mode: 'nftables',
    from: 'pod',
    to: '10.96.20.7:80',
    dump: replaced(/(10\.96\.20\.7 \. tcp \. 80 .*: )goto reject-chain/, '$1drop'),
    summary: /are dropped: a part of the rules of shop\/empty:http is wrong on the node$/,
    cause: /^map no-endpoint-services has .*drop.* instead of .*goto reject-chain/,
    step: RESTART,
  },
  {
    problem: 'the mark for masquerading is another one',
    mode: 'nftables',
    from: 'outside',
    to: '203.0.113.9:80',
    dump: replaced(/mark set mark or 0x0*4000|mark set meta mark \| 0x0*4000/, 'mark set mark or 0x8000'),
    summary:
      /reach 10\.244\.2\.7:8080 with their own source address.*: a part of the rules of all Services is wrong on the node$/,
    cause: /^chain mark-for-masquerade of table ip kube-proxy has .*0x0*8000.* instead of .*0x0*4000/,
    step: RESTART,
  },
  {
    problem: 'the portal of a cluster IP is missing',
    mode: 'userspace',
    version: '1.20',
    from: 'pod',
    to: '10.96.20.5:80',
    dump: without(/^-A KUBE-PORTALS-CONTAINER -d 10\.96\.20\.5\//),
    summary: /are not handled by kube-proxy: a part of the rules of shop\/web:http is missing on the node$/,
    cause: /^chain KUBE-PORTALS-CONTAINER of table nat has no rule with the target REDIRECT/,
    step: RESTART,
  },
  {
    problem: 'the name of the port in the EndpointSlice is another one than in the Service',
    mode: 'iptables',
    from: 'pod',
    to: '10.96.20.5:80',
    input: { endpointSlices: [slice('web', ['10.244.2.7'], { ports: [{ name: 'web', port: 8080 }] })] },
    summary: /are rejected: shop\/web:http has no endpoints$/,
    cause: /its selector matches pods, but EndpointSlice web-1 has no port named http \(it has web 8080\/TCP\)/,
    step: /targetPort/,
  },
  {
    problem: 'all endpoints terminate, and no longer serve',
    mode: 'nftables',
    from: 'outside',
    to: '203.0.113.9:80',
    input: {
      endpointSlices: [
        slice('web', [], {
          endpoints: [
            {
              addresses: ['10.244.2.7'],
              nodeName: 'node-2',
              conditions: { ready: false, serving: false, terminating: true },
            },
          ],
        }),
      ],
    },
    summary: /are rejected: shop\/web:http has no ready endpoint$/,
    cause: /terminating, and not serving: 10\.244\.2\.7:8080 on node-2/,
    step: /kubectl why|ready/,
  },
  {
    problem: 'the EndpointSlice of a Service without a selector lists a host name',
    mode: 'iptables',
    from: 'outside',
    to: '203.0.113.9:80',
    input: {
      services: [service('web', { type: 'LoadBalancer', clusterIP: '10.96.20.5', selector: undefined }, '203.0.113.9')],
      endpointSlices: [slice('web', ['db.example.com'], { addressType: 'FQDN' })],
    },
    summary: /are rejected: shop\/web:http has no endpoints$/,
    cause: /EndpointSlice web-1 lists host names \(db\.example\.com, addressType FQDN\), which kube-proxy does not use/,
    step: /^List IP addresses in the EndpointSlice of Service shop\/web instead/,
  },
]

const SOURCES = { pod: 'from a pod', node: 'from the node itself', outside: 'from external clients' } as const

describe('the diagnosis of one wrong part', () => {
  it.each(FAULTS)(
    'contains the outcome, the part and the step if $problem ($mode)',
    ({ mode, version = '1.33', from, to, dump, input, options, ...expected }) => {
      const diagnosis = diagnoseOnly({
        input: { ...INPUT, ...input },
        options: { mode, kubernetesVersion: version, ...options },
        from,
        to,
        dump,
      })
      const [step] = diagnosis.steps
      expect(diagnosis.summary).toContain(`On node node-1, packets ${SOURCES[from]} to ${to}/TCP `)
      expect({ summary: diagnosis.summary, cause: diagnosis.cause, step: step?.text }).toEqual({
        summary: expect.stringMatching(expected.summary),
        cause: expect.stringMatching(expected.cause),
        step: expect.stringMatching(expected.step),
      })
      if (step?.change !== undefined) expect(step.outcome).toBeDefined()
    },
  )
})
