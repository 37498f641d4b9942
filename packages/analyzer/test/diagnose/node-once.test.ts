import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import { hasNatServiceRules } from '../../src/diagnose/emptied-table.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { explain } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { verify } from '../../src/verify/verify.js'

const input = { services: [service()], endpointSlices: [slice(at('10.244.1.5', '10.244.1.6'))] }
const result = compile(input, { families: ['IPv4'], kubernetesVersion: '1.34' })
const [family] = result.families
if (family === undefined) throw new Error('no family')
const text = print(family.state, { format: 'save' })

/** Returns the dump of a node after lines with a text were removed. */
function dumpWithout(part: string) {
  const lines = text.split('\n').filter((line) => !line.startsWith('-A') || !line.includes(part))
  const read = parseDump(lines.join('\n'), { family: 'IPv4' })
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

const packet: Packet = {
  ...{ origin: 'pod', source: '10.244.9.9', protocol: 'TCP' },
  ...{ destination: '10.96.0.1', destinationPort: 80 },
}

describe('the report of a node', () => {
  const dump = dumpWithout('-d 10.96.0.1/32')
  const [report] = verify(result, dump).families
  const state = annotateOwners(dump.IPv4, family.state)
  const explanation = explain(state, packet, { plan: family.plan, compiled: family.state })

  it('makes no difference to diagnoses of packets', () => {
    const diagnoses = diagnosePacket(explanation, state, { result, report })
    expect(diagnoses.map(({ code }) => code)).toEqual(['missingRule'])
    expect(diagnoses).toEqual(diagnosePacket(explanation, dump.IPv4, { result }))
    // The steps of a second packet are tried on the same changed rules.
    expect(diagnosePacket(explanation, state, { result, report })).toEqual(diagnoses)
  })

  it('is the source of the drift in diagnoses', () => {
    if (report === undefined) throw new Error('no report')
    const without = { ...report, drift: [] }
    // A copy, because the drift of a state is found once.
    expect(diagnosePacket(explanation, annotateOwners(state), { result, report: without })).toEqual([])
  })

  it('is not used for another result', () => {
    const copy = annotateOwners(state)
    diagnosePacket(explanation, copy, { result, report })
    const other = compile({ ...input, services: [] }, { families: ['IPv4'], kubernetesVersion: '1.34' })
    expect(diagnosePacket(explanation, copy, { result: other })).toEqual(
      diagnosePacket(explanation, dump.IPv4, { result: other }),
    )
  })
})

describe('hasNatServiceRules', () => {
  it.each([
    ['all rules', family.state, true],
    ['one missing rule', dumpWithout('-d 10.96.0.1/32').IPv4, true],
    ['empty chains', dumpWithout('').IPv4, false],
    ['no tables', { family: 'IPv4' } as const, false],
    ['only rules of other chains', dumpWithout('KUBE-S').IPv4, false],
  ])('reports whether rules for Services exist: %s', (_, state, expected) => {
    expect(hasNatServiceRules(state)).toBe(expected)
  })
})
