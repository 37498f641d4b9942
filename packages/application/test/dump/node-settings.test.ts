import { compile } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { formatNodeSettings } from '../../src/dump/node-settings.js'

const resultOf = (mode: 'iptables' | 'ipvs' | 'nftables', type = 'ClusterIP') =>
  compile(
    {
      services: [
        {
          metadata: { namespace: 'a', name: 'dns' },
          spec: {
            type,
            clusterIP: '10.96.0.53',
            ports: [{ port: 53, protocol: 'UDP', ...(type === 'NodePort' && { nodePort: 30053 }) }],
          },
        },
      ],
      endpointSlices: [
        {
          metadata: { namespace: 'a', name: 'dns-1', labels: { 'kubernetes.io/service-name': 'dns' } },
          addressType: 'IPv4',
          ports: [{ name: '', port: 53, protocol: 'UDP' }],
          endpoints: [{ addresses: ['10.244.0.5'] }],
        },
      ],
    },
    { mode, nodeName: 'node-1' },
  )

const linesFor = (text: string, result = resultOf('iptables')) =>
  formatNodeSettings([{ name: 'node.dump', text }], result)

const FORWARD =
  'warning: net.ipv4.ip_forward is 0 on the node (expected 1): the node forwards no packets to pods and other nodes; sysctl -w net.ipv4.ip_forward=1'

describe('formatNodeSettings', () => {
  it.each<readonly [string, readonly string[]]>([
    ['# net.ipv4.ip_forward = 0\n', [FORWARD]],
    ['# net.ipv4.ip_forward = 1\n', []],
    ['net.ipv4.ip_forward = 0\n', [FORWARD]],
    ['> net.ipv4.ip_forward=0\n', [FORWARD]],
    ['the value of net.ipv4.ip_forward = 0\n', []],
    // There is no Service of IPv6.
    ['# net.ipv6.conf.all.forwarding = 0\n', []],
    // No node port needs it.
    ['# net.ipv4.conf.all.route_localnet = 0\n', []],
  ])('prints for %j the expected warnings', (text, lines) => {
    expect(linesFor(text)).toEqual(lines)
  })

  it('prints a warning about route_localnet if iptables rules serve node ports at 127.0.0.1', () => {
    const text = '# net.ipv4.conf.all.route_localnet = 0\n'
    expect(linesFor(text, resultOf('iptables', 'NodePort'))).toEqual([
      'warning: net.ipv4.conf.all.route_localnet is 0 on the node (expected 1): node ports are unreachable at 127.0.0.1; sysctl -w net.ipv4.conf.all.route_localnet=1',
    ])
    expect(linesFor(text, resultOf('nftables', 'NodePort'))).toEqual([])
  })

  it('prints warnings about bridges that bypass the rules, and about the settings of ipvs mode', () => {
    expect(linesFor('# net.bridge.bridge-nf-call-iptables = 0\n')).toEqual([
      'warning: net.bridge.bridge-nf-call-iptables is 0 on the node (expected 1): packets between pods on one Linux bridge bypass the rules, so that replies have the address of a pod; sysctl -w net.bridge.bridge-nf-call-iptables=1',
    ])
    expect(linesFor('# net.ipv4.vs.conntrack = 0\n', resultOf('ipvs'))).toEqual([
      'warning: net.ipv4.vs.conntrack is 0 on the node (expected 1): kube-proxy sets it in ipvs mode; sysctl -w net.ipv4.vs.conntrack=1',
    ])
    expect(linesFor('# net.ipv4.vs.conntrack = 0\n')).toEqual([])
  })

  it('prints a warning about UDP connections to a missing endpoint', () => {
    const entry = (endpoint: string) =>
      `# udp      17 29 src=10.244.0.9 dst=10.96.0.53 sport=4000 dport=53 src=${endpoint} dst=10.244.0.9 sport=53 dport=4000 mark=0 use=1\n`
    expect(linesFor(entry('10.244.0.5'))).toEqual([])
    expect(linesFor(entry('10.244.0.6'))).toEqual([
      'warning: UDP connections are stale; to delete them, run conntrack -D --orig-dst 10.96.0.53 -p udp --orig-port-dst 53 --reply-src 10.244.0.6 --reply-port-src 53',
    ])
  })
})
