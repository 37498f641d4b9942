import type { Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { diagnoseOnly, type PacketQuestion } from './diagnosed-packet.js'

// Each step that changes rules or objects is applied before it is printed, and the packet is traced again.

const NODES = ['11', '12'].map((end, index) => ({
  metadata: { name: `node-${index + 1}` },
  status: { addresses: [{ type: 'InternalIP', address: `192.0.2.${end}` }] },
}))

const web = (spec: Service['spec'] = {}): Service => ({
  metadata: { namespace: 'shop', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.20.5',
    ports: [{ name: 'http', port: 80, nodePort: 30080 }],
    ...spec,
  },
  status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
})

const slice = (nodeName: string) => ({
  metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4' as const,
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.2.7'], nodeName }],
})

const clusterOf = (service: Service, nodeName = 'node-2'): CompileInput => ({
  nodes: NODES,
  services: [service],
  endpointSlices: [slice(nodeName)],
  configuration: { clusterCIDR: '10.244.0.0/16' },
})

const LOCAL = web({ externalTrafficPolicy: 'Local' })

function stepsFor(question: Partial<PacketQuestion> & { readonly mode?: CompileOptions['mode'] }) {
  const { mode = 'iptables', input = clusterOf(web()), options, ...rest } = question
  return diagnoseOnly({ input, from: 'outside', to: '203.0.113.9:80', options: { mode, ...options }, ...rest }).steps
}

const atStartOf = (chain: string, rule: string) => (rules: string) =>
  rules.replace(`-A ${chain} `, `${rule}\n-A ${chain} `)

describe('a step of a diagnosis', () => {
  it('has the outcome after an accepting rule, and the other packets that it accepts', () => {
    const [accept] = stepsFor({ dump: atStartOf('FORWARD', '-A FORWARD -p tcp --dport 8080 -j DROP') })
    expect(accept).toEqual({
      text: 'Accept the packets before that rule, as root on node node-1',
      command: 'iptables -t filter -I FORWARD 1 -d 10.244.2.7 -p tcp --dport 8080 -j ACCEPT',
      change: {
        kind: 'insertRule',
        table: 'filter',
        chain: 'FORWARD',
        position: 1,
        rule: '-A FORWARD -d 10.244.2.7 -p tcp --dport 8080 -j ACCEPT',
      },
      outcome: 'the packets reach 10.244.2.7:8080',
      impact:
        'effective at once, until the program that owns the rule reloads its rules; also accepts packets from a pod to 10.244.2.7:8080/TCP and packets from external clients to 10.244.2.7:8080/TCP without the Service',
    })
  })

  it('appends a rule to the chain if the policy drops the packets', () => {
    const dump = (rules: string) => rules.replace(':FORWARD ACCEPT', ':FORWARD DROP')
    const [accept] = stepsFor({ dump, from: 'pod', to: '10.96.20.5:80' })
    expect(accept?.change).toEqual({
      kind: 'insertRule',
      table: 'filter',
      chain: 'FORWARD',
      rule: '-A FORWARD -s 10.244.0.0/16 -d 10.244.2.7 -p tcp --dport 8080 -j ACCEPT',
    })
    expect(accept?.outcome).toBe('the packets reach 10.244.2.7:8080')
  })

  it('restores a jump of kube-proxy if the policy drops only packets without it', () => {
    const dump = (rules: string) =>
      rules.replace(':FORWARD ACCEPT', ':FORWARD DROP').replace(/^-A FORWARD .*KUBE-FORWARD\n/m, '')
    const [restart] = stepsFor({ dump })
    expect(restart?.change).toEqual({ kind: 'rewriteRules' })
    expect(restart?.outcome).toBe('the packets reach 10.244.2.7:8080')
  })

  it('is left out if another rule drops the packets after it', () => {
    const drop = '-A FORWARD -p tcp --dport 8080 -j DROP'
    const dump = (rules: string) =>
      atStartOf(
        'FORWARD',
        drop,
      )(rules)
        .replace('*nat\n', `*nat\n`)
        .concat(
          'table inet other {\n\tchain fw {\n\t\ttype filter hook forward priority 10; policy accept;\n\t\ttcp dport 8080 drop\n\t}\n}\n',
        )
    const steps = stepsFor({ dump })
    expect(steps.map(({ text }) => text)).toEqual([
      'Find out which program owns the rule, and configure it to accept TCP to 10.244.2.7:8080 (shop/web:http) on every node',
    ])
  })

  it('has the outcome after a change of the Service, and the other packets that change', () => {
    const steps = stepsFor({ input: clusterOf(LOCAL) })
    expect(steps.map(({ outcome }) => outcome)).toEqual([undefined, 'the packets reach 10.244.2.7:8080'])
    expect(steps[1]?.impact).toContain(
      'also, packets from external clients to 192.0.2.11:30080/TCP reach 10.244.2.7:8080 (before: are dropped)',
    )
  })

  it('is left out if a firewall drops the packets after the change of the Service', () => {
    const input = clusterOf(LOCAL)
    const dump = (rules: string) =>
      `${rules}table inet other {\n\tchain fw {\n\t\ttype filter hook forward priority 10; policy accept;\n\t\ttcp dport 8080 drop\n\t}\n}\n`
    expect(stepsFor({ input, dump }).filter(({ change }) => change !== undefined)).toEqual([])
  })

  it('is left out if the node has no endpoint for the preserved source', () => {
    const dump = (rules: string) =>
      rules
        .replace('-A POSTROUTING ', '-A POSTROUTING -m comment --comment x -j OTHER\n-A POSTROUTING ')
        .replace(':KUBE-POSTROUTING', ':OTHER - [0:0]\n:KUBE-POSTROUTING')
    const other = (rules: string) =>
      dump(rules).replace(
        '-A KUBE-POSTROUTING ',
        '-A OTHER -d 10.244.2.7/32 -j SNAT --to-source 192.0.2.11\n-A KUBE-POSTROUTING ',
      )
    const last = (rules: string) => {
      const lines = other(rules).split('\n')
      const jump = lines.findIndex((line) => line.includes('-j OTHER'))
      const [moved = ''] = lines.splice(jump, 1)
      const end = lines.map((line) => line.startsWith('-A POSTROUTING ')).lastIndexOf(true)
      lines.splice(end + 1, 0, moved)
      return lines.join('\n')
    }
    expect(stepsFor({ dump: last, to: '192.0.2.11:30080' }).map(({ text }) => text)).toEqual([
      'If every node has to accept packets, configure the network plugin to insert its rule first',
    ])
    const [local] = stepsFor({ dump: last, to: '192.0.2.11:30080', input: clusterOf(web(), 'node-1') })
    expect(local?.outcome).toBe('the packets reach 10.244.2.7:8080')
  })

  it('has the outcome for the address in the step, if it is a different one', () => {
    const input = clusterOf(LOCAL)
    const steps = stepsFor({ input, mode: 'nftables', options: { kubernetesVersion: '1.33' }, from: 'node' })
    expect(steps.map(({ outcome }) => outcome)).toEqual([
      'packets to 10.96.20.5:80 reach 10.244.2.7:8080',
      'the packets reach 10.244.2.7:8080',
      'the packets reach 10.244.2.7:8080',
    ])
  })

  it('has the outcome after kube-proxy writes its rules again, with the rules of other programs', () => {
    const missing = (rules: string) => rules.replace(/^-A KUBE-SERVICES -d 203.*\n/m, '')
    expect(stepsFor({ dump: missing })[0]?.outcome).toBe('the packets reach 10.244.2.7:8080')
    const blocked = (rules: string) =>
      missing(rules)
        .replace(':FORWARD ACCEPT', ':FORWARD DROP')
        .replace(/^-A FORWARD .*KUBE-FORWARD\n/m, '')
    expect(stepsFor({ dump: blocked })[0]?.outcome).toBe('the packets reach 10.244.2.7:8080')
    const filtered = (rules: string) => atStartOf('FORWARD', '-A FORWARD -p tcp --dport 8080 -j DROP')(missing(rules))
    expect(stepsFor({ dump: filtered })).toEqual([
      {
        text: 'No single step has the expected outcome, because another problem affects the packets after this one; run kube-rules verify with the same objects and --dump to list all problems of the node',
      },
    ])
  })

  it('has no change if no field of an object or rule is known', () => {
    // An address of a Service in the status has no field that a step could edit, so it is an instruction.
    const services = [{ ...web(), status: { loadBalancer: { ingress: [{ ip: '192.0.2.11' }] } } }]
    const input = { ...clusterOf(web()), services }
    const steps = stepsFor({ input, mode: 'ipvs', options: { kubernetesVersion: '1.26' }, to: '192.0.2.11:22' })
    expect(steps.map(({ change }) => change)).toEqual([undefined, undefined])
  })

  it('has the outcome after an external IP is removed', () => {
    const input = clusterOf({ ...web({ externalIPs: ['192.0.2.12'] }), status: {} })
    const [remove] = stepsFor({
      input,
      mode: 'ipvs',
      options: { kubernetesVersion: '1.21' },
      from: 'node',
      to: '192.0.2.12:10250',
    })
    expect(remove?.outcome).toBe('the packets leave the node to their destination')
    expect(remove?.impact).toContain(
      'also, packets to 192.0.2.12:80/TCP are not handled by kube-proxy (before: reach 10.244.2.7:8080)',
    )
  })
})
