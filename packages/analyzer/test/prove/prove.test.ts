import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { at, loadBalancer, service, slice } from '../../../compiler/test/support/objects.js'
import { packetsIn } from '../../../compiler/test/support/packet-space.js'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { findExplainingLimitations } from '../../src/compare/find-explaining-limitations.js'
import { type Proof, prove } from '../../src/prove/prove.js'
import { createTracer } from '../../src/trace/trace.js'

const NODE = { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }

function compiled(
  mode: ProxyMode,
  more: Parameters<typeof service>[0] = {},
  endpoints: readonly string[] = ['10.244.1.5', '10.244.2.7'],
): CompileResult {
  const spec = { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }], ...more }
  const input = {
    services: [service(spec)],
    endpointSlices: [slice(at(...endpoints))],
    nodes: [NODE],
    configuration: { clusterCIDR: '10.244.0.0/16' },
  }
  return compile(input, { mode, nodeName: 'node-1', families: ['IPv4'] })
}

/** A copy of a result with another text in its state. */
function withRules(result: CompileResult, from: string, to: string): CompileResult {
  const text = JSON.stringify(result.families.map(({ state }) => state))
  if (!text.includes(from)) throw new Error(`no ${from}`)
  const states = JSON.parse(text.replaceAll(from, to)) as readonly FamilyResult['state'][]
  return {
    ...result,
    families: result.families.map((family, index) => ({ ...family, state: states[index] ?? family.state })),
  }
}

function counterexampleOf([proof]: readonly Proof[]) {
  const [found] = proof?.counterexamples ?? []
  return { verdict: proof?.verdict, packet: found?.packet, rules: found?.a.outcomes, plan: found?.b.outcomes }
}

describe('prove', () => {
  it.each(['iptables', 'ipvs', 'nftables'] as const)('proves the rules of one Service in %s mode', (mode) => {
    const [proof] = prove(compiled(mode))
    expect(proof).toMatchObject({
      family: 'IPv4',
      verdict: 'proven',
      counterexamples: [],
      inconclusive: [],
      notProven: [],
    })
    expect(proof?.classes).toBeGreaterThan(50)
  })

  it('lists each limitation of the mode with an example packet', () => {
    const [proof] = prove(compiled('nftables'))
    expect(proof?.limitations.map(({ code }) => code)).toEqual(['otherPortsRejected', 'remoteHairpin'])
    for (const { classes, packet } of proof?.limitations ?? []) {
      expect(classes).toBeGreaterThan(0)
      expect(packet.destination).toBe('10.96.0.1')
    }
  })

  it('refutes rules that send packets to another endpoint', () => {
    const wrong = withRules(compiled('iptables'), '"destination":"10.244.2.7:8080"', '"destination":"10.244.2.8:8080"')
    expect(counterexampleOf(prove(wrong))).toMatchObject({
      verdict: 'refuted',
      rules: { '10.244.1.5:8080, masqueraded': '1/2', '10.244.2.8:8080, masqueraded': '1/2' },
      plan: { '10.244.1.5:8080, masqueraded': '1/2', '10.244.2.7:8080, masqueraded': '1/2' },
    })
  })

  it('refutes rules with a wrong probability', () => {
    const wrong = withRules(compiled('iptables'), '"probability":"0.5000000000"', '"probability":"0.3333333333"')
    expect(counterexampleOf(prove(wrong))).toMatchObject({
      verdict: 'refuted',
      rules: { '10.244.1.5:8080, masqueraded': '1/3' },
    })
  })

  it('refutes rules that do not mark packets for masquerading', () => {
    const wrong = withRules(compiled('iptables'), '{"kind":"jump","chain":"KUBE-MARK-MASQ"}', '{"kind":"return"}')
    expect(prove(wrong)[0]?.verdict).toBe('refuted')
  })

  it('refutes rules with a wrong session-affinity timeout', () => {
    const affinity = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 100 } } }
    const right = compiled('iptables', affinity)
    expect(prove(right)[0]?.verdict).toBe('proven')
    expect(prove(withRules(right, '"seconds":100', '"seconds":101'))[0]?.verdict).toBe('refuted')
  })

  it('refutes rules if session affinity is missing or not requested', () => {
    const [without, withAffinity] = [compiled('ipvs'), compiled('ipvs', { sessionAffinity: 'ClientIP' })]
    const exchanged = (plans: CompileResult, rules: CompileResult) => ({
      ...plans,
      families: plans.families.map((family, index) => ({
        ...family,
        state: rules.families[index]?.state ?? family.state,
      })),
    })
    expect(prove(withAffinity)[0]?.verdict).toBe('proven')
    expect(prove(exchanged(withAffinity, without))[0]?.verdict).toBe('refuted')
    expect(prove(exchanged(without, withAffinity))[0]?.verdict).toBe('refuted')
  })

  it.each(['iptables', 'nftables'] as const)(
    'accepts another Service at an address of two Services, but refutes another endpoint, in %s mode',
    (mode) => {
      const first = service({}, { metadata: { namespace: 'ns1', name: 'a-first' } })
      const input = { services: [service(), first], endpointSlices: [slice(at('10.244.1.5'))], nodes: [NODE] }
      const contested = compile(input, { mode, nodeName: 'node-1', families: ['IPv4'] })
      const [proof] = prove(contested)
      expect(proof?.verdict).toBe('proven')
      expect(proof?.limitations.map(({ code }) => code)).toContain('contested')
      expect(prove(withRules(contested, '10.244.1.5', '10.244.1.6'))[0]?.verdict).toBe('refuted')
    },
  )

  it('accepts a rejected endpoint at an address of two Services only if both Services have the endpoint', () => {
    const node = '192.168.0.2'
    const winner = service({ externalIPs: [node] })
    const loser = service(
      { externalIPs: [node], clusterIP: '10.96.0.2' },
      { metadata: { namespace: 'ns1', name: 'a-first' } },
    )
    const ports = [{ name: 'http', port: 80 }]
    const input = {
      services: [loser, winner],
      endpointSlices: [slice(at('10.244.1.5', node), { ports })],
      nodes: [NODE],
    }
    const contested = compile(input, { mode: 'iptables', nodeName: 'node-1', families: ['IPv4'] })
    const [proof] = prove(contested)
    expect(proof?.counterexamples).toEqual([])
    expect(proof?.limitations.map(({ code }) => code)).toContain('contested')
    expect(prove(withRules(contested, '10.244.1.5', '10.244.1.6'))[0]?.verdict).toBe('refuted')
  })

  it('accepts masquerading for the other Service of an address in ipvs mode only if policies differ', () => {
    const claimants = (externalTrafficPolicy: string) => ({
      services: [
        service({ externalIPs: ['203.0.113.9'] }),
        service(
          { externalIPs: ['203.0.113.9'], clusterIP: '10.96.0.2', externalTrafficPolicy },
          { metadata: { namespace: 'ns1', name: 'a-first' } },
        ),
      ],
      endpointSlices: [
        slice(at('10.244.1.5')),
        slice([{ addresses: ['10.244.1.6'], nodeName: 'node-1' }], { name: 'a-first', service: 'a-first' }),
      ],
      nodes: [NODE],
      configuration: { clusterCIDR: '10.244.0.0/16' },
    })
    const codesOf = (policy: string) => {
      const [proof] = prove(compile(claimants(policy), { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] }))
      expect(proof?.counterexamples).toEqual([])
      return proof?.limitations.map(({ code }) => code)
    }
    expect(codesOf('Local')).toContain('sharedEntries')
    expect(codesOf('Cluster')).not.toContain('sharedEntries')
  })

  it('accepts the second Service of an address if the chain of the first Service has no endpoints', () => {
    // Without a node address for node ports, kube-proxy 1.20 skips the endpoints of a Service with a node port.
    const first = service(
      { type: 'NodePort', externalIPs: ['203.0.113.9'], ports: [{ name: 'http', port: 80, nodePort: 30080 }] },
      { metadata: { namespace: 'ns1', name: 'a-first' } },
    )
    const input = {
      services: [first, service({ externalIPs: ['203.0.113.9'], clusterIP: '10.96.0.2' })],
      endpointSlices: [slice(at('10.244.1.7'), { name: 'a-first', service: 'a-first' }), slice(at('10.244.1.5'))],
      nodes: [NODE],
      configuration: { nodePortAddresses: ['198.18.0.0/15'] },
    }
    const contested = compile(input, { nodeName: 'node-1', families: ['IPv4'], kubernetesVersion: '1.20' })
    const [proof] = prove(contested)
    expect(proof?.counterexamples).toEqual([])
    expect(proof?.limitations.map(({ code }) => code)).toContain('contested')
    expect(prove(withRules(contested, '10.244.1.5', '10.244.1.6'))[0]?.verdict).toBe('refuted')
  })

  it.each(['iptables', 'nftables'] as const)(
    'accepts a Service with an endpoint that the other Service of the address rejects in %s mode',
    (mode) => {
      const loser = service(
        { externalIPs: ['203.0.113.8', '203.0.113.9'] },
        { metadata: { namespace: 'ns1', name: 'a-first' } },
      )
      const input = {
        services: [loser, service({ externalIPs: ['203.0.113.9'], clusterIP: '10.96.0.2' })],
        endpointSlices: [slice(at('10.244.2.1', '203.0.113.8'), { ports: [{ name: 'http', port: 80 }] })],
        nodes: [NODE],
      }
      const contested = compile(input, { mode, nodeName: 'node-1', families: ['IPv4'] })
      const [proof] = prove(contested)
      expect(proof?.counterexamples).toEqual([])
      expect(proof?.limitations.map(({ code }) => code)).toContain('contested')
      expect(prove(withRules(contested, '10.244.2.1', '10.244.2.2'))[0]?.verdict).toBe('refuted')
    },
  )

  it('accepts in 1.21 that iptables rules of a Service mark packets, although another Service gets the address', () => {
    const named = (name: string) => ({
      metadata: { namespace: 'ns1', name },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    })
    const loser = service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.0/24'] }, named('a-first'))
    const winner = service(
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', clusterIP: '10.96.0.2' },
      named('web'),
    )
    const input = {
      services: [loser, winner],
      endpointSlices: [
        slice(at('10.244.1.7'), { name: 'a-first', service: 'a-first' }),
        slice([{ addresses: ['10.244.1.5'], nodeName: 'node-1' }]),
      ],
      nodes: [NODE],
    }
    const contested = compile(input, { nodeName: 'node-1', families: ['IPv4'], kubernetesVersion: '1.21' })
    const [proof] = prove(contested)
    expect(proof?.counterexamples).toEqual([])
    expect(proof?.limitations.map(({ code }) => code)).toEqual(expect.arrayContaining(['contested', 'markedToDrop']))
    expect(prove(withRules(contested, '10.244.1.5', '10.244.1.6'))[0]?.verdict).toBe('refuted')
  })

  it.each(['1.35', '1.36'])('accepts cluster-IP masquerading in nftables mode of %s', (kubernetesVersion) => {
    const claimants = {
      services: [
        service({ clusterIP: '10.96.0.5', externalIPs: ['10.96.0.1'], externalTrafficPolicy: 'Local' }),
        service({ clusterIP: '10.96.0.1' }, { metadata: { namespace: 'ns1', name: 'z-last' } }),
      ],
      endpointSlices: [slice([{ addresses: ['10.244.1.5'], nodeName: 'node-1' }])],
      nodes: [NODE],
      configuration: { nftables: { masqueradeAll: true } },
    }
    const options = { mode: 'nftables', nodeName: 'node-1', families: ['IPv4'], kubernetesVersion } as const
    const [proof] = prove(compile(claimants, options))
    expect(proof?.counterexamples).toEqual([])
    expect(proof?.limitations.some(({ code }) => code === 'externalClusterIP')).toBe(kubernetesVersion === '1.36')
  })

  it.each(['1.27', '1.30', '1.36'])(
    'accepts source ranges from the other Service of an address in ipvs mode of %s',
    (version) => {
      const status = { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } }
      const limited = (range: string) => ({ type: 'LoadBalancer', loadBalancerSourceRanges: [range] })
      const claimants = {
        services: [
          service(limited('192.168.0.0/16'), { status }),
          service(
            { ...limited('203.0.113.0/24'), clusterIP: '10.96.0.2' },
            { metadata: { namespace: 'ns1', name: 'z-last' }, status },
          ),
        ],
        endpointSlices: [slice(at('10.244.1.5')), slice(at('10.244.1.6'), { name: 'z-last', service: 'z-last' })],
        nodes: [NODE],
      }
      const options = { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'], kubernetesVersion: version } as const
      const right = compile(claimants, options)
      const [proof] = prove(right)
      expect(proof?.counterexamples).toEqual([])
      expect(proof?.limitations.map(({ code }) => code)).toContain('sharedEntries')
      expect(prove(withRules(right, '10.244.1.5', '10.244.1.7'))[0]?.verdict).toBe('refuted')
    },
  )

  it('accepts only up to 1.33 that nftables rules of the other Service at an address reject before DNAT', () => {
    const claimants = {
      services: [
        service({ externalIPs: ['203.0.113.9'] }),
        service(
          { externalIPs: ['203.0.113.9'], clusterIP: '10.96.0.2' },
          { metadata: { namespace: 'ns1', name: 'z-last' } },
        ),
      ],
      endpointSlices: [slice(at('10.244.1.5'))],
      nodes: [NODE],
    }
    const codesOf = (kubernetesVersion: string) => {
      const options = { mode: 'nftables', nodeName: 'node-1', families: ['IPv4'], kubernetesVersion } as const
      const [proof] = prove(compile(claimants, options))
      expect(proof?.counterexamples).toEqual([])
      return proof?.limitations.map(({ code }) => code)
    }
    expect(codesOf('1.33')).toContain('ownPacketsRejected')
    expect(codesOf('1.34')).not.toContain('ownPacketsRejected')
  })

  it.each(['iptables', 'nftables'] as const)('refutes rules that reject with another ICMP error in %s mode', (mode) => {
    const right = compiled(mode, {}, [])
    expect(prove(right)[0]?.verdict).toBe('proven')
    const wrong = withRules(right, '"kind":"reject"', '"kind":"reject","with":"tcp-reset"')
    expect(prove(wrong)[0]?.verdict).toBe('refuted')
  })

  it('refutes a rejection with another ICMP error even if a known limitation affects the packet', () => {
    const right = compiled('nftables')
    expect(prove(right)[0]?.limitations.map(({ code }) => code)).toContain('otherPortsRejected')
    expect(prove(withRules(right, '"kind":"reject"', '"kind":"reject","with":"tcp-reset"'))[0]?.verdict).toBe('refuted')
  })

  it.each(['iptables', 'ipvs'] as const)('refutes rules that fail to accept a health check in %s mode', (mode) => {
    const right = compiled(mode, {
      ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32000 },
    })
    expect(prove(right)[0]?.verdict).toBe('proven')
    const wrong = withRules(right, '"kind":"accept"', '"kind":"return"')
    expect(counterexampleOf(prove(wrong))).toMatchObject({
      verdict: 'refuted',
      packet: { destinationPort: 32000 },
    })
  })

  it.each([
    ['iptables', '"kind":"jump","chain":"KUBE-EXT-', '"kind":"jump","chain":"KUBE-OTHER-'],
    ['nftables', '"name":"external-', '"name":"other-'],
  ] as const)('refutes rules that jump to a missing chain in %s mode', (mode, from, to) => {
    const { verdict, rules } = counterexampleOf(prove(withRules(compiled(mode), from, to)))
    expect(verdict).toBe('refuted')
    expect(Object.keys(rules ?? {})[0]).toMatch(/^undetermined: chain .* does not exist$/)
  })

  it.each([
    // Nobody knows whether the rule matches, so the packet may still reach the endpoint.
    ['a word that nft does not have', '"field":"dport"', '"field":"port"', /^10\.244\.1\.5:8080, masqueraded$/],
    [
      'a map element without a verdict',
      '"key":"10.96.0.1 . tcp . 80","verdict":',
      '"key":"10.96.0.1 . tcp . 80","other":',
      /^undetermined: /,
    ],
  ])('refutes rules with %s', (_, from, to, outcome) => {
    const { verdict, rules } = counterexampleOf(prove(withRules(compiled('nftables'), from, to)))
    expect(verdict).toBe('refuted')
    expect(Object.keys(rules ?? {})[0]).toMatch(outcome)
  })

  it('refutes nftables rules that match an invalid connection status', () => {
    const local = [{ addresses: ['10.244.1.5'], nodeName: 'node-1' }]
    const input = { services: [service()], endpointSlices: [slice(local)], nodes: [NODE] }
    const right = compile(input, { mode: 'nftables', nodeName: 'node-1', families: ['IPv4'] })
    expect(prove(right)[0]?.verdict).toBe('proven')
    expect(prove(withRules(right, '"value":"dnat"', '"value":"dnat~"'))[0]?.verdict).toBe('refuted')
  })

  it('is conclusive for packets that may come through a bridge in iptables mode of 1.20', () => {
    const input = { services: [service({ externalIPs: ['203.0.113.9'] })], endpointSlices: [slice(at('10.244.1.5'))] }
    const options = { nodeName: 'node-1', families: ['IPv4'], kubernetesVersion: '1.20' } as const
    const right = compile({ ...input, nodes: [NODE] }, options)
    const [proof] = prove(right)
    expect(proof).toMatchObject({ verdict: 'proven', inconclusive: [] })
    expect(proof?.limitations.map(({ code }) => code)).toContain('bridgedExternalIPs')
    expect(prove(withRules(right, '10.244.1.5', '10.244.1.6'))[0]?.verdict).toBe('refuted')
  })

  it('accepts a known limitation only on a node that has the limitation', () => {
    const withGuard = compiled('iptables')
    const [family] = withGuard.families as readonly [FamilyResult]
    expect(prove(withGuard)[0]?.limitations.map(({ code }) => code)).toEqual(['loopbackGuarded'])
    const plan = { ...family.plan, localhostNodePorts: false, services: family.plan.services }
    const proofs = prove({ ...withGuard, families: [{ ...family, plan }] })
    expect(counterexampleOf(proofs)).toMatchObject({ verdict: 'refuted', packet: { destination: '127.0.0.1' } })
  })

  it('refutes a missing node-port virtual server although a limitation affects other node addresses', () => {
    const wrong = withRules(compiled('ipvs'), '"address":"192.168.0.2"', '"address":"192.168.0.3"')
    expect(counterexampleOf(prove(wrong))).toMatchObject({ verdict: 'refuted', packet: { destination: '192.168.0.2' } })
  })

  describe('although a known limitation affects the packet', () => {
    const input = (spec: Parameters<typeof service>[0], protocol = 'TCP', scheduler = 'rr') => ({
      services: [
        service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080, protocol }], ...spec }),
      ],
      endpointSlices: [
        slice([{ addresses: ['10.244.1.5'], nodeName: 'node-1' }, ...at('10.244.2.7')], {
          ports: [{ name: 'http', port: 8080, protocol }],
        }),
      ],
      nodes: [NODE],
      configuration: { clusterCIDR: '10.244.0.0/16', ipvs: { scheduler } },
    })
    const compiledIn = (kubernetesVersion: string, ...given: Parameters<typeof input>) =>
      compile(input(...given), { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'], kubernetesVersion })

    it('refutes SCTP node ports that ipvs mode of 1.16 does not masquerade', () => {
      const right = compiledIn('1.16', { externalTrafficPolicy: 'Local' }, 'SCTP')
      expect(prove(right)[0]?.verdict).toBe('proven')
      const served = '"name":"KUBE-NODE-PORT-SCTP-HASH","directions"'
      const wrong = withRules(compiledIn('1.16', {}, 'SCTP'), served, served.replace('PORT', 'PORT-LOCAL'))
      expect(counterexampleOf(prove(wrong))).toMatchObject({
        verdict: 'refuted',
        packet: { protocol: 'SCTP', destinationPort: 30080 },
      })
    })

    it('refutes another endpoint for a scheduler that chooses the endpoints in ipvs mode', () => {
      const right = compiledIn('1.30', {}, 'TCP', 'sh')
      expect(prove(right)[0]?.limitations.map(({ code }) => code)).toContain('schedulerChooses')
      expect(prove(withRules(right, '10.244.2.7', '10.244.2.8'))[0]?.verdict).toBe('refuted')
    })

    it('refutes missing session affinity of packets that policy Local keeps on the node in ipvs mode', () => {
      const local = { externalTrafficPolicy: 'Local', externalIPs: ['203.0.113.9'] }
      const right = compiledIn('1.30', { ...local, sessionAffinity: 'ClientIP' })
      const [family] = right.families as readonly [FamilyResult]
      expect(prove(right)[0]?.verdict).toBe('proven')
      const ipvs = family.state.ipvs
      const virtualServers = (ipvs?.virtualServers ?? []).map((each) =>
        each.address === '203.0.113.9' ? { ...each, flags: 0, timeout: 0 } : each,
      )
      const wrong = { ...family, state: { ...family.state, ipvs: { ...ipvs, virtualServers } } } as FamilyResult
      const [proof] = prove({ ...right, families: [wrong] })
      const timeouts = proof?.counterexamples.map(({ a, b }) => [a, b].map(({ affinitySeconds }) => affinitySeconds))
      expect(timeouts).toContainEqual([undefined, 10_800])
      expect(proof?.limitations.map(({ code }) => code)).toContain('noShortCircuit')
    })
  })

  it('refutes a source range that is missing for packets from the load-balancer IP to itself', () => {
    const input = {
      services: [loadBalancer({ loadBalancerSourceRanges: ['198.51.100.0/24'] })],
      endpointSlices: [slice(at('10.244.1.5'))],
      nodes: [NODE],
    }
    const right = compile(input, { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] })
    expect(prove(right)[0]?.limitations.map(({ code }) => code)).toContain('ownPacketsNotLimited')
    const wrong = withRules(right, '"kind":"ipvs","address":"203.0.113.1"', '"kind":"ipvs","address":"203.0.113.2"')
    expect(counterexampleOf(prove(wrong))).toMatchObject({
      verdict: 'refuted',
      packet: { origin: 'node', source: '203.0.113.1', destination: '203.0.113.1' },
    })
  })

  it('refutes a plan if it differs for one Service, although the others have the same rules', () => {
    const input = {
      services: [1, 2, 3].map((number) =>
        service({ clusterIP: `10.96.0.${number}` }, { metadata: { namespace: 'ns1', name: `s${number}` } }),
      ),
      endpointSlices: [1, 2, 3].map((number) =>
        slice(at(`10.244.${number}.5`), { name: `s${number}`, service: `s${number}` }),
      ),
      nodes: [NODE],
    }
    const result = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
    expect(prove(result)[0]?.verdict).toBe('proven')
    const [family] = result.families
    const services = (family?.plan.services ?? []).map((plan, index) =>
      index === 2 ? { ...plan, frontends: plan.frontends.map((each) => ({ ...each, port: 81 })) } : plan,
    )
    const other = {
      ...result,
      families: [{ ...family, plan: { ...family?.plan, services } }],
    } as unknown as CompileResult
    expect(counterexampleOf(prove(other))).toMatchObject({ verdict: 'refuted', packet: { destination: '10.96.0.3' } })
  })

  it('accepts in iptables mode of 1.22 that a cluster IP masquerades as the same external IP', () => {
    const input = {
      services: [service({ externalIPs: ['10.96.0.1'] })],
      endpointSlices: [slice(at('10.244.1.5'))],
      nodes: [NODE],
    }
    const codesOf = (kubernetesVersion: string) => {
      const [proof] = prove(compile(input, { nodeName: 'node-1', families: ['IPv4'], kubernetesVersion }))
      expect(proof?.counterexamples).toEqual([])
      return proof?.limitations.map(({ code }) => code)
    }
    expect(codesOf('1.22')).toContain('externalClusterIP')
    expect(codesOf('1.24')).not.toContain('externalClusterIP')
  })

  it('examines only the selected destinations', () => {
    const result = compiled('iptables')
    const [all] = prove(result)
    const address = result.families[0]?.plan.services[0]?.frontends[0]?.address ?? ''
    const [some] = prove(result, { destinations: [address] })
    expect(some?.verdict).toBe('proven')
    expect(some?.classes).toBeGreaterThan(0)
    expect(some?.classes).toBeLessThan(all?.classes ?? 0)
    const [none] = prove(result, { destinations: [] })
    expect(none?.classes).toBe(0)
  })

  it('is inconclusive if there are more packet classes than the limit', () => {
    const [proof] = prove(compiled('iptables'), { maxClasses: 5 })
    expect(proof?.verdict).toBe('inconclusive')
    expect(proof?.notProven.length).toBeGreaterThan(0)
  })
})

describe('proofs of generated clusters', () => {
  const seen = { proven: 0, inconclusive: 0 }

  it.each(PROXY_MODES)('refute no rules in %s mode', (mode) => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const own = optionsOfMode(options, mode)
        for (const proof of prove(compileCase({ cluster: understoodCluster(cluster, own), options: own }))) {
          expect(counterexamplesOf(proof)).toEqual([])
          if (proof.verdict !== 'refuted') seen[proof.verdict] += 1
        }
      }),
      { numRuns: runs(25, 8) },
    )
  })

  it.runIf(isWhole)('are complete for most clusters', () => {
    expect(seen.proven).toBeGreaterThan(8 * seen.inconclusive)
  })
})

function counterexamplesOf({ counterexamples }: Proof) {
  return counterexamples.map(({ packet, condition, a, b }) => ({
    packet,
    condition,
    rules: a.outcomes,
    plan: b.outcomes,
  }))
}

describe('prove and a test of every packet', () => {
  /** Changes of the rules, as text. Some have no effect on packets. */
  const CHANGES = [
    ['"destination":"10.244.1.5:8080"', '"destination":"10.244.1.6:8080"'],
    ['"destination":"10.244.1.5:8080"', '"destination":"10.244.1.5:8081"'],
    ['"first":80,"last":80', '"first":81,"last":81'],
    ['"first":30080,"last":30080', '"first":30081,"last":30081'],
    ['"address":"10.96.0.1"', '"address":"10.96.0.2"'],
    ['"kind":"jump","chain":"KUBE-MARK-MASQ"', '"kind":"jump","chain":"KUBE-NODEPORTS"'],
    ['"kind":"addrtype"', '"kind":"addrtype"'],
    ['"kind":"comment","text":"ns1/web:http"', '"kind":"comment","text":"another comment"'],
    ['"operation":"or","value":16384', '"operation":"or","value":32768'],
  ] as const

  it.each(CHANGES)('agree on the change from %s to %s', (from, to) => {
    const changed = withRules(compiled('iptables'), from, to)
    const [family] = changed.families as readonly [FamilyResult]
    const space = {
      addresses: ['10.96.0.1', '10.96.0.2', '192.168.0.2', '10.244.1.5', '10.244.1.6', '10.244.2.7', '198.51.100.1'],
      ports: [80, 81, 8080, 8081, 30080, 30081],
      own: ['192.168.0.2'],
    }
    const trace = createTracer(family.state, { addresses: space.own })
    const deviates = (packet: Packet) =>
      findExplainingLimitations(
        { mode: 'iptables', plan: family.plan },
        packet,
        trace(packet),
        decide(family.plan, packet),
      ) === undefined
    const isWrong = Array.from(packetsIn(space)).some(deviates)
    expect(prove(changed)[0]?.verdict).toBe(isWrong ? 'refuted' : 'proven')
  })
})
