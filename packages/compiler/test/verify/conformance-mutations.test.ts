import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import { verify } from '../../src/verify.js'
import { afterRun, type HeldNode } from '../support/held-node.js'
import { countOf, mutate, withForeignRules } from '../support/mutations.js'
import { dumpOf } from '../support/node-dump.js'
import { readDump } from '../support/read-dump.js'

// Single changes to what the real kube-proxy left behind, for every step of every conformance case. It runs where
// KUBE_RULES_CONFORMANCE names the folder of the cases.

const folder = process.env.KUBE_RULES_CONFORMANCE
const KINDS = ['drop', 'duplicate', 'swap', 'edit', 'delete chain', 'add chain'] as const
/** Of each kind in each step, evenly over the places. */
const MUTATIONS = Number(process.env.KUBE_RULES_MUTATIONS ?? 12)

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

type KubeObject = { readonly kind: string; readonly mode?: string; readonly metadata?: { readonly name: string } }

interface Case {
  readonly name: string
  readonly ipFamily: IpFamily
  readonly host: CompileInput['host']
  readonly steps: readonly { readonly objects: readonly KubeObject[]; readonly expected: Expected }[]
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

function* steps() {
  const files =
    folder === undefined
      ? []
      : readdirSync(folder)
          .filter((file) => file.endsWith('.json'))
          .sort()
  for (const file of files) {
    const one: Case = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
    for (const [index, step] of one.steps.entries())
      if (step.expected.tables) yield { one, step, name: `${one.name} ${index + 1}` }
  }
}

const casesAreThere = folder !== undefined && existsSync(folder)

describe.skipIf(!casesAreThere)('conformance cases (skipped unless KUBE_RULES_CONFORMANCE names their folder)', () => {
  it('shows drift after every single change, and none after its repair', { timeout: 3_600_000 }, () => {
    const counts = new Map<string, number>()
    for (const { one, step, name } of steps()) {
      const of = (kind: string) => step.objects.filter((object) => object.kind === kind)
      const family = one.ipFamily
      const input = {
        services: of('Service'),
        endpointSlices: of('EndpointSlice'),
        endpoints: of('Endpoints'),
        nodes: of('Node'),
        configuration: of('KubeProxyConfiguration')[0],
        host: one.host,
      } as unknown as CompileInput
      const nodeName = of('Node')[0]?.metadata?.name
      const result = compile(input, { nodeName, kubernetesVersion: '1.30', families: [family] })
      const reportOf = (held: HeldNode) => verify(result, readDump(dumpOf(held, family), { family })).families[0]
      const node = nodeOf(step.expected, family)
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
