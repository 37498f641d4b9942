import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { explain, traceAllFrontends } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { printExplanation } from '../../src/view/print-texts.js'

const PACKET: Packet = {
  ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9' },
  ...{ destination: '10.96.0.1', destinationPort: 80 },
}

function compiled(addresses: readonly string[], port = 40_007) {
  const [family] = compile(
    {
      services: [service({ externalIPs: ['198.51.100.1'] })],
      endpointSlices: [slice(at(...addresses))],
      host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }], proxyPorts: { 'ns1/web:http': port } },
    },
    { mode: 'userspace', families: ['IPv4'] },
  ).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  return family
}

describe('a packet to the userspace proxy', () => {
  it('reaches the proxy port, and then an endpoint', () => {
    const { state, plan } = compiled(['10.244.1.1', '10.244.1.2'])
    expect(printExplanation(explain(state, PACKET, { plan }))).toBe(`10.244.1.9 -> 10.96.0.1:80/TCP, from a pod
ns1/web:http, cluster IP: kube-proxy itself accepts the connection and sends it to one of 10.244.1.1:8080, 10.244.1.2:8080, which see the node as its source
PREROUTING nat: KUBE-PORTALS-CONTAINER > REDIRECT --to-ports 40007
=> to the proxy, at port 40007
`)
  })

  it('may come from the node itself', () => {
    const { state, plan } = compiled(['10.244.1.1'])
    const packet: Packet = { ...PACKET, origin: 'node', source: '192.168.0.2' }
    const text = printExplanation(explain(state, packet, { plan }))
    expect(text).toContain(
      'accepts the connection and sends it to 10.244.1.1:8080, which sees the node as its source\n',
    )
    expect(text).toContain('OUTPUT nat: KUBE-PORTALS-HOST > DNAT --to-destination 192.168.0.2:40007\n')
    expect(text).toContain('=> to the proxy, at port 40007\n')
  })

  it('without endpoints has its connection closed over TCP, or is dropped over UDP', () => {
    const { state, plan } = compiled([])
    expect(printExplanation(explain(state, PACKET, { plan }))).toContain(
      'kube-proxy itself accepts the connection; without endpoints it closes TCP connections at once and drops UDP packets\n',
    )
  })

  it('is not redirected if its destination is a foreign external IP', () => {
    const { state, plan } = compiled(['10.244.1.1'])
    const packet: Packet = { ...PACKET, origin: 'node', source: '192.168.0.2', destination: '198.51.100.1' }
    const text = printExplanation(explain(state, packet, { plan, compiled: state, addresses: ['192.168.0.2'] }))
    expect(text).toContain(
      'differs from the outcome that the objects define, because of a limitation of this mode: to the proxy',
    )
    expect(text).toContain('=> not handled by kube-proxy')
  })

  it('may be redirected to a process other than kube-proxy', () => {
    const text = '*nat\n-A PREROUTING -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 15001\nCOMMIT\n'
    const { outcome } = explain(readDump(text).IPv4, PACKET).paths[0] ?? {}
    expect(outcome).toEqual({ kind: 'proxy', port: 15001 })
  })

  it('has an unknown node address as its destination after the redirection', () => {
    const text = [
      ...['*nat', '-A PREROUTING -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 15001', 'COMMIT', '*filter'],
      ...['-A INPUT -d 192.168.0.2/32 -j DROP', '-A INPUT -d 0.0.0.0/0 -m state --state NEW -j ACCEPT', 'COMMIT', ''],
    ].join('\n')
    const { paths } = explain(readDump(text).IPv4, PACKET)
    expect(paths.map(({ outcome, assumptions }) => [outcome.kind, assumptions.map(({ value }) => value)])).toEqual([
      ['dropped', [true]],
      ['proxy', [false]],
    ])
  })
})

describe('the reachability table of userspace mode', () => {
  it('has one row for each frontend of the proxy', () => {
    const { state, plan } = compiled(['10.244.1.1'])
    const rows = traceAllFrontends(state, { plan }).map(({ frontend: { kind, address }, outcomes, reason }) => [
      kind,
      address,
      outcomes.outside,
      reason?.outside?.reason,
    ])
    expect(rows).toEqual([
      ['clusterIP', '10.96.0.1', 'to the proxy, at port 40007', 'to one of the endpoints'],
      ['externalIP', '198.51.100.1', 'to the proxy, at port 40007', 'to one of the endpoints'],
    ])
  })

  it('has one row for each portal in a Kubernetes 1.1 dump', () => {
    const state = annotateOwners(readDump(CORPUS_DUMPS.get('kube-1.1-portals.save') ?? '').IPv4)
    const rows = traceAllFrontends(state, { addresses: ['172.21.102.125'] })
    expect(rows).toHaveLength(10)
    expect(rows.map(({ outcomes }) => [outcomes.node, outcomes.outside])).toContainEqual([
      ...['to the proxy, at port 35960', 'to the proxy, at port 35960'],
    ])
  })
})
