import fc from 'fast-check'
import type { IptablesState, RuleBlock } from '../../src/dataplane/iptables/ast.js'
import { jumpTargetsOf } from '../../src/dataplane/iptables/chains.js'
import { printRestore, printRuleLines } from '../../src/dataplane/iptables/print/print.js'
import type { FamilySettings } from '../../src/model/configuration/settings.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { buildPlan } from './build-plan.js'
import { cidr } from './decisions.js'
import { lowerIptables } from './lower.js'
import { endpoint, model, nodeFacts, servicePort, settings } from './model-builder.js'
import { EMPTY_TABLES, type HeldTables, restore } from './restore-interpreter.js'

export interface Configuration {
  readonly node?: Partial<NodeFacts>
  readonly settings?: Partial<FamilySettings>
}

/** Builds the tables of these service ports on the node of the model builder. */
export function stateOf(servicePorts: readonly ServicePort[], configuration: Configuration = {}): IptablesState {
  const built = model({
    node: nodeFacts(configuration.node),
    settings: settings(configuration.settings),
    servicePorts: [...servicePorts].sort((a, b) => (a.id.text < b.id.text ? -1 : 1)),
  })
  return lowerIptables(buildPlan(built)).iptables
}

/** Reuses equal blocks of another state, as an incremental compile does. */
export function sharing(state: IptablesState, previous: IptablesState): IptablesState {
  const known = new Map(
    previous.tables.flatMap(({ name, blocks }) => blocks.map((block) => [keyOf(name, block), block])),
  )
  const tables = state.tables.map((table) => ({
    ...table,
    blocks: table.blocks.map((block) => known.get(keyOf(table.name, block)) ?? block),
  }))
  return { ...state, tables }
}

/** Copies a state without sharing objects. */
export function copyOf(state: IptablesState): IptablesState {
  return {
    ...state,
    tables: state.tables.map(({ name, jumps, blocks }) => ({
      name,
      jumps: structuredClone(jumps),
      blocks: blocks.map((block) => structuredClone(block)),
    })),
  }
}

/** Returns a key that is equal for equal blocks only. */
function keyOf(table: string, block: RuleBlock): string {
  return `${table} ${JSON.stringify(block)}`
}

/**
 * Builds the tables after a full load of the state into empty tables, jumps first, independently of the code under
 * test.
 */
export function loaded(state: IptablesState | undefined): HeldTables {
  if (state === undefined) return EMPTY_TABLES
  const jumps = state.tables.map(({ name, jumps }) => {
    const chains = jumpTargetsOf(jumps).map((chain) => `:${chain} - [0:0]\n`)
    return `*${name}\n${chains.join('')}${printRuleLines(jumps, 'restore', state.family)}COMMIT\n`
  })
  return restore(EMPTY_TABLES, jumps.join('') + printRestore(state))
}

/** Returns the texts of the rules by table and chain, to compare. */
export function textsOf(tables: HeldTables): Record<string, Record<string, readonly string[]>> {
  const chains = (table: string) =>
    Array.from(tables.get(table) ?? [], ([chain, rules]) => [chain, rules.map(({ spec }) => spec)] as const)
  return Object.fromEntries(Array.from(tables.keys(), (table) => [table, Object.fromEntries(chains(table))]))
}

const endpoints = fc
  .uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 5 })
  .chain((hosts) =>
    fc.tuple(
      ...hosts.map((host) =>
        fc
          .record({ local: fc.boolean(), ready: fc.boolean() })
          .map((is) => endpoint({ ip: `10.180.0.${host}`, ...is })),
      ),
    ),
  )

/** Names that are prefixes of one another, followed by characters that sort before and after the separators. */
const names = ['a', 'a-b', 'a.b', 'ab', 'b', 'c'] as const

function servicePortsNamed(name: string, index: number): fc.Arbitrary<ServicePort> {
  return fc
    .record({
      protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
      endpoints,
      nodePort: fc.constantFrom(0, 30_000 + index),
      externalIPs: fc.constantFrom([], [`192.0.2.${index}`], [`192.0.2.${index}`, `192.0.3.${index}`]),
      loadBalancerIPs: fc.constantFrom([], [`198.51.100.${index}`]),
      sourceRanges: fc.constantFrom([], [cidr('203.0.113.0/24')], [cidr('203.0.113.0/24'), cidr('192.168.0.0/16')]),
      affinitySeconds: fc.constantFrom(undefined, 10_800),
      internalPolicyLocal: fc.boolean(),
      externalPolicyLocal: fc.boolean(),
      healthCheckNodePort: fc.constantFrom(0, 32_000 + index),
    })
    .map((fields) => servicePort({ name, clusterIP: `172.30.0.${index}`, ...fields }))
}

const clusters: fc.Arbitrary<readonly ServicePort[]> = fc
  .subarray(names.map((name, index) => ({ name, index: index + 1 })))
  .chain((chosen) => fc.tuple(...chosen.map(({ name, index }) => servicePortsNamed(name, index))))

const configurations: fc.Arbitrary<Configuration> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc
    .record({
      localhostNodePorts: fc.boolean(),
      masqueradeAll: fc.boolean(),
      masqueradeMark: fc.constantFrom(0x4000, 0x8000),
      conntrackTcpBeLiberal: fc.boolean(),
    })
    .map((changed) => ({ settings: changed })),
  fc.constantFrom<Configuration>(
    { node: { localTrafficDetection: undefined } },
    { node: { nodePorts: { all: false, addresses: ['192.168.0.2', '192.168.1.2'], containsLoopback: false } } },
  ),
)

/**
 * Generates a state, and another state that shares some of its blocks: other service ports appear, disappear or change,
 * and in rare cases the settings too.
 */
export const statePairs: fc.Arbitrary<readonly [IptablesState, IptablesState]> = fc
  .record({
    before: clusters,
    after: clusters,
    kept: fc.subarray([...names]),
    configurations: fc.oneof(
      { weight: 3, arbitrary: configurations.map((same) => [same, same] as const) },
      fc.tuple(configurations, configurations),
    ),
  })
  .map(({ before, after, kept, configurations: [first, second] }) => {
    const isKept = ({ id }: ServicePort) => kept.some((name) => name === id.name)
    const next = [...before.filter(isKept), ...after.filter((port) => !isKept(port))]
    const state = stateOf(before, first)
    return [state, sharing(stateOf(next, second), state)] as const
  })
