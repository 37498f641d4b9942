import type { KubeProxyConfiguration } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { print } from '../../../compiler/src/print/print.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { cidr } from '../../../compiler/test/support/decisions.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { classifySource, createExampleSource } from '../../src/explain/example-source.js'
import { createSourceContext, explain, findNodePortAddress, traceAllFrontends } from '../../src/explain/explain.js'
import { isDelivered, summarizeReason } from '../../src/explain/reachability.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { printReachability } from '../../src/view/print-texts.js'

const input = {
  services: [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        type: 'NodePort',
        clusterIP: '10.96.0.1',
        externalTrafficPolicy: 'Local',
        ports: [{ name: 'http', port: 80, nodePort: 30080 }],
      },
    },
    { metadata: { namespace: 'default', name: 'empty' }, spec: { clusterIP: '10.96.0.3', ports: [{ port: 80 }] } },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [
        { addresses: ['10.244.1.1'], nodeName: 'node-1' },
        { addresses: ['10.244.2.1'], nodeName: 'node-2' },
      ],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

function compiled(mode: ProxyMode, configuration: KubeProxyConfiguration = input.configuration): FamilyResult {
  const [family] = compile({ ...input, configuration }, { mode, families: ['IPv4'] }).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  return family
}

const iptables = compiled('iptables')
const ipvs = compiled('ipvs')

/** Builds the reachability table of compiled rules, with the known facts of their plan. */
function reachabilityOf({ state, plan }: Pick<FamilyResult, 'state' | 'plan'>) {
  return traceAllFrontends(state, { ...traceContextFor(plan), plan })
}

/** Returns the reachability table of each family. Discards a generated case without frontends. */
function tablesOf({ families }: CompileResult) {
  const tables = families.map(({ state, plan }) => ({ state, plan, rows: reachabilityOf({ state, plan }) }))
  fc.pre(tables.some(({ rows }) => rows.length > 0))
  return tables
}

function sourcesOf(state: NodeState, plan: Plan) {
  const facts = createSourceContext(state, traceContextFor(plan), plan)
  return (['pod', 'node', 'outside'] as const).flatMap((origin) => createExampleSource(origin, facts) ?? [])
}

// The node port has policy Local: pods and the node reach both endpoints, and external senders reach the endpoint on
// the node.
const EXPECTED = `service port          frontend               from a pod   from the node             from outside              why
default/empty/TCP     10.96.0.3:80/TCP       rejected     rejected                  rejected                  no endpoints
default/web:http/TCP  10.96.0.1:80/TCP       2 endpoints  2 endpoints, masqueraded  2 endpoints, masqueraded  pod: policy Cluster; node, outside: not from a pod
default/web:http/TCP  192.168.0.2:30080/TCP  2 endpoints  2 endpoints, masqueraded  1 endpoint                pod, node: all endpoints, as through the cluster IP; outside: policy Local
`

describe('the reachability table of a compiled node', () => {
  it('has a row for each frontend of the plan', () => {
    expect(printReachability(reachabilityOf(iptables))).toBe(EXPECTED)
  })

  it('shows the limitations of ipvs mode', () => {
    const row = reachabilityOf(ipvs).at(-1)
    const all = 'all endpoints, as through the cluster IP'
    expect(row).toEqual({
      frontend: {
        owner: 'default/web:http/TCP',
        protocol: 'TCP',
        address: '192.168.0.2',
        port: 30080,
        kind: 'nodePort',
      },
      outcomes: { pod: '1 endpoint', node: '1 endpoint', outside: '1 endpoint' },
      reason: {
        pod: { reason: all, expectedOutcome: '10.244.1.1:8080, 10.244.2.1:8080', divergence: 'drift' },
        node: {
          reason: all,
          expectedOutcome: '10.244.1.1:8080, masqueraded, 10.244.2.1:8080, masqueraded',
          divergence: 'drift',
        },
        outside: { reason: 'policy Local' },
      },
    })
    expect(row && printReachability([row]).split('\n')[1]).toContain(
      `pod: the objects define a different outcome: 10.244.1.1:8080, 10.244.2.1:8080 (${all}); node: the objects`,
    )
  })

  it('distinguishes mode limitations from rules that differ from the plan', () => {
    const { state, plan } = ipvs
    const [row] = traceAllFrontends(state, { ...traceContextFor(plan), plan, compiled: state }).slice(-1)
    expect([row?.reason?.pod?.divergence, row?.reason?.outside?.divergence]).toEqual(['modeLimitation', undefined])
    expect(row && printReachability([row])).toContain(
      'the objects define a different outcome, because of a limitation of this mode: 10.244.1.1:8080',
    )
  })

  it.each(PROXY_MODES)('matches the decisions of the plan for all frontends in %s mode', (mode) => {
    fc.assert(
      fc.property(cases, (each) => {
        const options = optionsOfMode(each.options, mode)
        const tables = tablesOf(compileCase({ cluster: understoodCluster(each.cluster, options), options }))
        for (const { state, plan, rows } of tables) {
          for (const { frontend, reason: reasons } of rows) {
            for (const source of sourcesOf(state, plan)) {
              const { address: destination, port: destinationPort, protocol } = frontend
              const packet = { ...source, protocol, destination, destinationPort }
              const { reason: why } = explain(state, packet, { ...traceContextFor(plan), plan })
              const reason = reasons?.[source.origin]
              expect(reason?.reason).toBe(summarizeReason(decide(plan, packet), plan))
              expect(reason?.divergence).toBe(why?.divergence)
            }
          }
        }
      }),
      { numRuns: runs(8) },
    )
  })
})

describe('the reachability table of a dump', () => {
  const dumped = (text: string) => annotateOwners(readDump(text).IPv4)
  const state = dumped(print(iptables.state, { format: 'save' }))
  const addresses = ['192.168.0.2']

  it('has a row for each destination that rules match, and names its service port', () => {
    const rows = traceAllFrontends(state, { addresses: ['127.0.0.1', '192.168.0.2'] })
    const compiledRows = reachabilityOf(iptables).map(({ frontend: { kind, ...frontend }, outcomes }) => ({
      // Without a plan, the rules only show whether a frontend is a node port, not the kind of its address.
      frontend: kind === 'nodePort' ? { ...frontend, kind } : frontend,
      outcomes,
    }))
    expect(rows).toEqual(expect.arrayContaining(compiledRows))
    expect(rows).toHaveLength(3)
  })

  it('omits traffic that depends on an unknown node address', () => {
    const rows = traceAllFrontends(state)
    expect(rows.map(({ frontend }) => frontend.port).sort()).toEqual([80, 80])
    expect(rows[0]?.outcomes).not.toHaveProperty('node')
    expect(printReachability(rows).split('\n')[0]).not.toContain('from the node')
  })

  it('contains the virtual servers of ipvs mode', () => {
    const { iptables: tables, ipset, ipvs: servers } = ipvs.state
    const texts = [{ iptables: tables }, { ipset }, { ipvs: servers }].map((part) =>
      print({ family: 'IPv4', ...part }, { format: 'save' }),
    )
    const live = dumped(texts.join(''))
    // The addresses are inferred from a set, because the dump has no output of `ip`.
    expect(live.addresses).toEqual({ addresses: ['10.96.0.1', '10.96.0.3'] })
    const rows = traceAllFrontends(live, { addresses })
    expect(rows.map(({ frontend: { address, port } }) => `${address}:${port}`).sort()).toEqual([
      '10.96.0.1:80',
      '10.96.0.3:80',
      '192.168.0.2:30080',
    ])
    expect(rows.find(({ frontend }) => frontend.address === '10.96.0.1')?.outcomes.pod).toBe('2 endpoints')
  })

  it('contains the service ports of virtual servers if the owners are known', () => {
    const traceContext = traceContextFor(ipvs.plan)
    expect(
      traceAllFrontends(ipvs.state, traceContext)
        .map(({ frontend: { owner, port } }) => `${owner} ${port}`)
        .sort(),
    ).toEqual(['default/empty/TCP 80', 'default/web:http/TCP 30080', 'default/web:http/TCP 80'])
    const packet = {
      origin: 'pod',
      protocol: 'TCP',
      source: '10.244.1.9',
      destination: '10.96.0.1',
      destinationPort: 80,
    } as const
    const owners = trace(ipvs.state, packet, traceContext).map(({ steps }) =>
      steps.filter(({ table }) => table === 'ipvs').map(({ servicePort }) => servicePort),
    )
    expect(owners).toEqual(Array(2).fill(['default/web:http/TCP', 'default/web:http/TCP']))
  })

  it('states that an outcome depends on a condition', () => {
    const text = [
      '*nat',
      ':KUBE-SERVICES - [0:0]',
      '-A PREROUTING -j KUBE-SERVICES',
      '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -m hashlimit --hashlimit-upto 5/sec -j DNAT --to-destination 10.244.1.1:80',
      'COMMIT\n',
    ].join('\n')
    expect(traceAllFrontends(dumped(text), { addresses })[0]?.outcomes.outside).toBe('depends: 1 endpoint or unmatched')
  })
})

describe('isDelivered', () => {
  const frontend = { owner: '', protocol: 'TCP', address: '10.96.0.1', port: 80 } as const

  it.each([
    ['1 endpoint', true],
    ['12 endpoints, masqueraded', true],
    ['2 endpoints, some masqueraded, from a partial dump', true],
    ['to the proxy, at port 40000', true],
    ['to local port 30080 of the node', false],
    ['depends: 1 endpoint or dropped', false],
    ['rejected', false],
    ['cannot be determined without the table filter', false],
  ])('returns for the outcome %s: %s', (outcome, expected) => {
    expect(isDelivered({ frontend, outcomes: { pod: outcome } }, 'pod')).toBe(expected)
  })

  it('returns false for an origin that was not traced', () => {
    expect(isDelivered({ frontend, outcomes: { pod: '1 endpoint' } }, 'node')).toBe(false)
  })

  it.each(PROXY_MODES)('returns true in %s mode if all paths end at endpoints, or at one port of the proxy', (mode) => {
    fc.assert(
      fc.property(cases, (each) => {
        const options = optionsOfMode(each.options, mode)
        const tables = tablesOf(compileCase({ cluster: understoodCluster(each.cluster, options), options }))
        for (const { state, plan, rows } of tables) {
          for (const row of rows) {
            const { address: destination, port: destinationPort, protocol } = row.frontend
            for (const source of sourcesOf(state, plan)) {
              const packet = { ...source, protocol, destination, destinationPort }
              const ends = trace(state, packet, traceContextFor(plan)).map(({ outcome }) =>
                outcome.kind === 'proxy' ? outcome.port : outcome.kind,
              )
              const [end] = ends
              const isSame = ends.every((each) => each === end)
              expect(isDelivered(row, source.origin)).toBe(isSame && (end === 'delivered' || typeof end === 'number'))
            }
          }
        }
      }),
      { numRuns: runs(8) },
    )
  })
})

describe('createExampleSource', () => {
  const facts = { family: 'IPv4', addresses: ['127.0.0.1', '169.254.1.1', '192.168.0.2'] } as const

  it.each([
    ['pod', { kind: 'cidr', cidr: cidr('10.244.0.0/16') }, { source: '10.244.0.254' }],
    ['pod', { kind: 'cidr', cidr: cidr('10.244.7.16/28') }, { source: '10.244.7.16' }],
    ['pod', { kind: 'cidr', cidr: cidr('fd00:244::/64') }, { source: 'fd00:244::fffe' }],
    ['pod', { kind: 'interface', interface: 'cni0' }, { source: '192.0.2.10', inInterface: 'cni0' }],
    ['pod', { kind: 'interfacePrefix', prefix: 'veth' }, { source: '192.0.2.10', inInterface: 'veth0' }],
    ['outside', { kind: 'interface', interface: 'eth0' }, { source: '198.51.100.1', inInterface: 'eth1' }],
    ['outside', { kind: 'interfacePrefix', prefix: 'veth' }, { source: '198.51.100.1', inInterface: 'eth0' }],
    ['outside', undefined, { source: '198.51.100.1', inInterface: undefined }],
    ['node', undefined, { source: '192.168.0.2' }],
  ] as const)(
    'returns for %s and local-traffic detection by %o the source %o',
    (origin, localTrafficDetection, expected) => {
      expect(createExampleSource(origin, { ...facts, localTrafficDetection })).toEqual({ origin, ...expected })
    },
  )

  it('returns undefined for the node if its addresses are unknown', () => {
    expect(createExampleSource('node', { family: 'IPv4' })).toBeUndefined()
    expect(createExampleSource('node', { family: 'IPv4', addresses: ['127.0.0.1'] })).toBeUndefined()
  })

  it.each([
    ['192.168.0.2', 'node'],
    ['10.244.3.3', 'pod'],
    ['203.0.113.2', 'outside'],
  ])('assigns to the address %s the origin %s', (address, origin) => {
    const localTrafficDetection = { kind: 'cidr', cidr: cidr('10.244.0.0/16') } as const
    expect(classifySource(address, { ...facts, localTrafficDetection })).toMatchObject({ source: address, origin })
  })

  it('derives the source from the rules if there is no plan', () => {
    const read = (configuration: KubeProxyConfiguration) =>
      createSourceContext(compiled('iptables', configuration).state, {}).localTrafficDetection
    expect(read({ clusterCIDR: '10.244.0.0/16' })).toEqual({ kind: 'cidr', cidr: cidr('10.244.0.0/16') })
    expect(read({ detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cni0' } })).toEqual({
      kind: 'interface',
      interface: 'cni0',
    })
    expect(read({ detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } })).toEqual({
      kind: 'interfacePrefix',
      prefix: 'veth',
    })
    expect(read({})).toBeUndefined()
  })

  it('has the primary address for the node if that address serves node ports', () => {
    const { plan } = iptables
    const traceContext = traceContextFor(plan)
    expect(findNodePortAddress(traceContext, plan)).toBe('192.168.0.2')
    expect(findNodePortAddress(traceContext)).toBe('192.168.0.2')
    expect(findNodePortAddress({})).toBeUndefined()
    const selected = { ...plan, nodePorts: { all: false, addresses: ['192.168.1.2'] } }
    expect(findNodePortAddress(traceContext, selected)).toBe('192.168.1.2')
  })
})
