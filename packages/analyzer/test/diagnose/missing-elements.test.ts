import type { Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../compiler/src/compilation/compile-result.js'
import { diagnoseOnly } from './diagnosed-packet.js'

const service = (name: string, spec: Service['spec']): Service => ({
  metadata: { namespace: 'shop', name },
  spec: { selector: { app: name }, ...spec },
})

/** One Service with an endpoint, one without, and the network of cluster IPs. */
const INPUT: CompileInput = {
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.11' }] } }],
  services: [
    service('web', {
      type: 'NodePort',
      clusterIP: '10.96.20.5',
      ports: [{ name: 'http', port: 80, nodePort: 30080 }],
    }),
    service('empty', {
      clusterIP: '10.96.20.7',
      externalIPs: ['203.0.113.7'],
      ports: [{ name: 'http', port: 80 }],
    }),
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2' }],
    },
  ],
  serviceCIDRs: [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

/** An element of a set or map of nftables, and the packet whose outcome depends on it. */
interface MissingElement {
  /** The text of the element, with the comma before or after it. */
  readonly text: RegExp
  readonly from: Packet['origin']
  readonly to: string
  readonly summary: string
  readonly cause: RegExp
  readonly outcome: string
}

const ELEMENTS: readonly MissingElement[] = [
  {
    text: /^\s*elements = \{ 10\.96\.20\.5 \. tcp \. 80 : goto service-.*\n/m,
    from: 'pod',
    to: '10.96.20.5:80',
    summary: 'are rejected: a part of the rules of shop/web:http is missing on the node',
    cause: /^map service-ips has no element for 10\.96\.20\.5 \. tcp \. 80: .*although Service shop\/web needs it$/,
    outcome: 'the packets reach 10.244.2.7:8080',
  },
  {
    text: /10\.96\.20\.5,\s*|,\s*10\.96\.20\.5(?= \})/,
    from: 'pod',
    to: '10.96.20.5:81',
    summary: 'are dropped: a part of the rules of shop/web:http is missing on the node',
    cause:
      /^set cluster-ips has no element for 10\.96\.20\.5: the rules for cluster IPs, such as the rejection of other ports, do not apply to this address; .*although Service shop\/web needs it$/,
    outcome: 'the packets are rejected',
  },
  {
    text: /203\.0\.113\.7 \. tcp \. 80 [^,}]*,\s*|,\s*203\.0\.113\.7 \. tcp \. 80 [^,}]*(?= \})/,
    from: 'outside',
    to: '203.0.113.7:80',
    summary: 'are not handled by kube-proxy: a part of the rules of shop/empty:http is missing on the node',
    cause:
      /^map no-endpoint-services has no element for 203\.0\.113\.7 \. tcp \. 80: .*although Service shop\/empty needs it$/,
    outcome: 'the packets are rejected',
  },
  {
    text: /^\s*elements = \{ 192\.0\.2\.11 \}\n/m,
    from: 'outside',
    to: '192.0.2.11:30080',
    summary: 'are not handled by kube-proxy: set nodeport-ips has no element for 192.0.2.11',
    cause:
      /^set nodeport-ips has no element for 192\.0\.2\.11: packets to node ports of this address are not translated;/,
    outcome: 'the packets reach 10.244.2.7:8080',
  },
]

describe('the diagnosis of a missing element', () => {
  it.each(ELEMENTS)('names the element as the cause: $cause', ({ text, from, to, summary, cause, outcome }) => {
    const dump = (rules: string) => {
      expect(rules).toMatch(text)
      return rules.replace(text, '')
    }
    const options = { mode: 'nftables', kubernetesVersion: '1.34' } as const
    const diagnosis = diagnoseOnly({ input: INPUT, options, from, to, dump })
    expect(diagnosis).toMatchObject({ code: 'missingRule', cause: expect.stringMatching(cause) })
    expect(diagnosis.summary).toMatch(new RegExp(`^On node node-1, packets from .* to ${to}/TCP ${summary}$`))
    expect(diagnosis.steps[0]).toMatchObject({
      text: expect.stringMatching(/^Restart kube-proxy on node node-1/),
      outcome,
    })
  })
})
