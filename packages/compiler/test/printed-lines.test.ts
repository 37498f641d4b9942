import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attribute } from '../src/attribute.js'
import type { FamilyResult } from '../src/compilation/compile-result.js'
import { compile } from '../src/compile.js'
import { languageNames } from '../src/dataplane/language-of.js'
import type { NodeState } from '../src/dataplane/languages.js'
import type { Plan } from '../src/plan/plan.js'
import { type PrintStateOptions, print } from '../src/print.js'
import { printedLines } from '../src/printed-lines.js'
import { servicePortText } from '../src/services/service-port-text.js'
import { modeNames } from '../src/targets/mode-of.js'
import { surroundingsOf, trace } from '../src/trace.js'
import { linesOfRule } from '../src/view/printed-line.js'
import { ruleOfStep } from '../src/view/references.js'
import { type Case, cases, optionsOfMode, understoodCluster } from './support/clusters.js'
import { packetsFor } from './support/packets.js'
import { CORPUS_DUMPS, readDump } from './support/read-dump.js'
import { fewRuns } from './support/runs.js'

const SPELLINGS: readonly PrintStateOptions[] = [
  { spelling: 'restore' },
  { spelling: 'save' },
  { spelling: 'save', backend: 'legacy' },
  { spelling: 'listing' },
]
const OPTIONS = SPELLINGS.flatMap((each) => [each, ...languageNames().map((language) => ({ ...each, language }))])

function expectToBePrinted(state: NodeState): void {
  for (const options of OPTIONS) {
    const lines = printedLines(state, options)
    expect(lines.map(({ text }) => `${text}\n`).join('')).toBe(print(state, options))
  }
}

/** The service ports with an address and port that no other one asks for: those are served. */
function uncontested({ services }: Plan): readonly string[] {
  const places = services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address, port, kind }) =>
      address === undefined || kind === 'nodePort'
        ? []
        : [{ text: servicePortText(id), place: `${id.protocol} ${address} ${port}` }],
    ),
  )
  return places.flatMap(({ text, place }) =>
    places.some((other) => other.place === place && other.text !== text) ? [] : [text],
  )
}

function familiesOf({ cluster, options }: Case): readonly FamilyResult[] {
  return compile(cluster, options).families
}

describe.each(modeNames())('mode %s', (mode) => {
  const ofMode = cases.map((given): Case => {
    const options = optionsOfMode(given.options, mode)
    return { cluster: understoodCluster(given.cluster, options), options }
  })

  it('prints the same lines in every spelling', () => {
    fc.assert(
      fc.property(ofMode, (given) => {
        for (const { state } of familiesOf(given)) expectToBePrinted(state)
      }),
      { numRuns: fewRuns(15) },
    )
  })

  it('has a line of every service port that is served, and none of any other', () => {
    fc.assert(
      fc.property(ofMode, (given) => {
        for (const { state, plan } of familiesOf(given)) {
          const known = plan.services.map(({ id }) => servicePortText(id))
          for (const options of SPELLINGS) {
            const owners = new Set(printedLines(state, options).map(({ servicePort }) => servicePort))
            owners.delete('')
            expect(known).toEqual(expect.arrayContaining([...owners]))
            expect([...owners]).toEqual(expect.arrayContaining([...uncontested(plan)]))
          }
        }
      }),
      { numRuns: fewRuns(15) },
    )
  })

  it('finds the rule of every step of a trace', () => {
    const samples = ofMode.chain((given) => {
      const families = familiesOf(given)
      const packets = families.map(({ plan }) => fc.array(packetsFor(plan), { minLength: 4, maxLength: 4 }))
      return fc
        .tuple(...packets)
        .map((lists) => families.map((family, index) => ({ family, packets: lists[index] ?? [] })))
    })
    fc.assert(
      fc.property(samples, (families) => {
        for (const { family, packets } of families) {
          const { state, plan } = family
          const printed = SPELLINGS.map((options) => ({ options, lines: printedLines(state, options) }))
          for (const packet of packets) {
            for (const step of trace(state, packet, surroundingsOf(plan)).flatMap(({ steps }) => steps)) {
              const rule = ruleOfStep(step)
              for (const { lines, options } of printed) {
                // Jumps from built-in chains are no part of what is fed to iptables-restore.
                if (options.spelling !== 'save' && step.by.startsWith('iptables') && step.chain === step.hook) continue
                const found = linesOfRule(lines, rule).map((index) => lines[index])
                expect(found.length, `${rule.place}: ${rule.text}`).toBeGreaterThan(0)
                if (step.owner !== '') expect(found.map((line) => line?.servicePort)).toContain(step.owner)
              }
            }
          }
        }
      }),
      { numRuns: fewRuns(15) },
    )
  })
})

describe.each([...CORPUS_DUMPS.keys()])('%s', (name) => {
  it('prints the same lines in every spelling', () => {
    const dump = readDump(CORPUS_DUMPS.get(name) ?? '')
    for (const state of [dump.IPv4, dump.IPv6]) expectToBePrinted(attribute(state))
  })
})
