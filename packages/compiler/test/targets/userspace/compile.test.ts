import type { HostFacts, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inferHost } from '../../../../analyzer/src/dump/infer-host.js'
import { compile, safeCompile } from '../../../src/compilation/compile.js'
import type { CompileInput, CompileOptions, CompileResult } from '../../../src/compilation/compile-result.js'
import { getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'
import { diff } from '../../../src/diff/diff.js'
import { compileNodes } from '../../../src/many-nodes/compile-nodes.js'
import { decide } from '../../../src/plan/decide.js'
import { findPortConflicts, selectOpenedFrontends } from '../../../src/plan/port-conflicts.js'
import { print } from '../../../src/print/print.js'
import { optionsOfMode, understoodCluster } from '../../support/clusters.js'
import { packet } from '../../support/decisions.js'
import { histories } from '../../support/edits.js'
import { at, service, slice } from '../../support/objects.js'
import { isWhole, runs } from '../../support/runs.js'

const HOST: HostFacts = { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64'] }] }
const NODE = {
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
}

function named(name: string, spec: Service['spec'] = {}, status: Service['status'] = {}): Service {
  return service({ ...spec }, { metadata: { namespace: 'ns1', name }, status })
}

function compiled(services: readonly Service[], more: Partial<CompileInput> = {}, options: CompileOptions = {}) {
  return compile(
    { services, nodes: [NODE], host: HOST, ...more },
    { mode: 'userspace', families: ['IPv4'], ...options },
  )
}

/** Returns the port of each service port. */
function portsOf({ families }: CompileResult): Readonly<Record<string, number>> | undefined {
  const held = Object.fromEntries(families.map(({ family, state }) => [family, state]))
  return inferHost({ IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' }, ...held }, 'userspace').proxyPorts
}

function rulesOf({ families }: CompileResult, index = 0): readonly string[] {
  const state = families[index]?.state
  return state === undefined
    ? []
    : print(state)
        .split('\n')
        .filter((line) => line.startsWith('-A'))
}

function saidOf({ diagnostics }: CompileResult): readonly string[] {
  return diagnostics.map(({ severity, code, message }) => `${severity} ${code}: ${message}`)
}

describe('the proxy ports of userspace mode', () => {
  const [a, b] = [named('a'), named('b', { clusterIP: '10.96.0.2', sessionAffinity: 'ClientIP' })]
  const before = compiled([a, b])

  it('start at 40000', () => {
    expect(portsOf(before)).toEqual({ 'ns1/a:http': 40000, 'ns1/b:http': 40001 })
  })

  it.each<[string, Service['spec'], Service['status']]>([
    ['its cluster IP', { clusterIP: '10.96.0.3' }, {}],
    ['its port', { ports: [{ name: 'http', port: 81 }] }, {}],
    ['its protocol', { ports: [{ name: 'http', port: 80, protocol: 'UDP' }] }, {}],
    ['its node port', { ports: [{ name: 'http', port: 80, nodePort: 30080 }] }, {}],
    ['its external IPs', { externalIPs: ['198.51.100.1'] }, {}],
    ['external IPs of the other family', { externalIPs: ['2001:db8::1'] }, {}],
    ['its session affinity', { sessionAffinity: 'ClientIP' }, {}],
    ['the host name of its load balancer', {}, { loadBalancer: { ingress: [{ hostname: 'lb.test' }] } }],
  ])('change for a service port if a change affects %s', (_what, spec, status) => {
    const after = compiled([named('a', spec, status), b], {}, { previous: before })
    expect(portsOf(after)).toEqual({ 'ns1/a:http': 40002, 'ns1/b:http': 40001 })
  })

  it('are kept if only endpoints, policies, source ranges or affinity timeouts change', () => {
    const config = { clientIP: { timeoutSeconds: 10 } }
    const others = [
      named('a', { internalTrafficPolicy: 'Local', loadBalancerSourceRanges: ['10.0.0.0/8'] }),
      named('b', { clusterIP: '10.96.0.2', sessionAffinity: 'ClientIP', sessionAffinityConfig: config }),
    ]
    const endpointSlices = [slice(at('10.244.1.1'), { name: 'a-1', service: 'a' })]
    const after = compiled(others, { endpointSlices }, { previous: before })
    expect(portsOf(after)).toEqual(portsOf(before))
    expect(diff(before, after).families).toEqual([])
    for (const [index, table] of (after.families[0]?.state.iptables?.tables ?? []).entries()) {
      expect(table).toBe(before.families[0]?.state.iptables?.tables[index])
    }
  })

  it('are kept after an unrelated change that causes a full compile', () => {
    const nodes = [{ ...NODE, metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'z' } } }]
    const later = compiled([named('0'), b], {}, { previous: before })
    const after = compiled([named('0'), b], { nodes }, { previous: later })
    expect(portsOf(later)).toEqual({ 'ns1/0:http': 40002, 'ns1/b:http': 40001 })
    expect(portsOf(after)).toEqual(portsOf(later))
    const blocks = (result: CompileResult) => result.families[0]?.state.iptables?.tables[1]?.blocks.slice(1)
    expect(blocks(after)?.every((block, index) => block === blocks(later)?.[index])).toBe(true)
  })

  it('are assigned again after a compile for another mode', () => {
    const between = compile({ services: [a, b] }, { mode: 'iptables', previous: before })
    expect(portsOf(compiled([b], {}, { previous: between }))).toEqual({ 'ns1/b:http': 40000 })
  })

  it('can change for one service port without new rules for other service ports', () => {
    const after = compiled([named('a', { clusterIP: '10.96.0.3' }), b], {}, { previous: before })
    const [old, fresh] = [before, after].map(({ families }) => families[0]?.state.iptables?.tables[1]?.blocks)
    expect(fresh?.[2]).toBe(old?.[2])
    expect(fresh?.[1]).not.toBe(old?.[1])
  })

  it('are the same on every node', () => {
    const nodes = [NODE, { ...NODE, metadata: { name: 'node-2' } }]
    const input = { services: [a, b], nodes, host: HOST }
    const results = [...compileNodes(input, { mode: 'userspace', families: ['IPv4'] })]
    expect(results.map(({ result }) => portsOf(result))).toEqual([portsOf(before), portsOf(before)])
  })

  it('are kept on every node after a full compile', () => {
    const input = { services: [named('0'), b], nodes: [NODE], host: HOST }
    const options = { mode: 'userspace', families: ['IPv4'] } as const
    const first = new Map(
      [...compileNodes({ ...input, services: [a, b] }, options)].map((each) => [each.nodeName, each.result]),
    )
    const later = new Map(
      [...compileNodes(input, { ...options, previous: first })].map((each) => [each.nodeName, each.result]),
    )
    const configuration = { mode: 'userspace', clusterCIDR: '10.244.0.0/16' }
    const [last] = compileNodes({ ...input, configuration }, { ...options, previous: later })
    expect(last && portsOf(last.result)).toEqual({ 'ns1/0:http': 40002, 'ns1/b:http': 40001 })
  })

  it('result in the same rules if the caller passes them as known ports', () => {
    let kept = 0
    fc.assert(
      fc.property(histories, (history) => {
        const options = { ...optionsOfMode(history.options, 'userspace'), families: ['IPv4', 'IPv6'] as const }
        const inputs = history.inputs.map((input) => understoodCluster(input, options))
        let previous: CompileResult | undefined
        for (const input of inputs) {
          const chosen = safeCompile(
            { ...input, host: { ...input.host, proxyPorts: undefined } },
            { ...options, previous },
          )
          if (!chosen.ok) continue
          const proxyPorts = portsOf(chosen.value)
          const given = compile({ ...input, host: { ...input.host, proxyPorts } }, options)
          expect(given.families.map(({ state }) => print(state))).toEqual(
            chosen.value.families.map(({ state }) => print(state)),
          )
          if (previous !== undefined && Object.keys(proxyPorts ?? {}).length > 0) kept++
          previous = chosen.value
        }
      }),
      { numRuns: runs(40) },
    )
    if (isWhole) expect(kept).toBeGreaterThan(10)
  })
})

describe('the proxy ports of userspace mode with a configured range', () => {
  it.each([
    ['', [40000, 40001]],
    ['0', [40000, 40001]],
    ['50000-50001', [50000, 50001]],
    [' 50000+5 ', [50000, 50001]],
    ['50000', [50000]],
  ])('are in the portRange %j', (portRange, ports) => {
    const configuration = { mode: 'userspace', portRange }
    const result = compiled([named('a'), named('b', { clusterIP: '10.96.0.2' })], { configuration })
    expect(Object.values(portsOf(result) ?? {})).toEqual(ports)
  })
})

describe('a service port in userspace mode with a taken address or node port', () => {
  const ports = [{ name: 'http', port: 80, nodePort: 30080 }]
  const local = { externalIPs: ['192.168.0.2'] }

  it('has no rules for the taken address or node port, which stays with the first service port', () => {
    const result = compiled([named('a', { ports }), named('b', { ports, clusterIP: '10.96.0.2' })])
    expect(rulesOf(result).filter((line) => line.includes('ns1/b:http'))).toEqual([
      '-A KUBE-PORTALS-CONTAINER -m comment --comment ns1/b:http -p tcp -m tcp --dport 80 -d 10.96.0.2 -j REDIRECT --to-ports 40001',
      '-A KUBE-PORTALS-HOST -m comment --comment ns1/b:http -p tcp -m tcp --dport 80 -d 10.96.0.2 -j DNAT --to-destination 192.168.0.2:40001',
    ])
    expect(saidOf(result)).toContain(
      'warning portClaimed: ns1/b:http claims node port 30080/TCP, which ns1/a:http already has: it gets no rules, and neither do the later addresses and ports of ns1/b:http',
    )
    const rules = result.families[0]?.state.iptables?.tables.flatMap(({ jumps, blocks }) => [
      ...jumps,
      ...blocks.flatMap(getBlockRules),
    ])
    expect(result.counts.rules).toBe(rules?.length)
  })

  it('has no rules for the addresses after the taken address, nor for its node port', () => {
    const services = [
      named('a', local),
      named('b', { clusterIP: '10.96.0.2', externalIPs: ['203.0.113.9', '192.168.0.2', '203.0.113.10'], ports }),
      named('c', { clusterIP: '10.96.0.3', ports }),
    ]
    const result = compiled(services)
    const opened = rulesOf(result).filter((line) => line.includes('ns1/b:http') && line.includes('-CONTAINER'))
    expect(opened.map((line) => / -d (\S+)/.exec(line)?.[1])).toEqual(['10.96.0.2', '203.0.113.9', '203.0.113.9'])
    // Claims that `b` does not get are free.
    expect(rulesOf(result).some((line) => line.includes('ns1/c:http') && line.includes('--dport 30080'))).toBe(true)
    const plan = result.families[0]?.plan
    if (plan === undefined) throw new Error('IPv4 was not compiled')
    expect(findPortConflicts(plan.services, plan).map(({ id, place, expected }) => [id.text, place, expected])).toEqual(
      [['ns1/b:http', 2, '192.168.0.2:80/TCP']],
    )
    expect(decide(plan, packet('203.0.113.1', '203.0.113.10:80')).kind).toBe('unmatched')
    expect(decide(plan, packet('203.0.113.1', '192.168.0.2:30080'))).toMatchObject({
      servicePort: { text: 'ns1/c:http' },
    })
    expect(selectOpenedFrontends(selectOpenedFrontends(plan))).toEqual(selectOpenedFrontends(plan))
  })

  it('has rules if the address is not a node address or the protocol differs', () => {
    const udp = [{ ...ports[0], protocol: 'UDP' as const, port: 80 }]
    const shared = { externalIPs: ['203.0.113.9'] }
    const result = compiled([
      named('a', { ports, ...shared }),
      named('b', { ports: udp, ...shared, clusterIP: '10.96.0.2' }),
      named('c', { ...shared, clusterIP: '10.96.0.3' }),
    ])
    expect(saidOf(result).filter((line) => line.includes('portClaimed'))).toEqual([])
    expect(rulesOf(result).filter((line) => line.includes('-d 203.0.113.9'))).toHaveLength(9)
  })

  it('gets the rules when the first service port is removed', () => {
    const [a, b] = [named('a', { ports }), named('b', { ports, clusterIP: '10.96.0.2' })]
    const after = compiled([b], {}, { previous: compiled([a, b]) })
    expect(rulesOf(after).some((line) => line.includes('--dport 30080'))).toBe(true)
    expect(portsOf(after)).toEqual({ 'ns1/b:http': 40001 })
  })
})

describe('the address family of userspace mode', () => {
  const v6 = named('six', { clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.96.0.7'], ipFamilies: ['IPv6', 'IPv4'] })
  const both = { families: ['IPv4', 'IPv6'] as const }

  it('follows the first Node address, and excludes Services with a first cluster IP of another family', () => {
    const result = compiled([named('a'), v6], {}, both)
    expect(portsOf(result)).toEqual({ 'ns1/a:http': 40000 })
    expect(rulesOf(result, 1)).toEqual([])
    expect(result.families[1]?.counts).toMatchObject({ chains: 0, rules: 0 })
    const plan = result.families[1]?.plan
    expect(plan && decide(plan, { ...packet('fd00::9', ''), destination: 'fd00::1', destinationPort: 80 }).kind).toBe(
      'unmatched',
    )
  })

  it('is reported if it is not requested', () => {
    expect(saidOf(compiled([named('a')], {}, { families: ['IPv6'] }))).toContain(
      'warning otherAddressFamily: userspace mode writes rules only for the address family of the node, IPv4, which was not requested',
    )
  })

  it('is the family of bindAddress', () => {
    const configuration = { mode: 'userspace', bindAddress: '2001:db8::2' }
    const result = compiled([named('a'), v6], { configuration }, both)
    expect(rulesOf(result)).toEqual([])
    expect(rulesOf(result, 1)).toEqual([
      '-A KUBE-PORTALS-CONTAINER -m comment --comment ns1/six:http -p tcp -m tcp --dport 80 -d fd00::1 -j DNAT --to-destination [2001:db8::2]:40000',
      '-A KUBE-PORTALS-HOST -m comment --comment ns1/six:http -p tcp -m tcp --dport 80 -d fd00::1 -j DNAT --to-destination [2001:db8::2]:40000',
    ])
  })

  it('excludes all addresses of a service port that follow an address of the other family', () => {
    const ports = [{ name: 'http', port: 80, nodePort: 30080 }]
    const spec = { ports, externalIPs: ['198.51.100.1', '2001:db8::1', '198.51.100.2'] }
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } }
    const result = compiled([named('a', spec, status)])
    const destinations = rulesOf(result).flatMap((line) => / -d (\S+)/.exec(line)?.[1] ?? line)
    expect([...new Set(destinations)]).toEqual(['10.96.0.1', '198.51.100.1'])
    expect(saidOf(result).filter((line) => line.includes('otherFamilyStops'))).toHaveLength(1)
    const inIngress = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }, { ip: '2001:db8::1' }] } }
    const later = compiled([named('a', { ports, externalIPs: ['198.51.100.1'] }, inIngress)])
    expect(new Set(rulesOf(later).flatMap((line) => / -d (\S+)/.exec(line)?.[1] ?? 'node port'))).toEqual(
      new Set(['10.96.0.1', '198.51.100.1', '203.0.113.1']),
    )
  })
})

describe('the host address in the rules of userspace mode', () => {
  const targetOf = (host: HostFacts | undefined, nodes: CompileInput['nodes'] = [NODE]) =>
    /to-destination (\S+):/.exec(rulesOf(compiled([named('a')], { host, nodes })).join('\n'))?.[1]

  it.each<[string, HostFacts | undefined, string]>([
    ['the address that the caller gives', { ...HOST, hostIP: '10.9.9.9' }, '10.9.9.9'],
    [
      'the first address of the interfaces',
      {
        interfaces: [
          { name: 'b', addresses: ['10.0.0.9/8'] },
          { name: 'a', addresses: ['10.0.0.1/8'] },
        ],
      },
      '10.0.0.9',
    ],
    [
      'not a loopback, link-local, multicast or broadcast address',
      {
        interfaces: [
          {
            name: 'lo',
            addresses: [
              '127.0.0.1/8',
              '169.254.0.1/16',
              '224.0.0.1/4',
              '255.255.255.255/32',
              '0.0.0.0/8',
              'fd00::1/64',
              '10.0.0.3/8',
            ],
          },
        ],
      },
      '10.0.0.3',
    ],
    ['the address of the Node if the interfaces are unknown', {}, '192.168.0.2'],
    ['a loopback address if the interfaces have none', { interfaces: [] }, '127.0.0.1'],
  ])('is %s', (_what, host, expected) => {
    expect(targetOf(host)).toBe(expected)
  })

  it('is reported if it is missing or belongs to the other family', () => {
    const messagesWith = (host: HostFacts) =>
      saidOf(compiled([named('a')], { host })).filter((line) => !line.includes('Conflict'))
    expect(messagesWith({ interfaces: [] })).toEqual([
      'warning noHostAddress: no address of the host is known for the rules of locally generated packets',
    ])
    expect(messagesWith({ ...HOST, hostIP: '2001:db8::9' })).toEqual([
      'warning otherAddressFamily: 2001:db8::9 is unused, because the rules are for IPv4',
    ])
  })

  it('is rejected if it is invalid, like an invalid proxy port', () => {
    const host = { ...HOST, hostIP: 'x', proxyPorts: { 'ns1/a:http': 70000, 'ns1/b': 'y' } } as unknown as HostFacts
    const messages = compiled([named('a')], { host }).diagnostics.map(
      ({ severity, code, path }) => `${severity} ${code} ${path}`,
    )
    expect(messages).toEqual([
      'error invalidPort proxyPorts.ns1/a:http',
      'error invalidPort proxyPorts.ns1/b',
      'error invalidAddress hostIP',
    ])
    const inIptables = compile({ services: [], nodes: [NODE], host }, { families: ['IPv4'] }).diagnostics
    expect(inIptables.filter(({ severity }) => severity === 'error')).toHaveLength(3)
  })
})

describe('UDP connections of a Service in userspace mode', () => {
  const dns = (name: string, clusterIP: string) =>
    named(name, { clusterIP, ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })
  const staleAfter = (before: readonly Service[], after: readonly Service[]) => {
    const first = compiled(before)
    return diff(first, compiled(after, {}, { previous: first })).families.flatMap(
      ({ staleConnections }) => staleConnections,
    )
  }
  const toClusterIP = { kind: 'address', protocol: 'UDP', address: '10.96.0.5' }

  it('are deleted once when the Service is removed', () => {
    const two = named('a', {
      clusterIP: '10.96.0.5',
      ports: [
        { name: 'x', port: 53, protocol: 'UDP' },
        { name: 'y', port: 54, protocol: 'UDP' },
      ],
    })
    expect(staleAfter([two, named('b')], [named('b')])).toEqual([toClusterIP])
    expect(staleAfter([dns('a', '10.96.0.5')], [{ ...dns('a', 'None') }])).toEqual([toClusterIP])
  })

  it('are kept when the Service changes or is added', () => {
    expect(staleAfter([dns('a', '10.96.0.5')], [dns('a', '10.96.0.6')])).toEqual([])
    expect(staleAfter([], [dns('a', '10.96.0.5')])).toEqual([])
    expect(staleAfter([named('a')], [])).toEqual([])
    const tcp = named('a', { clusterIP: '10.96.0.5', ports: [{ name: 'dns', port: 53 }] })
    expect(staleAfter([dns('a', '10.96.0.5')], [tcp])).toEqual([])
  })

  it('are deleted in both families, even if only one family has rules', () => {
    const first = compiled([dns('six', 'fd00::5')], {}, { families: ['IPv4', 'IPv6'] })
    const after = compiled([], {}, { families: ['IPv4', 'IPv6'], previous: first })
    expect(diff(first, after).families).toMatchObject([
      { family: 'IPv6', staleConnections: [{ kind: 'address', protocol: 'UDP', address: 'fd00::5' }] },
    ])
  })

  it('are deleted if the mode changes from or to userspace mode', () => {
    const endpointSlices = [
      slice(at('10.244.1.1'), { name: 'a-1', service: 'a', ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] }),
    ]
    const of = (mode: 'iptables' | 'userspace') =>
      compile(
        { services: [dns('a', '10.96.0.5')], endpointSlices, nodes: [NODE], host: HOST },
        { mode, families: ['IPv4'] },
      )
    const stale = (before: CompileResult, after: CompileResult) =>
      diff(before, after).families.flatMap(({ staleConnections }) => staleConnections)
    expect(stale(of('userspace'), of('iptables'))).toEqual([toClusterIP])
    expect(stale(of('iptables'), of('userspace'))).toEqual([toClusterIP])
  })
})

describe('userspace mode', () => {
  it('reports limitations for the service ports that they affect', () => {
    const sctp = named('sctp', { ports: [{ name: 'x', port: 1, protocol: 'SCTP' }] })
    const local = named('local', { internalTrafficPolicy: 'Local', clusterIP: '10.96.0.2' })
    const ranges = named(
      'ranges',
      { loadBalancerSourceRanges: ['10.0.0.0/8'], clusterIP: '10.96.0.3' },
      { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
    )
    const codes = saidOf(compiled([sctp, local, ranges, named('plain', { clusterIP: '10.96.0.4' })])).flatMap(
      (line) => /modeLimitation: (\S+) over IPv4: .* \((\w+)\)$/.exec(line)?.slice(1).join(' ') ?? [],
    )
    expect(codes).toEqual([
      'ns1/local:http/TCP policiesIgnored',
      'ns1/ranges:http/TCP sourceRangesIgnored',
      'ns1/sctp:x/SCTP noSctp',
    ])
  })

  it('has no health checks, and merges ports with the same name', () => {
    const ports = [
      { name: 'x', port: 80 },
      { name: 'x', port: 81, protocol: 'UDP' as const },
    ]
    const result = compiled([
      named('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000, ports }),
    ])
    expect(result.families[0]?.healthCheckNodePorts).toEqual([])
    expect(result.counts.servicePorts).toBe(1)
    expect(rulesOf(result).every((line) => line.includes('-p udp'))).toBe(true)
    expect(saidOf(result)).toContain('warning invalidValue: replaces a port of the same name')
  })

  it('distributes packets equally to ready endpoints, and sends none if no endpoint is ready', () => {
    const endpointSlices = [
      slice([...at('10.244.1.1', '10.244.2.1'), { addresses: ['10.244.3.1'], conditions: { ready: false } }], {
        service: 'a',
        name: 'a-1',
      }),
    ]
    const plan = compiled([named('a'), named('b', { clusterIP: '10.96.0.2' })], { endpointSlices }).families[0]?.plan
    if (plan === undefined) throw new Error('IPv4 was not compiled')
    const decision = decide(plan, packet('10.244.1.1', '10.96.0.1:80'))
    expect(
      decision.kind === 'proxy' &&
        decision.candidates.map(({ endpoint, weight, masquerade }) => [endpoint.text, weight.denominator, masquerade]),
    ).toEqual([
      ['10.244.1.1:8080', 2, true],
      ['10.244.2.1:8080', 2, true],
    ])
    expect(decide(plan, packet('10.244.1.1', '10.96.0.2:80'))).toMatchObject({ kind: 'proxy', candidates: [] })
  })
})

describe('userspace mode with hostile input', () => {
  it.each<[string, unknown]>([
    ['text instead of an object', 'ready'],
    ['an invalid load balancer', { loadBalancer: 7 }],
    ['an invalid ingress', { loadBalancer: { ingress: 'x' } }],
    ['invalid entries', { loadBalancer: { ingress: ['x', null, { ip: 1, hostname: {} }] } }],
  ])('accepts or reports a status with %s', (_what, status) => {
    const result = compiled([named('a', {}, status as Service['status'])])
    expect(result.diagnostics.length).toBeGreaterThan(0)
  })

  it.each<[string, unknown]>([
    ['text instead of an object', 'eth0'],
    ['invalid interfaces', { interfaces: ['eth0', { name: 'a' }, { name: 'b', addresses: [7, 'x'] }] }],
    ['invalid ports', { proxyPorts: ['x'] }],
  ])('reports a host with %s', (_what, host) => {
    const result = compiled([named('a')], { host: host as HostFacts })
    expect(result.diagnostics.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0)
    expect(rulesOf(result)).toHaveLength(2)
  })

  it('ignores hostile names of service ports in proxyPorts', () => {
    const proxyPorts = { __proto__: 1, 'a"\n-A INPUT -j ACCEPT': 40001, constructor: 40002 }
    const result = compiled([named('a')], { host: { ...HOST, proxyPorts } })
    expect(rulesOf(result)).toHaveLength(2)
    expect(saidOf(result).every((line) => line.startsWith('info'))).toBe(true)
  })
})
