import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../../compiler/src/compilation/compile-result.js'
import { diagnoseOnly } from './diagnosed-packet.js'

// Situations of public reports, rebuilt with Services, EndpointSlices and Nodes, and with complete rules of the node.

const node = (name: string, address: string, podCIDR: string) => ({
  metadata: { name },
  spec: { podCIDR, podCIDRs: [podCIDR] },
  status: { addresses: [{ type: 'InternalIP', address }] },
})

const service = (spec: Service['spec'], ip?: string): Service => ({
  metadata: { namespace: 'shop', name: 'cart' },
  spec: { clusterIP: '10.96.3.4', selector: { app: 'cart' }, ports: [{ name: 'http', port: 80 }], ...spec },
  ...(ip !== undefined && { status: { loadBalancer: { ingress: [{ ip }] } } }),
})

const slice = (ready: boolean): EndpointSlice => ({
  metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2', conditions: { ready } }],
})

const objects = (spec: Service['spec'] = {}, ip?: string): CompileInput => ({
  nodes: [node('node-1', '192.0.2.11', '10.244.1.0/24'), node('node-2', '192.0.2.12', '10.244.2.0/24')],
  services: [service(spec, ip)],
  endpointSlices: [slice(true)],
  configuration: { clusterCIDR: '10.244.0.0/16' },
})

const BALANCED = { type: 'LoadBalancer', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }

describe('rules from the time before a pod was ready', () => {
  it('reject packets in iptables mode', () => {
    // kube-proxy replaces the jump of table nat by a rule of table filter.
    const from = /(-A KUBE-SERVICES -d 10\.96\.3\.4\/32 .*"shop\/cart:http) cluster IP"(.*) -j KUBE-SVC-\S+/
    const to = '$1 has no endpoints"$2 -j REJECT'
    const dump = (rules: string) => {
      const rule = (from.exec(rules)?.[0] ?? '').replace(from, to)
      return rules.replace(from, '').replace(/^(-A INPUT .*KUBE-NODEPORTS)$/m, `${rule}\n$1`)
    }
    const { code, summary, cause } = diagnoseOnly({
      ...{ input: objects(), options: { mode: 'iptables' }, to: '10.96.3.4:80', from: 'pod', dump },
    })
    expect([code, summary]).toEqual([
      'outdatedRule',
      'On node node-1, packets from a pod to 10.96.3.4:80/TCP are rejected: kube-proxy on the node knows no usable endpoint of shop/cart:http, although the objects have 10.244.2.7:8080',
    ])
    expect(cause).toContain('the rules are older than the objects')
  })

  it('reject packets in nftables mode', () => {
    const element = '10.96.3.4 . tcp . 80 comment "shop/cart:http" : goto reject-chain'
    const dump = (rules: string) =>
      rules
        .replace(/^\t\telements = \{ 10\.96\.3\.4 \. tcp \. 80 .*\n/m, '')
        .replace(/(map no-endpoint-services \{\n(?:\t\t.*\n)*?)(?=\t\})/, `$1\t\telements = { ${element} }\n`)
    const { summary } = diagnoseOnly({
      ...{ input: objects(), options: { mode: 'nftables' }, to: '10.96.3.4:80', from: 'pod', dump },
    })
    expect(summary).toContain('are rejected: kube-proxy on the node knows no usable endpoint of shop/cart:http')
  })
})

describe('pods outside of clusterCIDR', () => {
  it('count as external clients, so policy Local applies to them', () => {
    const input = {
      ...objects({ ...BALANCED, externalTrafficPolicy: 'Local' }, '203.0.113.9'),
      configuration: { clusterCIDR: '10.32.0.0/16' },
    }
    const question = { input, options: { mode: 'iptables' }, to: '203.0.113.9:80', from: 'pod' } as const
    expect(diagnoseOnly({ ...question, source: '10.244.1.7' }).cause).toContain(
      'kube-proxy takes pod 10.244.1.7 for an external client, because its network of pods is 10.32.0.0/16 (clusterCIDR)',
    )
    expect(diagnoseOnly({ ...question, from: 'outside' }).cause).not.toContain('clusterCIDR')
  })
})
