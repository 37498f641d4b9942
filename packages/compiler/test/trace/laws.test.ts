import { type Diagnostic, isLoopback, type Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import type { NodeState } from '../../src/dataplane/languages.js'
import { type Decision, decide } from '../../src/plan/decide.js'
import type { Frontend, Plan } from '../../src/plan/plan.js'
import { print } from '../../src/print.js'
import { modeNames } from '../../src/targets/mode-of.js'
import { type CompiledMode, MODES } from '../../src/targets/modes.js'
import { readHost } from '../../src/targets/userspace/read-proxies.js'
import type { Way } from '../../src/trace/trace.js'
import { surroundingsOf, trace } from '../../src/trace.js'
import { cases, optionsOfMode, understoodCluster } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { limitedByNftables } from '../support/limited-by-nftables.js'
import { packetsFor } from '../support/packets.js'
import { readDump } from '../support/read-dump.js'
import { refusedEndpoints } from '../support/refused-endpoints.js'
import { runs } from '../support/runs.js'
import { decisionText, waysText } from '../support/ways.js'

interface Sample {
  readonly result: CompileResult
  readonly packets: ReadonlyMap<Plan, readonly Packet[]>
}

/** Compiled clusters and packets for each of their families. */
function samples(mode: CompiledMode): fc.Arbitrary<Sample> {
  return cases.chain((given) => {
    const options = optionsOfMode(given.options, mode)
    const result = compileCase({ cluster: understoodCluster(given.cluster, options), options })
    const plans = result.families.map(({ plan }) => plan)
    return fc
      .tuple(...plans.map((plan) => fc.array(packetsFor(plan), { minLength: 8, maxLength: 8 })))
      .map((packets) => ({ result, packets: new Map(plans.map((plan, index) => [plan, packets[index] ?? []])) }))
  })
}

/** Of several frontends that claim one destination, kube-proxy leaves it to chance which gets the packet. */
function isContested({ services, node }: Plan, { destination, destinationPort, protocol }: Packet): boolean {
  const isOwn = isLoopback(destination) || node.addresses.some(({ address }) => address === destination)
  const claims = ({ address, port }: Frontend) =>
    port === destinationPort && (address === destination || (address === undefined && isOwn))
  const ofProtocol = services.filter(({ id }) => id.protocol === protocol)
  return ofProtocol.flatMap(({ frontends }) => frontends).filter(claims).length > 1
}

function isOfNode({ node }: Plan, address: string): boolean {
  return isLoopback(address) || node.addresses.some((own) => own.address === address)
}

/** What mode iptables says where one of its limitations makes a difference; they are looked up by code. */
const LIMITED: Readonly<
  Record<string, (plan: Plan, packet: Packet, decision: Decision) => string | readonly string[] | undefined>
> = {
  ownPacketsNotRefused: (plan, packet, decision) => {
    if (decision.outcome !== 'reject' && decision.outcome !== 'drop') return undefined
    const { frontend, reason } = decision
    const isExternal = frontend.kind === 'externalIP' || frontend.kind === 'loadBalancer'
    const meetsFirewall = frontend.allowedSources !== undefined && reason !== 'noEndpoints'
    const leavesNode = packet.origin === 'node' && !isOfNode(plan, packet.destination)
    return isExternal && !meetsFirewall && leavesNode ? 'passes' : undefined
  },
  nodePortsRefusedEverywhere: (plan, packet, decision) => {
    if (decision.outcome !== 'passes' || !isOfNode(plan, packet.destination)) return undefined
    const refusal = plan.services
      .filter(({ id }) => id.protocol === packet.protocol)
      .flatMap(({ frontends }) => frontends)
      .find(({ kind, port }) => kind === 'nodePort' && port === packet.destinationPort)
      ?.route.at(-1)?.then.to
    return refusal === 'reject' ? 'rejected' : refusal === 'drop' ? 'dropped' : undefined
  },
  endpointRefused: refusedEndpoints,
}

/** Calls `check` for each packet that is for one frontend at most. */
function forEachPacket(
  { result, packets }: Sample,
  check: (plan: Plan, state: NodeState, packet: Packet) => void,
): void {
  for (const { state, plan } of result.families) {
    for (const packet of packets.get(plan) ?? []) if (!isContested(plan, packet)) check(plan, state, packet)
  }
}

describe('a trace of mode iptables', () => {
  it('knows each limitation of the mode', () => {
    expect(Object.keys(LIMITED).sort()).toEqual(MODES.iptables.limitations.map(({ code }) => code).sort())
  })

  it('says what decide says of generated clusters and packets', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(samples('iptables'), (sample) =>
        forEachPacket(sample, (plan, state, packet) => {
          const decision = decide(plan, packet)
          const limited = Object.values(LIMITED).flatMap((limit) => limit(plan, packet, decision) ?? [])
          const expected = limited.length > 0 ? limited : decisionText(decision)
          expect({ packet, ways: waysText(trace(state, packet, surroundingsOf(plan))) }).toEqual({
            packet,
            ways: expected,
          })
          seen.add(decision.outcome)
          if (decision.outcome !== 'endpoints') for (const each of limited) seen.add(`limited: ${each}`)
        }),
      ),
      { numRuns: 110 },
    )
    expect([...seen].sort()).toEqual([
      'drop',
      'endpoints',
      'healthCheck',
      'limited: dropped',
      'limited: passes',
      'limited: rejected',
      'passes',
      'reject',
    ])
  })
})

/** Whether the service port that decides has a limitation of the mode, which the result tells of. */
function isLimited({ diagnostics }: CompileResult, { family }: Plan, decision: Decision): boolean {
  if (!('servicePort' in decision)) return false
  const { text, protocol } = decision.servicePort
  const start = `${text}/${protocol} over ${family}: `
  const limitations = diagnostics.filter(({ code, message }) => code === 'modeLimitation' && message.startsWith(start))
  const concernsHealthCheck = ({ message }: Diagnostic) => message.endsWith('(healthCheckSkipped)')
  return limitations.some((each) => decision.outcome !== 'healthCheck' || concernsHealthCheck(each))
}

type Excuse = (plan: Plan, packet: Packet, decision: Decision, carried: (address: string) => boolean) => boolean

/** Where limitations that hold for all Services make a difference; they are looked up by code. */
const EXCUSES: Readonly<Record<string, Excuse>> = {
  otherPortsRefused: (_, { destination }, { outcome }, carried) => outcome === 'passes' && carried(destination),
  boundEndpoint: (_, __, decision, carried) =>
    decision.outcome === 'endpoints' && decision.candidates.some(({ endpoint }) => carried(endpoint.ip)),
  loopbackNotMasqueraded: (_, { source }) => isLoopback(source),
  ownPacketsNotMasqueraded: (_, __, decision) =>
    decision.outcome === 'endpoints' && decision.reason === 'nodeShortCircuit',
  remoteHairpin: ({ services }, { source }) =>
    services.some(({ endpoints }) => endpoints.some(({ ip, local }) => ip === source && !local)),
  fromClusterIP: ({ node }, { source }, _, carried) => node.podTraffic === undefined && carried(source),
  ownPacketsNotLimited: (_, { origin }, decision) =>
    decision.outcome === 'drop' && decision.reason === 'sourceRange' && origin === 'node',
  fromLoadBalancerIP: (_, { source, destination }, decision) =>
    decision.outcome === 'endpoints' &&
    decision.frontend.allowedSources?.includesThisNode === false &&
    source === destination,
}

/** Too seldom to be met in every run; `compiled.test.ts` has them. */
const SELDOM: ReadonlySet<string> = new Set(['fromLoadBalancerIP'])

/** Schedulers other than rr go by connections and hashes: there the law is about who may be reached. */
function withoutScheduler(text: string): string {
  return text.replace(/ (?:1|1\/\d+)(?: if ipvs: .* chooses .*)?$/, '')
}

describe('a trace of mode ipvs', () => {
  it('knows limitations of the mode', () => {
    const codes = MODES.ipvs.limitations.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(Object.keys(EXCUSES)))
  })

  it('says what decide says where no limitation makes a difference', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(samples('ipvs'), (sample) =>
        forEachPacket(sample, (plan, state, packet) => {
          const decision = decide(plan, packet)
          const carried = (address: string) =>
            state.addresses?.addresses.includes(address) === true && !isOfNode(plan, address)
          const excuses = Object.entries(EXCUSES).filter(([, applies]) => applies(plan, packet, decision, carried))
          for (const [code] of excuses) if (!SELDOM.has(code)) seen.add(code)
          if (excuses.length > 0 || isLimited(sample.result, plan, decision)) return
          const ways = waysText(trace(state, packet, surroundingsOf(plan))).map(withoutScheduler)
          expect({ packet, ways }).toEqual({ packet, ways: decisionText(decision).map(withoutScheduler) })
          seen.add(decision.outcome)
        }),
      ),
      { numRuns: 160 },
    )
    const known = Object.keys(EXCUSES).filter((code) => !SELDOM.has(code))
    expect([...seen].sort()).toEqual([...known, 'drop', 'endpoints', 'healthCheck', 'passes'].sort())
  })
})

/** What makes no difference to where a packet goes, or is too seldom to be met in every run: `nftables-limitations` has all. */
const SELDOM_IN_NFTABLES: ReadonlySet<string> = new Set([
  'commentTooLong',
  'endpointRefused',
  'guardedAddress',
  'guardedWithoutEndpoints',
  'healthCheckNotAccepted',
  'ownPacketsNotShortCircuited',
  'remoteHairpin',
])

describe('a trace of mode nftables', () => {
  it('says what decide says of generated clusters and packets, but for its limitations', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(samples('nftables'), (sample) =>
        forEachPacket(sample, (plan, state, packet) => {
          const decision = decide(plan, packet)
          const limited = limitedByNftables(plan, packet, decision)
          const ways = waysText(trace(state, packet, surroundingsOf(plan)))
          const expected = limited?.texts ?? decisionText(decision)
          expect({ packet, limited: limited?.code, ways }).toEqual({ packet, limited: limited?.code, ways: expected })
          const code = limited?.code ?? decision.outcome
          if (!SELDOM_IN_NFTABLES.has(code)) seen.add(code)
        }),
      ),
      { numRuns: 60 },
    )
    const known = MODES.nftables.limitations.map(({ code }) => code).filter((code) => !SELDOM_IN_NFTABLES.has(code))
    expect([...seen].sort()).toEqual([...known, 'drop', 'endpoints', 'healthCheck', 'passes', 'reject'].sort())
  })
})

/** The ways that lead to the process end at the port that it has for the service port. */
function endsAtItsPort(state: NodeState, decision: Decision, ways: readonly Way[]): boolean {
  if (decision.outcome !== 'proxy') return true
  const ports = readHost(state.iptables as IptablesState).proxyPorts ?? {}
  return ways.every(({ outcome }) => outcome.kind !== 'proxy' || outcome.port === ports[decision.servicePort.text])
}

describe('a trace of mode userspace', () => {
  it('says what decide says of generated clusters and packets, but for external IPs that are not of the node', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(samples('userspace'), (sample) =>
        forEachPacket(sample, (plan, state, packet) => {
          const decision = decide(plan, packet)
          const ways = trace(state, packet, surroundingsOf(plan))
          expect(endsAtItsPort(state, decision, ways)).toBe(true)
          const isApart = decision.outcome === 'proxy' && decision.frontend.kind === 'externalIP'
          const isLimited = isApart && !isOfNode(plan, packet.destination) && packet.origin !== 'outside'
          const possible = isLimited ? (packet.origin === 'node' ? ['passes'] : ['passes', 'proxy']) : undefined
          const outcomes = ways.map(({ outcome }) => outcome.kind).sort()
          expect({ packet, outcomes }).toEqual({ packet, outcomes: possible ?? decisionText(decision) })
          seen.add(isLimited ? `limited ${packet.origin}` : decision.outcome)
        }),
      ),
      { numRuns: 60 },
    )
    expect([...seen].sort()).toEqual(['limited node', 'limited pod', 'passes', 'proxy'])
  })
})

/** The state as dumps of the node would give it. */
function readBack(state: NodeState): NodeState {
  return readDump(print(state, { spelling: 'save' }), { family: state.family })[state.family]
}

describe.each(modeNames())('mode %s, read back from dumps', (mode) => {
  it('takes packets where the compiled rules take them', () => {
    fc.assert(
      fc.property(samples(mode), (sample) => {
        const dumps = new Map<Plan, NodeState>()
        forEachPacket(sample, (plan, state, packet) => {
          const dump = dumps.get(plan) ?? readBack(state)
          dumps.set(plan, dump)
          const [fromDump, compiled] = [dump, state].map((each) => trace(each, packet, surroundingsOf(plan)))
          expect(waysText(fromDump ?? [])).toEqual(waysText(compiled ?? []))
          expect(textsOf(fromDump ?? [])).toEqual(textsOf(compiled ?? []))
        })
      }),
      { numRuns: runs(20) },
    )
  })
})

function textsOf(ways: readonly Way[]): readonly string[] {
  return ways.map(({ steps }) => steps.map(({ text }) => text).join('\n')).sort()
}
