import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { IptablesState, Table } from '../../../compiler/src/dataplane/iptables/ast.js'
import { chainsOf } from '../../../compiler/src/dataplane/iptables/chains.js'
import { printRule } from '../../../compiler/src/dataplane/iptables/print/print.js'
import { iptablesStates } from '../../../compiler/test/support/compiled.js'
import { afterRun, type HeldNode } from '../../../compiler/test/support/held-node.js'
import { countOf, mutate, withForeignRules } from '../../../compiler/test/support/mutations.js'
import { dumpOf } from '../../../compiler/test/support/node-dump.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { inputOf, optionsOf, recordedCases } from '../../../compiler/test/support/recorded-cases.js'
import { verify } from '../../src/verify/verify.js'

// Makes single changes to the recorded rules of the real kube-proxy, in every step of every conformance case. The tests
// run only if KUBE_RULES_CONFORMANCE names the folders of the cases.

const casesAreNamed = (process.env.KUBE_RULES_CONFORMANCE ?? '') !== ''
const KINDS = ['drop', 'duplicate', 'swap', 'edit', 'delete chain', 'add chain'] as const
/** The number of mutations of each kind in each step, evenly distributed over the locations. */
const MUTATIONS = Number(process.env.KUBE_RULES_MUTATIONS ?? 4)

interface Expected {
  readonly tables: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly ipsets?: readonly { name: string; type: string; family: string; entries: readonly string[] }[]
  readonly virtualServers?: readonly {
    protocol: 'TCP' | 'UDP' | 'SCTP'
    address: string
    port: number
    scheduler: string
    flags: number
    timeout: number
    realServers: readonly { address: string; port: number; weight: number }[]
  }[]
  readonly boundAddresses?: readonly string[]
}

function nodeOf({ tables, ipsets = [], virtualServers = [], boundAddresses }: Expected, family: IpFamily): HeldNode {
  const hostPort = (address: string, port: number) =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  return {
    tables: new Map(
      Object.entries(tables).map(([table, chains]) => [
        table,
        new Map(Object.entries(chains).map(([chain, rules]) => [chain, rules.map((spec) => ({ spec }))])),
      ]),
    ),
    sets: new Map(
      ipsets.map(({ name, type, family: of, entries }) => [
        name,
        {
          definition:
            type === 'bitmap:port' ? `${type} range 0-65535` : `${type} family ${of} hashsize 1024 maxelem 65536`,
          entries: new Map(entries.filter((entry) => !/^.*,.*,.*\/0$/.test(entry)).map((entry) => [entry, ''])),
        },
      ]),
    ),
    servers: new Map(
      virtualServers.map(({ protocol, address, port, scheduler, flags, timeout, realServers }) => [
        `${{ TCP: '-t', UDP: '-u', SCTP: '--sctp-service' }[protocol]} ${hostPort(address, port)}`,
        {
          spec: `-s ${scheduler}${flags & 1 ? ` -p ${timeout}` : ''}${flags & 16 ? ' -b mh-port' : ''}`,
          realServers: new Map(
            realServers.map((server) => [hostPort(server.address, server.port), `-m -w ${server.weight}`]),
          ),
        },
      ]),
    ),
    addresses: boundAddresses && new Set(boundAddresses.map((address) => `${address}/${family === 'IPv4' ? 32 : 128}`)),
  }
}

/**
 * Orders the rules of shared chains as the library does. The recording sorts the rules in chains that all service ports
 * share, which loses the order within a single service port.
 */
function inOrderOf(states: readonly IptablesState[], expected: Expected): Expected {
  const model = new Map(states.flatMap(({ family, tables }) => tables.flatMap((table) => placesOf(table, family))))
  return {
    ...expected,
    tables: mapValues(expected.tables, (chains, table) =>
      mapValues(chains, (rules, chain) => {
        const placeOf = (spec: string) => model.get(`${table} -A ${chain} ${spec}`) ?? -1
        return SHARED_CHAINS.has(chain) ? [...rules].sort((a, b) => placeOf(a) - placeOf(b)) : rules
      }),
    ),
  }
}

function placesOf(table: Table, family: IpFamily): readonly [string, number][] {
  return [...chainsOf(table).values()].flatMap((rules) =>
    rules.map((rule, place): [string, number] => [`${table.name} ${printRule(rule, 'restore', family)}`, place]),
  )
}

function mapValues<Value>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}

const SHARED_CHAINS: ReadonlySet<string> = new Set([
  'KUBE-SERVICES',
  'KUBE-NODEPORTS',
  'KUBE-EXTERNAL-SERVICES',
  'KUBE-PROXY-FIREWALL',
  'KUBE-IPVS-OUT-FILTER',
])

describe.skipIf(!casesAreNamed)('conformance cases (skipped unless KUBE_RULES_CONFORMANCE lists their folders)', () => {
  it('have drift after each change, and no drift after the repair of that change', { timeout: 3_600_000 }, () => {
    const counts = new Map<string, number>()
    const steps = recordedCases<Expected>().flatMap((one) =>
      one.steps.map((step, index) => ({ one, step, name: `${one.name} ${index + 1}` })),
    )
    for (const { one, step, name } of steps) {
      const family = one.ipFamily
      const result = compile(inputOf(step, one.host), optionsOf(one, step))
      const reportOf = (held: HeldNode) => verify(result, readDump(dumpOf(held, family), { family })).families[0]
      const node = nodeOf(inOrderOf(iptablesStates(result), step.expected), family)
      expect(reportOf(withForeignRules(node))?.drift, name).toEqual([])
      for (const kind of KINDS) {
        const places = countOf(node, kind)
        const stride = Math.max(1, Math.floor(places / MUTATIONS))
        for (let at = 0; at < places; at += stride) {
          const mutated = mutate(node, { kind, at })
          if (mutated === undefined) continue
          const held = withForeignRules(mutated)
          const report = reportOf(held)
          const repaired = (report?.repair ?? []).reduce((state, run) => afterRun(state, run), held)
          const what = `${name}: ${kind} at ${at}`
          expect(report?.drift.length, what).toBeGreaterThan(0)
          expect(reportOf(repaired)?.drift, what).toEqual([])
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
        }
      }
    }
    console.log([...counts].map(([kind, count]) => `${kind}: ${count}`).join(', '))
    for (const kind of KINDS) expect(counts.get(kind) ?? 0).toBeGreaterThan(0)
  })
})
