import { describe, expect, it } from 'vitest'
import { type CompileInput, compile, type ResultOf } from '../src/compile.js'
import { type IpvsRenderOptions, render } from '../src/render.js'

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

function compiled(): ResultOf<'ipvs'> {
  const result = compile(cluster, { mode: 'ipvs', kubernetesVersion: '1.30' })
  if (result.mode !== 'ipvs') throw new Error(result.mode)
  return result
}

const renderPart = (part: NonNullable<IpvsRenderOptions['part']>, style?: 'restore' | 'save') =>
  printFamily(compiled(), { family: 'IPv4', part, style })

describe('render in mode ipvs', () => {
  it('prints the input of ipvsadm -R', () => {
    expect(renderPart('ipvsadm')).toBe(
      [
        '-A -t 10.96.0.1:80 -s rr',
        '-a -t 10.96.0.1:80 -r 10.244.0.1:8080 -m -w 1',
        '-A -t 203.0.113.1:80 -s rr',
        '-a -t 203.0.113.1:80 -r 10.244.0.1:8080 -m -w 1',
        '',
      ].join('\n'),
    )
    expect(renderPart('ipvsadm', 'save')).toBe(renderPart('ipvsadm'))
  })

  it('prints the listing of ipvsadm -Ln', () => {
    expect(printFamily(compiled(), { family: 'IPv6', language: 'ipvs', spelling: 'listing' })).toBe(
      [
        'IP Virtual Server version 1.2.1 (size=4096)',
        'Prot LocalAddress:Port Scheduler Flags',
        '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
        'TCP  [fd00:96::1]:80 rr',
        '',
      ].join('\n'),
    )
  })

  it('prints the input of ipset restore without what the kernel refuses', () => {
    const lines = renderPart('ipset').split('\n')
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

  it('prints what ipset save prints, set by set', () => {
    expect(renderPart('ipset', 'save')).toContain(
      'create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536\nadd KUBE-CLUSTER-IP 10.96.0.1,tcp:80\ncreate KUBE-EXTERNAL-IP ',
    )
  })

  it('prints the input of ip -batch in either style', () => {
    const text =
      'link add kube-ipvs0 type dummy\naddress add 10.96.0.1/32 dev kube-ipvs0\naddress add 203.0.113.1/32 dev kube-ipvs0\n'
    expect(renderPart('addresses')).toBe(text)
    expect(renderPart('addresses', 'save')).toBe(text)
  })

  it('prints the input of iptables-restore, and what iptables-save prints', () => {
    expect(renderPart('iptables')).toMatch(/^\*nat\n:KUBE-SERVICES - \[0:0\]\n/)
    expect(renderPart('iptables', 'save')).toMatch(/^\*filter\n:INPUT ACCEPT \[0:0\]\n/)
    const legacy = printFamily(compiled(), {
      family: 'IPv4',
      language: 'iptables',
      spelling: 'save',
      backend: 'legacy',
    })
    expect(legacy).toMatch(/^\*filter\n.*\*nat\n/s)
  })

  it.each(['restore', 'save'] as const)('prints all parts in the order of their application as %s', (style) => {
    const parts = (['ipset', 'ipvsadm', 'addresses', 'iptables'] as const).map(
      (part) => `# ${part}\n${renderPart(part, style)}`,
    )
    expect(printFamily(compiled(), { family: 'IPv4', style })).toBe(parts.join(''))
  })

  it('prints nothing for a family that was not compiled', () => {
    const result = compile(cluster, { mode: 'ipvs', families: ['IPv6'] })
    expect(printFamily(result, { family: 'IPv4' })).toBe('')
  })
})
