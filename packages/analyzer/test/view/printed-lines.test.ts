import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import { type NodeState, SUBSYSTEMS } from '../../../compiler/src/dataplane/node-state.js'
import { formatServicePort } from '../../../compiler/src/model/services/format-service-port.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { type PrintOptions, print } from '../../../compiler/src/print/print.js'
import { PROXY_MODES } from '../../../compiler/src/targets/modes.js'
import { type Case, cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { findRuleLines } from '../../src/view/printed-line.js'
import { createLinePrinter, printLines } from '../../src/view/printed-lines.js'
import { toRuleReference } from '../../src/view/references.js'

const FORMATS: readonly PrintOptions[] = [
  { format: 'restore' },
  { format: 'save' },
  { format: 'save', backend: 'legacy' },
  { format: 'listing' },
  { format: 'listing', listing: { verbose: true, lineNumbers: true } },
]
const OPTIONS = FORMATS.flatMap((each) => [each, ...SUBSYSTEMS.map((subsystem) => ({ ...each, subsystem }))])

function expectToBePrinted(state: NodeState): void {
  for (const options of OPTIONS) {
    const lines = printLines(state, options)
    expect(lines.map(({ text }) => `${text}\n`).join('')).toBe(print(state, options))
  }
}

/** Returns the service ports with an address and port that no other service port claims. */
function uncontested({ services }: Plan): readonly string[] {
  const places = services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address, port, kind }) =>
      address === undefined || kind === 'nodePort'
        ? []
        : [{ text: formatServicePort(id), place: `${id.protocol} ${address} ${port}` }],
    ),
  )
  return places.flatMap(({ text, place }) =>
    places.some((other) => other.place === place && other.text !== text) ? [] : [text],
  )
}

function familiesOf({ cluster, options }: Case): readonly FamilyResult[] {
  return compile(cluster, options).families
}

describe.each(PROXY_MODES)('printed lines of %s mode', (mode) => {
  const ofMode = cases.map((given): Case => {
    const options = optionsOfMode(given.options, mode)
    return { cluster: understoodCluster(given.cluster, options), options }
  })

  it('are the same in every format', () => {
    fc.assert(
      fc.property(ofMode, (given) => {
        for (const { state } of familiesOf(given)) expectToBePrinted(state)
      }),
      { numRuns: fewRuns(15) },
    )
  })

  it('exist for exactly the served service ports', () => {
    fc.assert(
      fc.property(ofMode, (given) => {
        for (const { state, plan } of familiesOf(given)) {
          const known = plan.services.map(({ id }) => formatServicePort(id))
          for (const options of FORMATS) {
            const owners = new Set(printLines(state, options).map(({ servicePort }) => servicePort))
            owners.delete('')
            expect(known).toEqual(expect.arrayContaining([...owners]))
            expect([...owners]).toEqual(expect.arrayContaining([...uncontested(plan)]))
          }
        }
      }),
      { numRuns: fewRuns(15) },
    )
  })

  it('are the same whether one printer prints all states or each state has a new printer', () => {
    fc.assert(
      fc.property(fc.array(ofMode, { minLength: 2, maxLength: 4 }), fc.constantFrom(...FORMATS), (given, spelled) => {
        const linesOf = createLinePrinter()
        const options = given[0]?.options
        let previous: CompileResult | undefined
        // Combines the object lists of two clusters, so that some objects remain. The node and its configuration always
        // remain.
        for (const [index, { cluster }] of given.entries()) {
          const { endpointSlices, endpoints } = index % 2 === 0 ? cluster : (given[index - 1]?.cluster ?? cluster)
          const input = { ...given[0]?.cluster, services: cluster.services, endpointSlices, endpoints }
          const result = compile(input, { ...options, previous })
          for (const { state } of result.families) {
            expect(linesOf(state, spelled)).toEqual(printLines(state, spelled))
          }
          previous = result
        }
      }),
      { numRuns: fewRuns(20) },
    )
  })

  it('contain the rule of every step of a trace', () => {
    const samples = ofMode.chain((given) => {
      const families = familiesOf(given)
      const packets = families.map(({ plan }) => fc.array(anyPacket(plan), { minLength: 4, maxLength: 4 }))
      return fc
        .tuple(...packets)
        .map((lists) => families.map((family, index) => ({ family, packets: lists[index] ?? [] })))
    })
    fc.assert(
      fc.property(samples, (families) => {
        for (const { family, packets } of families) {
          const { state, plan } = family
          const printed = FORMATS.map((options) => ({ options, lines: printLines(state, options) }))
          // Most rules are a step of many paths.
          const seen = new Set<string>()
          for (const packet of packets) {
            for (const step of trace(state, packet, traceContextFor(plan)).flatMap(({ steps }) => steps)) {
              const rule = toRuleReference(step)
              const key = JSON.stringify([rule, step.table, step.hook, step.servicePort])
              if (seen.has(key)) continue
              seen.add(key)
              for (const { lines, options } of printed) {
                // The input of iptables-restore excludes jumps from built-in chains.
                if (options.format !== 'save' && step.table.startsWith('iptables') && step.chain === step.hook) continue
                const found = findRuleLines(lines, rule).map((index) => lines[index])
                expect(found.length, `${rule.location}: ${rule.text}`).toBeGreaterThan(0)
                if (step.servicePort !== '') expect(found.map((line) => line?.servicePort)).toContain(step.servicePort)
              }
            }
          }
        }
      }),
      { numRuns: fewRuns(15) },
    )
  })
})

it('line printer returns the identical lines for unchanged service ports', () => {
  const service = (name: string, clusterIP: string) => ({
    metadata: { namespace: 'default', name },
    spec: { clusterIP, ports: [{ name: 'http', port: 80 }] },
  })
  const slice = (name: string, address: string) => ({
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: [address] }],
  })
  const services = [service('a', '10.96.0.1'), service('b', '10.96.0.2')]
  const [a, b, other] = [slice('a', '10.244.0.1'), slice('b', '10.244.0.2'), slice('b', '10.244.0.3')]
  const options = { mode: 'iptables', families: ['IPv4'] } as const
  const before = compile({ services, endpointSlices: [a, b] }, options)
  const after = compile({ services, endpointSlices: [a, other] }, { ...options, previous: before })
  const linesOf = createLinePrinter()
  const [first, second] = [before, after].map(({ families }) =>
    families.flatMap(({ state }) => linesOf(state, { format: 'save' })),
  )
  const ofPort = (name: string) =>
    (second ?? []).filter(({ servicePort }) => servicePort === `default/${name}:http/TCP`)
  expect(ofPort('a').length).toBeGreaterThan(3)
  expect(ofPort('a').every((line) => first?.includes(line))).toBe(true)
  expect(ofPort('b').some((line) => first?.includes(line))).toBe(false)
})

describe.each([...CORPUS_DUMPS.keys()])('printed lines of the dump %s', (name) => {
  it('are the same in every format', () => {
    const dump = readDump(CORPUS_DUMPS.get(name) ?? '')
    for (const state of [dump.IPv4, dump.IPv6]) expectToBePrinted(annotateOwners(state))
  })
})
