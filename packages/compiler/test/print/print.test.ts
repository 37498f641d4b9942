import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileResult } from '../../src/compilation/compile-result.js'
import type { Subsystem } from '../../src/dataplane/node-state.js'
import { print } from '../../src/print/print.js'
import { printFamily } from '../support/print-family.js'

const cluster: CompileInput = {
  services: [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1', 'fd00:96::1'],
        ipFamilies: ['IPv4', 'IPv6'],
        loadBalancerSourceRanges: ['0.0.0.0/0', '10.0.0.0/8'],
        ports: [{ name: 'http', port: 80 }],
      },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.0.1'] }],
    },
  ],
}

function compiled(): CompileResult {
  return compile(cluster, { mode: 'ipvs', kubernetesVersion: '1.30' })
}

const printed = (subsystem: Subsystem, format?: 'restore' | 'save') =>
  printFamily(compiled(), { family: 'IPv4', subsystem, format })

describe('print for a state of ipvs mode', () => {
  it('returns the input of ipvsadm -R', () => {
    expect(printed('ipvs')).toBe(
      [
        '-A -t 10.96.0.1:80 -s rr',
        '-a -t 10.96.0.1:80 -r 10.244.0.1:8080 -m -w 1',
        '-A -t 203.0.113.1:80 -s rr',
        '-a -t 203.0.113.1:80 -r 10.244.0.1:8080 -m -w 1',
        '',
      ].join('\n'),
    )
    expect(printed('ipvs', 'save')).toBe(printed('ipvs'))
  })

  it('returns the listing of ipvsadm -Ln', () => {
    expect(printFamily(compiled(), { family: 'IPv6', subsystem: 'ipvs', format: 'listing' })).toBe(
      [
        'IP Virtual Server version 1.2.1 (size=4096)',
        'Prot LocalAddress:Port Scheduler Flags',
        '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
        'TCP  [fd00:96::1]:80 rr',
        '',
      ].join('\n'),
    )
  })

  it('returns the input of ipset restore without entries that the kernel rejects', () => {
    const lines = printed('ipset').split('\n')
    expect(lines.filter((line) => line.startsWith('create'))).toHaveLength(17)
    expect(lines.filter((line) => line.startsWith('add'))).toEqual([
      'add KUBE-CLUSTER-IP 10.96.0.1,tcp:80',
      'add KUBE-LOAD-BALANCER 203.0.113.1,tcp:80',
      'add KUBE-LOAD-BALANCER-FW 203.0.113.1,tcp:80',
      'add KUBE-LOAD-BALANCER-SOURCE-IP 203.0.113.1,tcp:80,203.0.113.1',
      'add KUBE-LOAD-BALANCER-SOURCE-CIDR 203.0.113.1,tcp:80,10.0.0.0/8',
      'add KUBE-IPVS-IPS 10.96.0.1',
      'add KUBE-IPVS-IPS 203.0.113.1',
    ])
  })

  it('returns the output of ipset save, with each set before its entries', () => {
    expect(printed('ipset', 'save')).toContain(
      'create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536\nadd KUBE-CLUSTER-IP 10.96.0.1,tcp:80\ncreate KUBE-EXTERNAL-IP ',
    )
  })

  it('returns the input of ip -batch in the restore and save formats', () => {
    const text =
      'link add kube-ipvs0 type dummy\naddress add 10.96.0.1/32 dev kube-ipvs0\naddress add 203.0.113.1/32 dev kube-ipvs0\n'
    expect(printed('addresses')).toBe(text)
    expect(printed('addresses', 'save')).toBe(text)
  })

  it('returns the input of iptables-restore, or the output of iptables-save', () => {
    expect(printed('iptables')).toMatch(/^\*nat\n:KUBE-SERVICES - \[0:0\]\n/)
    expect(printed('iptables', 'save')).toMatch(/^\*filter\n:INPUT ACCEPT \[0:0\]\n/)
    const legacy = printFamily(compiled(), {
      family: 'IPv4',
      subsystem: 'iptables',
      format: 'save',
      backend: 'legacy',
    })
    expect(legacy).toMatch(/^\*filter\n.*\*nat\n/s)
  })

  it.each(['restore', 'save'] as const)('returns all subsystems in the order of application in format %s', (format) => {
    const texts = (['ipset', 'ipvs', 'addresses', 'iptables'] as const).map(
      (language) => `# ${language}\n${printed(language, format)}`,
    )
    expect(printFamily(compiled(), { family: 'IPv4', format })).toBe(texts.join(''))
  })

  it('returns the restore format for a subsystem that has no listing', () => {
    const [state] = compiled().families.map((family) => family.state)
    if (state === undefined) throw new Error('nothing was compiled')
    const texts = [
      `# ipset\n${printed('ipset')}`,
      `# ipvs\n${print(state, { subsystem: 'ipvs', format: 'listing' })}`,
      `# addresses\n${printed('addresses')}`,
      `# iptables\n${print(state, { subsystem: 'iptables', format: 'listing' })}`,
    ]
    expect(print(state, { format: 'listing' })).toBe(texts.join(''))
  })
})

describe('the listing options of print', () => {
  const [state] = compile(cluster, { mode: 'iptables', families: ['IPv4'] }).families.map((family) => family.state)

  it('apply to the iptables listing', () => {
    const listing = { verbose: true, lineNumbers: true }
    const text = state && print(state, { format: 'listing', listing })
    expect(text?.match(/^#.*$/gm)).toEqual([
      '# iptables -t filter -L -n -v --line-numbers',
      '# iptables -t nat -L -n -v --line-numbers',
    ])
  })

  it.each([
    ['true instead of an object', true, 'Argument options: listing: true is not an object with options of a listing'],
    ['text instead of a boolean', { names: 'no' }, 'Argument options.listing: names: "no" is not true or false'],
  ])('are rejected if they contain %s', (_, listing, message) => {
    expect(() => state && print(state, { format: 'listing', listing: listing as object })).toThrow(message)
  })
})

describe('print for a state with only one subsystem', () => {
  const [state] = compile(cluster, { mode: 'iptables', families: ['IPv4'] }).families.map((family) => family.state)

  it('returns the text of the subsystem without a heading', () => {
    expect(state && print(state)).toMatch(/^\*filter\n/)
    expect(state && print(state, { subsystem: 'iptables' })).toBe(state && print(state))
  })

  it('returns empty text for each of the other subsystems', () => {
    expect(state && print(state, { subsystem: 'ipset' })).toBe('')
  })
})

it('print returns empty text for an empty state', () => {
  expect(print({ family: 'IPv4' })).toBe('')
})
