import { parseDump } from '@kube-rules/analyzer'
import { type CompileResult, compile, type FamilyResult, type ProxyMode, print } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { anyCluster, anyPacket } from '../../src/index.js'
import { type PacketTo, toReach } from '../../src/matchers/to-reach.js'
import { SHOP } from '../support/shop.js'

const rules = compile(SHOP, { families: ['IPv4'], kubernetesVersion: '1.34' })

const TO_CLUSTER_IP = { origin: 'pod', destination: '10.96.0.10', destinationPort: 80 } as const
const TO_LOAD_BALANCER = { origin: 'outside', destination: '192.0.2.80', destinationPort: 80 } as const
const BOTH = ['10.244.1.5:8080', '10.244.2.7:8080']

/** Returns the rules with another text of the iptables rules. */
function withRules(change: (saved: string) => string): FamilyResult {
  const [family] = rules.families as readonly [FamilyResult]
  const parsed = parseDump(change(print(family.state, { format: 'save' })))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return { ...family, state: parsed.value.IPv4 }
}

function passes(result: CompileResult | FamilyResult, packet: PacketTo, endpoints?: readonly string[]): boolean {
  return toReach.call({ isNot: false }, result, packet, endpoints).pass
}

/** Reports whether the assertion with `.not` passes. */
function passesNot(result: CompileResult | FamilyResult, packet: PacketTo, endpoints?: readonly string[]): boolean {
  return !toReach.call({ isNot: true }, result, packet, endpoints).pass
}

describe('toReach', () => {
  it('passes if every path reaches an endpoint', () => {
    expect(passes(rules, TO_CLUSTER_IP)).toBe(true)
    expect(passes(rules, { ...TO_CLUSTER_IP, origin: 'node' })).toBe(true)
    expect(passes(rules, { origin: 'outside', destination: '192.168.0.2', destinationPort: 30080 })).toBe(true)
    expect(passesNot(rules, TO_CLUSTER_IP)).toBe(false)
  })

  it('fails if no path reaches an endpoint', () => {
    expect(passes(rules, TO_LOAD_BALANCER)).toBe(false)
    expect(passesNot(rules, TO_LOAD_BALANCER)).toBe(true)
    expect(passes(rules, { ...TO_CLUSTER_IP, protocol: 'UDP' })).toBe(false)
  })

  it('sends the packet from the given source', () => {
    expect(passes(rules, { ...TO_LOAD_BALANCER, source: '203.0.113.9' })).toBe(true)
  })

  it('compares the endpoints in any order', () => {
    expect(passes(rules, TO_CLUSTER_IP, [...BOTH].reverse())).toBe(true)
    expect(passes(rules, TO_CLUSTER_IP, BOTH.slice(1))).toBe(false)
    expect(passes(rules, TO_CLUSTER_IP, [])).toBe(false)
    expect(passesNot(rules, TO_CLUSTER_IP, BOTH)).toBe(false)
    expect(passesNot(rules, TO_CLUSTER_IP, BOTH.slice(1))).toBe(true)
  })

  it('accepts one family of a result', () => {
    expect(passes(rules.families[0] as FamilyResult, TO_CLUSTER_IP, BOTH)).toBe(true)
  })

  it('passes in userspace mode if the proxy has endpoints to connect to', () => {
    const options = { mode: 'userspace', kubernetesVersion: '1.20', families: ['IPv4'] } as const
    expect(passes(compile(SHOP, options), TO_CLUSTER_IP, BOTH)).toBe(true)
    expect(passes(compile({ ...SHOP, endpointSlices: [] }, options), TO_CLUSTER_IP)).toBe(false)
  })

  it('fails with and without .not if only some packets reach an endpoint', () => {
    const changed = withRules((text) => text.replace(/^.*-j DNAT --to-destination 10\.244\.2\.7:8080$/m, ''))
    expect(passes(changed, TO_CLUSTER_IP)).toBe(false)
    expect(passesNot(changed, TO_CLUSTER_IP)).toBe(false)
  })

  it('fails with and without .not if the outcome cannot be determined', () => {
    const changed = withRules((text) => text.replace(/^(.*) -j DNAT .*$/gm, '$1 -j STRANGE'))
    expect(passes(changed, TO_CLUSTER_IP)).toBe(false)
    expect(passesNot(changed, TO_CLUSTER_IP)).toBe(false)
  })

  it('describes the paths of the packet', () => {
    const at81 = { ...TO_CLUSTER_IP, destinationPort: 81 }
    expect(toReach.call({}, rules, at81).message()).toMatch(
      /^expected packets to reach an endpoint, got\n10\.244\.0\.254 -> 10\.96\.0\.10:81\/TCP, from a pod\n/,
    )
    expect(toReach.call({}, rules, TO_CLUSTER_IP, ['10.244.1.5:8080']).message()).toMatch(
      /^expected packets to reach 10\.244\.1\.5:8080, got\n/,
    )
    expect(toReach.call({ isNot: true }, rules, TO_CLUSTER_IP).message()).toMatch(
      /^expected packets not to reach an endpoint, got\n/,
    )
  })

  it('throws for a family that is not compiled, and for a node without addresses', () => {
    expect(() => passes(rules, { ...TO_CLUSTER_IP, destination: 'fd00:96::10' })).toThrow(
      'the result has no rules for the family of fd00:96::10',
    )
    const nowhere = compile({ ...SHOP, nodes: [] }, { families: ['IPv4'] })
    expect(() => passes(nowhere, { ...TO_CLUSTER_IP, origin: 'node' })).toThrow(
      'the node has no address to send packets from',
    )
  })

  it.each<ProxyMode>(['iptables', 'nftables'])('agrees with the plan in %s mode', (mode) => {
    let reached = 0
    const given = anyCluster({ mode }).chain((cluster) => {
      const result = compile(cluster, { nodeName: 'node-1', mode, families: ['IPv4'] })
      const family = result.families[0] as FamilyResult
      return anyPacket(family.plan)
        .filter((packet) => !isContested(family, packet))
        .map((packet) => ({ family, packet }))
    })
    fc.assert(
      fc.property(given, ({ family, packet }) => {
        const expected = endpointsFor(family, packet)
        if (expected.length > 0) reached++
        const matches = expected.length > 0 ? passes(family, packet, expected) : !passes(family, packet)
        expect(matches).toBe(true)
      }),
      { numRuns: runs(300, 6) },
    )
    if (isWhole) expect(reached).toBeGreaterThan(20)
  })
})

/**
 * Reports whether the mode need not follow the plan: several frontends use the destination, or an endpoint has the
 * address of a frontend, whose rules its packets pass.
 */
function isContested({ plan }: FamilyResult, { destination, destinationPort, protocol }: Packet): boolean {
  const addresses = new Set(plan.services.flatMap(({ frontends }) => frontends.map(({ address }) => address)))
  const claims = plan.services.flatMap(({ id, frontends, endpoints }) =>
    frontends.flatMap(({ address = destination, port }) =>
      id.protocol === protocol && address === destination && port === destinationPort ? [endpoints] : [],
    ),
  )
  return claims.length > 1 || claims.some((endpoints) => endpoints.some(({ ip }) => addresses.has(ip)))
}

function endpointsFor({ plan }: FamilyResult, packet: Packet): readonly string[] {
  const decision = decide(plan, packet)
  const candidates = decision.kind === 'endpoints' ? decision.candidates : []
  return [...new Set(candidates.map(({ endpoint }) => `${endpoint.ip}:${endpoint.port}`))]
}
