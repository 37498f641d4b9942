import { describe, expect, it } from 'vitest'
import { FRONTEND_READERS } from '../../../../analyzer/src/explain/explain.js'
import { LOCAL_TRAFFIC_DETECTION_READERS } from '../../../../analyzer/src/targets/local-traffic-detection-readers.js'
import { readFrontends } from '../../../../analyzer/src/targets/nftables/read-frontends.js'
import { annotateOwners } from '../../../../analyzer/src/verify/annotate-owners.js'
import { cleanUp } from '../../../src/commands/clean-up.js'
import type { LocalTrafficDetection } from '../../../src/model/node/local-traffic-detection.js'
import { print } from '../../../src/print/print.js'
import { nftablesLowering } from '../../../src/targets/nftables/mode-lowering.js'
import { cidr, planOf } from '../../support/decisions.js'
import { allParts } from '../../support/lower.js'
import { endpoint, features, servicePort } from '../../support/model-builder.js'
import { afterNft } from '../../support/nft-interpreter.js'
import { nftablesOf } from '../../support/nftables-states.js'
import { readDump } from '../../support/read-dump.js'

const port = servicePort({ endpoints: [endpoint()], nodePort: 3001, externalIPs: ['192.0.2.1'] })
const idle = servicePort({ name: 'svc2', clusterIP: '172.30.0.42', nodePort: 3002, protocol: 'SCTP' })

describe('the frontends that nftables mode reads from rules', () => {
  const expected = [
    { protocol: 'SCTP', address: '172.30.0.42', port: 80, owner: 'ns1/svc2:p80/SCTP' },
    { protocol: 'SCTP', address: undefined, port: 3002, owner: 'ns1/svc2:p80/SCTP' },
    { protocol: 'TCP', address: '172.30.0.41', port: 80, owner: 'ns1/svc1:p80/TCP' },
    { protocol: 'TCP', address: '192.0.2.1', port: 80, owner: 'ns1/svc1:p80/TCP' },
    { protocol: 'TCP', address: undefined, port: 3001, owner: 'ns1/svc1:p80/TCP' },
  ]

  it('are the map elements, with owners if the state has owners', () => {
    const state = nftablesOf([port, idle])
    expect(FRONTEND_READERS.nftables(state)).toEqual(expected)
    const dumped = readDump(print(state, { format: 'save' })).IPv4
    expect(FRONTEND_READERS.nftables(dumped).map(({ owner }) => owner)).toEqual(expected.map(() => ''))
    expect(new Set(FRONTEND_READERS.nftables(annotateOwners(dumped)))).toEqual(new Set(expected))
  })

  it('are distinct even if a drop and a short circuit have the same key', () => {
    const external = servicePort({ externalIPs: ['192.0.2.1'], externalPolicyLocal: true, endpoints: [endpoint()] })
    const found = FRONTEND_READERS.nftables(nftablesOf([external])).map(({ address }) => address)
    expect(found).toEqual(['192.0.2.1', '172.30.0.41'])
  })

  it('include neither elements of other tables nor elements with other keys', () => {
    expect(FRONTEND_READERS.nftables({ family: 'IPv4' })).toEqual([])
    const map = { kind: 'map', key: { kind: 'type', types: [] }, data: ['verdict'] } as const
    const elements = [{ key: 'eth0 . 80' }, { key: '10.0.0.1' }]
    const table = { family: 'ip', chains: [], objects: [], sets: [{ ...map, name: 'service-ips', elements }] } as const
    expect(readFrontends({ tables: [{ ...table, name: 'kube-proxy' }] })).toEqual([])
    const good = { ...table, sets: [{ ...map, name: 'service-ips', elements: [{ key: '10.0.0.1 . tcp . 80' }] }] }
    expect(readFrontends({ tables: [{ ...good, name: 'other' }] })).toEqual([])
    expect(readFrontends({ tables: [{ ...good, name: 'kube-proxy' }] })).toHaveLength(1)
  })
})

describe('the local traffic detection that nftables mode reads from rules', () => {
  it.each<[LocalTrafficDetection, string]>([
    [{ kind: 'cidr', cidr: cidr('10.244.0.0/16') }, '1.37'],
    [{ kind: 'cidr', cidr: cidr('10.244.0.0/16') }, '1.30'],
    [{ kind: 'interface', interface: 'cbr0' }, '1.37'],
    [{ kind: 'interface', interface: 'cbr0' }, '1.33'],
    [{ kind: 'interfacePrefix', prefix: 'cali' }, '1.37'],
    [{ kind: 'interfacePrefix', prefix: 'cali' }, '1.33'],
  ])('is %j if the rules are from %s', (localTrafficDetection, version) => {
    const state = nftablesOf([port], { node: { localTrafficDetection }, version })
    expect(LOCAL_TRAFFIC_DETECTION_READERS.nftables(state)).toEqual(localTrafficDetection)
    const dumped = readDump(print(state, { format: 'save' })).IPv4
    expect(LOCAL_TRAFFIC_DETECTION_READERS.nftables(dumped)).toEqual(localTrafficDetection)
  })

  it('is undefined if the rules masquerade no packets or all packets', () => {
    expect(
      LOCAL_TRAFFIC_DETECTION_READERS.nftables(nftablesOf([port], { node: { localTrafficDetection: undefined } })),
    ).toBeUndefined()
    expect(
      LOCAL_TRAFFIC_DETECTION_READERS.nftables(nftablesOf([port], { settings: { masqueradeAll: true } })),
    ).toBeUndefined()
    expect(LOCAL_TRAFFIC_DETECTION_READERS.nftables({ family: 'IPv4' })).toBeUndefined()
    for (const rule of ['tcp dport != 80 meta mark set meta mark | 0x00004000', 'ip saddr != 10.244.0.0/16 drop']) {
      const other = readDump(`table ip kube-proxy {\n\tchain services {\n\t\t${rule}\n\t}\n}\n`).IPv4
      expect(LOCAL_TRAFFIC_DETECTION_READERS.nftables(other)).toBeUndefined()
    }
    expect(annotateOwners({ family: 'IPv4' })).toEqual({ family: 'IPv4' })
  })
})

describe('cleanUp in nftables mode', () => {
  it('removes only the table of the family', () => {
    const state = nftablesOf([port])
    const other = 'table ip filter {\n}\n'
    const dumped = readDump(other + print(state, { format: 'save' })).IPv4
    const runs = cleanUp(dumped, { mode: 'nftables' })
    expect(runs).toEqual([
      { tool: 'nft', args: ['-f', '-'], input: 'delete table ip kube-proxy\n', purpose: 'remove the table' },
    ])
    const tables = runs.reduce((held, { input }) => afterNft(held, input), dumped.nftables?.tables ?? [])
    expect(tables.map(({ name }) => name)).toEqual(['filter'])
  })

  it('removes nothing if the table does not exist', () => {
    expect(cleanUp({ family: 'IPv6' }, { mode: 'nftables' })).toEqual([])
    expect(cleanUp(readDump('table ip other {\n}\n').IPv4, { mode: 'nftables' })).toEqual([])
    const six = nftablesOf([], { family: 'IPv6' })
    expect(cleanUp(six, { mode: 'nftables' }).map(({ input }) => input)).toEqual(['delete table ip6 kube-proxy\n'])
  })
})

describe('nftablesLowering', () => {
  const lowered = (ports: Parameters<typeof planOf>[0]) => {
    const plan = planOf(ports, { settings: { features: features({}, 'nftables') } })
    const lowering = nftablesLowering.lowering(plan)
    const [service] = plan.services
    if (service === undefined) throw new Error('no service')
    return { plan, lowering, service, part: nftablesLowering.lowerService(service, lowering) }
  }

  it('counts chains and rules', () => {
    const { part, plan } = lowered([port])
    expect(nftablesLowering.countParts([part])).toEqual({ chains: 2, rules: 3 })
    const { counts, diagnostics } = nftablesLowering.assemble(allParts(nftablesLowering, [part]), plan)
    // 8 base chains with 11 rules; 7 regular chains with 1 + 1 + 1 + 3 + 2 + 1 + 1 rules; 2 chains with 3 rules.
    expect(counts).toEqual({ chains: 17, rules: 24 })
    expect(diagnostics).toEqual([])
  })

  it('has no host requirements and accepts any settings', () => {
    const { plan } = lowered([port])
    expect(nftablesLowering.hostRequirements(plan.kernel)).toBeUndefined()
    expect(nftablesLowering.validate(plan.kernel)).toEqual([])
  })
})
