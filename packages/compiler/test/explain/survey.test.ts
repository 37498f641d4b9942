import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compile.js'
import { parseIptables } from '../../src/dataplane/iptables/parse.js'
import { printSurvey } from '../../src/explain/print-survey.js'
import { sampleSource, sourceOf } from '../../src/explain/sample-source.js'
import { nodePortAddress, sourceFacts, survey } from '../../src/explain.js'
import { dumpedRules, type NodeRules, nodeRules } from '../../src/node-rules.js'
import { trace } from '../../src/trace.js'
import { cidr } from '../support/decisions.js'
import { printFamily } from '../support/print-family.js'

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

const iptables = compile(input, { mode: 'iptables', families: ['IPv4'] })
const ipvs = compile(input, { mode: 'ipvs', families: ['IPv4'] })

// The policy Local of the node port: pods and the node reach both endpoints, others the one on the node.
const EXPECTED = `service port          frontend               from a pod   from the node             from outside
default/empty/TCP     10.96.0.3:80/TCP       rejected     rejected                  rejected
default/web:http/TCP  10.96.0.1:80/TCP       2 endpoints  2 endpoints, masqueraded  2 endpoints, masqueraded
default/web:http/TCP  192.168.0.2:30080/TCP  2 endpoints  2 endpoints, masqueraded  1 endpoint
`

describe('the survey of a compiled node', () => {
  it('has a row for each frontend of the plan', () => {
    const rules = nodeRules(iptables, 'IPv4') as NodeRules
    const plan = iptables.families[0]?.plan
    expect(printSurvey(survey(rules, { plan }))).toBe(EXPECTED)
  })

  it('shows what mode ipvs does otherwise', () => {
    const rules = nodeRules(ipvs, 'IPv4') as NodeRules
    const rows = survey(rules, { plan: ipvs.families[0]?.plan })
    expect(rows.at(-1)).toEqual({
      frontend: { owner: 'default/web:http/TCP', protocol: 'TCP', address: '192.168.0.2', port: 30080 },
      outcomes: { pod: '1 endpoint', node: '1 endpoint', outside: '1 endpoint' },
    })
  })
})

describe('the survey of a dump', () => {
  const parsed = parseIptables(printFamily(iptables, { family: 'IPv4', spelling: 'save' }), 'IPv4')
  const dump = parsed.ok ? { families: [{ family: 'IPv4' as const, iptables: parsed.state }] } : { families: [] }

  it('has a row for each destination that the rules look for, under the service port they belong to', () => {
    const rows = survey(dumpedRules(dump, 'IPv4', ['127.0.0.1', '192.168.0.2']))
    const compiled = survey(nodeRules(iptables, 'IPv4') as NodeRules, { plan: iptables.families[0]?.plan })
    expect(rows).toEqual(expect.arrayContaining([...compiled]))
    expect(rows).toHaveLength(3)
  })

  it('leaves out what cannot be tried without an address of the node', () => {
    const rows = survey(dumpedRules(dump, 'IPv4'))
    expect(rows.map(({ frontend }) => frontend.port).sort()).toEqual([80, 80])
    expect(rows[0]?.outcomes).not.toHaveProperty('node')
    expect(printSurvey(rows).split('\n')[0]).not.toContain('from the node')
  })

  it('has the virtual servers of mode ipvs', () => {
    const {
      virtualServers,
      ipsets,
      iptables: state,
    } = (ipvs.mode === 'ipvs' ? ipvs.families[0]?.state : undefined) ?? {}
    const families = state ? [{ family: 'IPv4' as const, iptables: state }] : []
    const rules = dumpedRules({ families, ipset: ipsets, ipvs: virtualServers }, 'IPv4', ['192.168.0.2'])
    expect(rules.boundAddresses).toEqual(['10.96.0.1', '10.96.0.3'])
    expect(
      survey(rules)
        .map(({ frontend: { address, port } }) => `${address}:${port}`)
        .sort(),
    ).toEqual(['10.96.0.1:80', '10.96.0.3:80', '192.168.0.2:30080'])
  })

  it('names the service ports of virtual servers where they are known', () => {
    const rules = nodeRules(ipvs, 'IPv4') as NodeRules
    expect(
      survey(rules)
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
    const owners = trace(rules, packet).map(({ steps }) =>
      steps.filter(({ by }) => by === 'ipvs').map(({ owner }) => owner),
    )
    expect(owners).toEqual(Array(2).fill(['default/web:http/TCP', 'default/web:http/TCP']))
  })

  it('says what it depends on', () => {
    const text = [
      '*nat',
      ':KUBE-SERVICES - [0:0]',
      '-A PREROUTING -j KUBE-SERVICES',
      '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -m hashlimit --hashlimit-upto 5/sec -j DNAT --to-destination 10.244.1.1:80',
      'COMMIT\n',
    ].join('\n')
    const state = parseIptables(text, 'IPv4')
    if (!state.ok) throw new Error(JSON.stringify(state.errors))
    const rules = dumpedRules({ families: [{ family: 'IPv4', iptables: state.state }] }, 'IPv4', ['192.168.0.2'])
    expect(survey(rules)[0]?.outcomes.outside).toBe('depends: 1 endpoint or passes')
  })
})

describe('where sample packets come from', () => {
  const facts = { family: 'IPv4', addresses: ['127.0.0.1', '169.254.1.1', '192.168.0.2'] } as const

  it.each([
    ['pod', { by: 'cidr', cidr: cidr('10.244.0.0/16') }, { source: '10.244.0.254' }],
    ['pod', { by: 'cidr', cidr: cidr('10.244.7.16/28') }, { source: '10.244.7.16' }],
    ['pod', { by: 'cidr', cidr: cidr('fd00:244::/64') }, { source: 'fd00:244::fffe' }],
    ['pod', { by: 'interface', interface: 'cni0' }, { source: '192.0.2.10', inInterface: 'cni0' }],
    ['pod', { by: 'interfacePrefix', prefix: 'veth' }, { source: '192.0.2.10', inInterface: 'veth0' }],
    ['outside', { by: 'interface', interface: 'eth0' }, { source: '198.51.100.1', inInterface: 'eth1' }],
    ['outside', { by: 'interfacePrefix', prefix: 'veth' }, { source: '198.51.100.1', inInterface: 'eth0' }],
    ['outside', undefined, { source: '198.51.100.1', inInterface: undefined }],
    ['node', undefined, { source: '192.168.0.2' }],
  ] as const)('%s, told by %o: %o', (origin, podTraffic, expected) => {
    expect(sampleSource(origin, { ...facts, podTraffic })).toEqual({ origin, ...expected })
  })

  it('is nowhere for the node where its addresses are not known', () => {
    expect(sampleSource('node', { family: 'IPv4' })).toBeUndefined()
    expect(sampleSource('node', { family: 'IPv4', addresses: ['127.0.0.1'] })).toBeUndefined()
  })

  it.each([
    ['192.168.0.2', 'node'],
    ['10.244.3.3', 'pod'],
    ['203.0.113.2', 'outside'],
  ])('%s is %s', (address, origin) => {
    const podTraffic = { by: 'cidr', cidr: cidr('10.244.0.0/16') } as const
    expect(sourceOf(address, { ...facts, podTraffic })).toMatchObject({ source: address, origin })
  })

  it('is read from the rules where there is no plan', () => {
    const read = (configuration: object) => {
      const result = compile({ ...input, configuration }, { mode: 'iptables', families: ['IPv4'] })
      return sourceFacts(nodeRules(result, 'IPv4') as NodeRules).podTraffic
    }
    expect(read({ clusterCIDR: '10.244.0.0/16' })).toEqual({ by: 'cidr', cidr: cidr('10.244.0.0/16') })
    expect(read({ detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cni0' } })).toEqual({
      by: 'interface',
      interface: 'cni0',
    })
    expect(read({ detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } })).toEqual({
      by: 'interfacePrefix',
      prefix: 'veth',
    })
    expect(read({})).toBeUndefined()
  })

  it('serves node ports on the own IP of the node, if on any', () => {
    const rules = nodeRules(iptables, 'IPv4') as NodeRules
    expect(nodePortAddress(rules, iptables.families[0]?.plan)).toBe('192.168.0.2')
    expect(nodePortAddress(rules)).toBe('192.168.0.2')
    expect(nodePortAddress({ family: 'IPv4' })).toBeUndefined()
    const plan = iptables.families[0]?.plan
    const selected = plan && { ...plan, nodePorts: { all: false, addresses: ['192.168.1.2'] } }
    expect(nodePortAddress(rules, selected)).toBe('192.168.1.2')
  })
})
