import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { IptablesState } from '../../../compiler/src/dataplane/iptables/ast.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { type Decision, decide } from '../../../compiler/src/plan/decide.js'
import type { Frontend, Plan } from '../../../compiler/src/plan/plan.js'
import { print } from '../../../compiler/src/print/print.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { LIMITATIONS_OF_MODE } from '../../../compiler/test/support/limitations.js'
import { pathsText } from '../../../compiler/test/support/paths-text.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { haveEqualEnds, pathsOfEnds } from '../../src/compare/equal-ends.js'
import { endsOfDecision } from '../../src/plan/ends-of-decision.js'
import { MODE_DECISIONS } from '../../src/targets/mode-decisions.js'
import { inferUserspaceHostFacts } from '../../src/targets/userspace/read-proxies.js'
import { createTracer, trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

interface Sample {
  readonly result: CompileResult
  readonly packets: ReadonlyMap<Plan, readonly Packet[]>
}

/** Generates compiled clusters, and packets for each of their families. */
function samples(mode: ProxyMode): fc.Arbitrary<Sample> {
  return cases.chain((given) => {
    const options = optionsOfMode(given.options, mode)
    const result = compileCase({ cluster: understoodCluster(given.cluster, options), options })
    const plans = result.families.map(({ plan }) => plan)
    return fc
      .tuple(...plans.map((plan) => fc.array(anyPacket(plan), { minLength: 8, maxLength: 8 })))
      .map((packets) => ({ result, packets: new Map(plans.map((plan, index) => [plan, packets[index] ?? []])) }))
  })
}

/** Reports whether several frontends claim the destination; kube-proxy chooses between them randomly. */
function isContested({ services, node }: Plan, { destination, destinationPort, protocol }: Packet): boolean {
  const isOwn = isLoopback(destination) || node.addresses.some(({ address }) => address === destination)
  const claims = ({ address, port }: Frontend) =>
    port === destinationPort && (address === destination || (address === undefined && isOwn))
  const ofProtocol = services.filter(({ id }) => id.protocol === protocol)
  return ofProtocol.flatMap(({ frontends }) => frontends).filter(claims).length > 1
}

/** Calls `check` for each packet that matches at most one frontend. */
function forEachPacket(
  { result, packets }: Sample,
  check: (plan: Plan, state: NodeState, packet: Packet) => void,
): void {
  for (const { state, plan } of result.families) {
    for (const packet of packets.get(plan) ?? []) if (!isContested(plan, packet)) check(plan, state, packet)
  }
}

/** Limitations that every test must observe in both families; the tables of `decide-packet.test.ts` of each mode cover all. */
const OFTEN: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: ['nodePortsRejectedEverywhere', 'ownPacketsNotRejected'],
  ipvs: [
    'boundEndpoint',
    'fromClusterIP',
    'localFallsBack',
    'loopbackNotMasqueraded',
    'noShortCircuit',
    'nodePortAddresses',
    'otherPortsRejected',
    'ownPacketsNotLimited',
    'ownPacketsNotMasqueraded',
    'remoteHairpin',
    'schedulerChooses',
  ],
  nftables: ['otherPortsRejected', 'unallocatedDropped'],
  userspace: ['externalIPsOfOthers'],
}

describe.each([
  ['iptables', 110],
  ['ipvs', 160],
  ['nftables', 90],
  ['userspace', 90],
] as const)('a trace of %s mode', (mode, numRuns) => {
  it('lists destination and source changes for exactly the steps that rewrite packets', () => {
    fc.assert(
      fc.property(samples(mode), (sample) =>
        forEachPacket(sample, (plan, state, packet) => {
          for (const { outcome, steps } of trace(state, packet, traceContextFor(plan))) {
            const changes = new Set(steps.map((step) => step.rewrites))
            const isSent = outcome.kind === 'delivered' || outcome.kind === 'proxy'
            if (isSent) expect(changes).toContain('destination')
            if (outcome.kind === 'unmatched') expect(changes).not.toContain('destination')
            if ('masqueraded' in outcome) expect(changes.has('source')).toBe(outcome.masqueraded)
          }
        }),
      ),
      { numRuns: runs(Math.round(numRuns / 4)) },
    )
  })

  it('has exactly the outcomes that the decisions of the mode define', () => {
    const seen = new Set<string>()
    const known = [...LIMITATIONS_OF_MODE[mode].map(({ code }) => code), 'contested']
    fc.assert(
      fc.property(samples(mode), ({ result, packets }) => {
        for (const { family, state, plan } of result.families) {
          const tracer = createTracer(state, traceContextFor(plan))
          for (const packet of packets.get(plan) ?? []) {
            const paths = tracer(packet)
            const decision = MODE_DECISIONS[mode](plan, packet)
            const isExact = haveEqualEnds(paths, decision)
            expect(isExact ? undefined : { packet, traced: pathsText(paths), decision }).toBeUndefined()
            const expected = decide(plan, packet)
            const isExpected = haveEqualEnds(pathsOfEnds(endsOfDecision(expected, plan, packet)), decision)
            const { limitations } = decision
            expect({ packet, isExpected, limitations }).toEqual({
              packet,
              isExpected: limitations.length === 0,
              limitations: limitations.filter((code) => known.includes(code)),
            })
            expect(isContested(plan, packet) || endsAtItsPort(state, expected, paths)).toBe(true)
            for (const each of [expected.kind, ...limitations]) seen.add(`${family} ${each}`)
          }
        }
      }),
      { numRuns: runs(numRuns) },
    )
    const drawn = [...OUTCOMES[mode], ...OFTEN[mode]].flatMap((each) => [`IPv4 ${each}`, `IPv6 ${each}`])
    if (isWhole) expect([...seen]).toEqual(expect.arrayContaining(drawn))
  })
})

/** The decisions that every test must observe in both families. */
const OUTCOMES: Readonly<Record<ProxyMode, readonly Decision['kind'][]>> = {
  iptables: ['drop', 'endpoints', 'healthCheck', 'unmatched', 'reject'],
  ipvs: ['drop', 'endpoints', 'healthCheck', 'unmatched', 'reject'],
  nftables: ['drop', 'endpoints', 'healthCheck', 'unmatched', 'reject'],
  userspace: ['unmatched', 'proxy'],
}

/** Reports whether the paths to the process end at its port for the service port. */
function endsAtItsPort(state: NodeState, decision: Decision, paths: readonly TracePath[]): boolean {
  if (decision.kind !== 'proxy') return true
  const ports = inferUserspaceHostFacts(state.iptables as IptablesState).proxyPorts ?? {}
  return paths.every(
    ({ outcome }) => outcome.kind !== 'proxy' || outcome.port === ports[decision.servicePort.text.replace(/:$/, '')],
  )
}

/** Reads the state back from its dumps. */
function readBack(state: NodeState): NodeState {
  return readDump(print(state, { format: 'save' }), { family: state.family })[state.family]
}

describe.each(PROXY_MODES)('a trace of %s mode through rules that were parsed from dumps', (mode) => {
  it('has the same outcomes as a trace through the compiled rules', () => {
    fc.assert(
      fc.property(samples(mode), (sample) => {
        const dumps = new Map<Plan, NodeState>()
        forEachPacket(sample, (plan, state, packet) => {
          const dump = dumps.get(plan) ?? readBack(state)
          dumps.set(plan, dump)
          const [fromDump, compiled] = [dump, state].map((each) => trace(each, packet, traceContextFor(plan)))
          expect(pathsText(fromDump ?? [])).toEqual(pathsText(compiled ?? []))
          expect(textsOf(fromDump ?? [])).toEqual(textsOf(compiled ?? []))
        })
      }),
      { numRuns: runs(20) },
    )
  })
})

function textsOf(paths: readonly TracePath[]): readonly string[] {
  return paths.map(({ steps }) => steps.map(({ text }) => text).join('\n')).sort()
}
