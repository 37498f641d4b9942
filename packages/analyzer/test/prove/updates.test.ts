import type { IpFamily, Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../../compiler/src/commands/to-commands.js'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { diff } from '../../../compiler/src/diff/diff.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import type { Plan, ServicePlan } from '../../../compiler/src/plan/plan.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { histories } from '../../../compiler/test/support/edits.js'
import { afterRun } from '../../../compiler/test/support/held-node.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { comparePaths } from '../../src/compare/compare-paths.js'
import { compareSides } from '../../src/compare/compare-sides.js'
import { destinationsOfState } from '../../src/compare/state-partition.js'
import { createAddressRangeParser } from '../../src/program/address-range.js'
import { createTracer, getTracer } from '../../src/trace/trace.js'

// While a node runs the commands of an update, it must handle packets to unchanged Services as before. This is proven
// for every packet after every command: an interpreter that shares no code with the compiler executes the commands, and
// the classes of packets in each state are compared with the classes before the update. An ipvs scheduler that selects
// by a hash is assumed to select the same endpoint before and after the update.

const MODES = ['iptables', 'ipvs'] as const satisfies readonly ProxyMode[]

function sideOf(state: NodeState, addresses: readonly string[]) {
  const { trace, traceSharedPaths, facts } = getTracer(state, { addresses })
  return { trace, traceSharedPaths, isLocal: facts.isLocal, destinations: destinationsOfState(state) }
}

/** The plan of each service port, by its text. */
function servicesOf({ services }: Plan): ReadonlyMap<string, ServicePlan> {
  return new Map(services.map((service) => [JSON.stringify(service), service]))
}

/** Returns the service ports that only one of the plans has. */
function changedServices(previous: Plan, next: Plan): readonly ServicePlan[] {
  const [before, after] = [servicesOf(previous), servicesOf(next)]
  return [
    ...[...before].flatMap(([text, service]) => (after.has(text) ? [] : [service])),
    ...[...after].flatMap(([text, service]) => (before.has(text) ? [] : [service])),
  ]
}

/**
 * Returns a function that reports whether an update must not change the handling of a packet. This applies if service
 * ports have the packet's destination, none of them changes, the destination is not an address that the Node gains or
 * loses, and the packet has the same outcome in both results.
 */
function untouchedBy(previous: FamilyResult, next: FamilyResult): (packet: Packet) => boolean {
  const changed = changedServices(previous.plan, next.plan).flatMap(({ id: { protocol }, frontends }) =>
    frontends.map(({ address, port }) => ({ protocol, address, port })),
  )
  const ownAddresses = [previous, next].map(({ plan }) => plan.node.addresses.map(({ address }) => address))
  const [before, after] = [previous, next].map(({ state, plan }) =>
    createTracer(state, { addresses: plan.node.addresses.map(({ address }) => address) }),
  )
  return (packet) => {
    const { destination, destinationPort, protocol } = packet
    const isChanged = changed.some(
      (each) =>
        each.protocol === protocol &&
        each.port === destinationPort &&
        (each.address === undefined || each.address === destination),
    )
    const isServed = 'servicePort' in decide(previous.plan, packet)
    const [wasOwn, isOwn] = ownAddresses.map((addresses) => addresses.includes(destination))
    return (
      isServed &&
      !isChanged &&
      wasOwn === isOwn &&
      comparePaths(before?.(packet) ?? [], after?.(packet) ?? []) === 'same'
    )
  }
}

/**
 * Compares the state of a node after each command of an update with the state before the update. Returns the numbers of
 * commands and of compared packet classes.
 */
function proveUpdate(previous: CompileResult, next: CompileResult, family: IpFamily) {
  const [before, after] = [previous, next].map(({ families }) => families.find((each) => each.family === family))
  if (before === undefined || after === undefined) return { steps: 0, classes: 0 }
  const addresses = before.plan.node.addresses.map(({ address }) => address)
  const isUntouched = untouchedBy(before, after)
  const b = sideOf(before.state, addresses)
  let [steps, classes] = [0, 0]
  let node = nodeHolding(previous, family)
  const commands = toCommands(diff(previous, next))
  for (const command of commands) {
    node = afterRun(node, command)
    const state = readDump(dumpOf(node, family), { family })[family]
    const compared = compareSides(
      { family, addresses, rangeOf: createAddressRangeParser(family), a: sideOf(state, addresses), b },
      () => true,
      (packet) => (isUntouched(packet) ? undefined : { a: ['touched'], b: [], both: [] }),
    )
    // An explanation covers no change of session affinity, which a changed Service may have as well.
    const found = compared.differences.filter(({ packet }) => isUntouched(packet))
    const texts = found.map(({ condition, a, b }) => [condition, a.outcomes, b.outcomes])
    expect(texts, `${command.tool} ${command.args.join(' ')}\n${command.input}`).toEqual([])
    steps++
    classes += compared.classes
  }
  return { steps, classes }
}

/** Generates the successive results of a cluster, at least one update of which changes rules beside unchanged Services. */
function resultsOf(mode: ProxyMode): fc.Arbitrary<readonly CompileResult[]> {
  return histories
    .map(({ inputs, options }) => {
      const own = { ...optionsOfMode(options, mode), families: ['IPv4' as const] }
      return inputs.slice(0, 4).map((input) => compile(understoodCluster(input, own), own))
    })
    .filter((results) => results.some((next, index) => isRelevant(results[index - 1], next)))
}

function isRelevant(previous: CompileResult | undefined, next: CompileResult): boolean {
  const [before, after] = [previous, next].map((result) => result?.families[0]?.plan)
  if (previous === undefined || before === undefined || after === undefined) return false
  const known = servicesOf(before)
  const hasUnchanged = [...servicesOf(after).keys()].some((text) => known.has(text))
  return hasUnchanged && toCommands(diff(previous, next)).length > 0
}

describe.each(MODES)('updates of %s mode', (mode) => {
  it('leave packets to unchanged Services unaffected after every command', () => {
    const total = { steps: 0, classes: 0 }
    fc.assert(
      fc.property(resultsOf(mode), (results) => {
        for (const [index, next] of results.slice(1).entries()) {
          const { steps, classes } = proveUpdate(results[index] as CompileResult, next, 'IPv4')
          total.steps += steps
          total.classes += classes
        }
      }),
      { numRuns: fewRuns(12) },
    )
    // In every run, at least one command changes rules, and a Service stays.
    expect(total.steps).toBeGreaterThanOrEqual(fewRuns(12))
    expect(total.classes).toBeGreaterThan(fewRuns(12))
  })
})
