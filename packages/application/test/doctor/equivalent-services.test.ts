import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { createServiceClassifier } from '../../src/doctor/equivalent-services.js'
import type { ExplainedNode } from '../../src/explain.js'
import { InputError } from '../../src/messages.js'
import {
  changeLine,
  dumpedNode,
  lineChanges,
  MODES,
  node,
  outcomesOf,
  save,
  service,
  slice,
  withoutReport,
} from './dumped-node.js'

const OBJECTS = [
  node,
  ...[1, 2, 3, 4].flatMap((index) => [service(index), slice(index, `10.1.0.${index}`, `10.1.1.${index}`)]),
  ...[5, 6].map((index) => service(index)),
  ...[7, 8].flatMap((index) => [
    service(index, { type: 'LoadBalancer', externalTrafficPolicy: 'Local', externalIPs: [`203.0.113.${index}`] }),
    slice(index, `10.1.0.${index}`),
  ]),
  // The same external IP and port as that of another Service.
  service(9, { externalIPs: ['203.0.113.7'] }),
  slice(9, '10.1.0.9'),
]

/** Rules of other programs, as iptables-save prints them. */
const FOREIGN: Readonly<Record<string, string>> = {
  'no rules': '',
  'a rule for one cluster IP': save('raw', ':PREROUTING ACCEPT [0:0]', '-A PREROUTING -d 10.0.0.2/32 -j DROP'),
  'a rule for one endpoint': save('mangle', ':FORWARD ACCEPT [0:0]', '-A FORWARD -d 10.1.0.3/32 -j DROP'),
  'a rule for a network': save('mangle', ':FORWARD ACCEPT [0:0]', '-A FORWARD -d 10.1.0.2/31 -j DROP'),
  'a rule for a port': save('mangle', ':FORWARD ACCEPT [0:0]', '-A FORWARD -p tcp -m tcp --dport 8080 -j DROP'),
  'a chain for two endpoints': save(
    'mangle',
    ...[':POSTROUTING ACCEPT [0:0]', ':CNI-A - [0:0]', '-A POSTROUTING -j CNI-A'],
    ...['-A CNI-A -s 10.1.0.0/16 -j RETURN', '-A CNI-A -d 10.1.1.4/32 -j DROP', '-A CNI-A -d 10.1.0.4/32 -j RETURN'],
  ),
  'an unknown match': save('mangle', ':FORWARD ACCEPT [0:0]', '-A FORWARD -d 10.1.0.1/32 -m bpf --object x -j DROP'),
}

const FOREIGN_NAMES = Object.keys(FOREIGN)

describe.each(MODES)('the check of a dump in %s mode', (mode) => {
  it.each(FOREIGN_NAMES)('reports the same with and without reuse: %s', (name) => {
    const dumped = dumpedNode(mode, OBJECTS, FOREIGN[name] ?? '')
    expect(dumped.families[0]?.report?.drift).toEqual([])
    expect(outcomesOf(dumped)).toEqual(outcomesOf(withoutReport(dumped)))
  })

  it('reuses outcomes of service ports that no other rule mentions', () => {
    const classesOf = (foreign: string) => {
      const [family] = dumpedNode(mode, OBJECTS, foreign).families
      if (family?.plan === undefined) throw new Error('no plan')
      return family.plan.services.map(createServiceClassifier(family, family.plan))
    }
    const [one, two, three, four] = classesOf('')
    expect(one).toBeDefined()
    expect([two, three, four]).toEqual([one, one, one])
    // Both Services claim 203.0.113.7.
    expect([classesOf('')[6], classesOf('')[8]]).toEqual([undefined, undefined])
    const besideRule = classesOf(FOREIGN['a rule for one endpoint'] ?? '')
    expect(besideRule[2]).toBeUndefined()
    expect(besideRule[0]).toBeDefined()
    expect(besideRule[1]).toBe(besideRule[0])
    const inNetwork = classesOf(FOREIGN['a rule for a network'] ?? '')
    expect(inNetwork[2]).toBe(inNetwork[1])
    expect(inNetwork[1]).not.toBe(inNetwork[0])
  })

  it('reuses outcomes of service ports that drift does not mention', () => {
    const drifted = dumpedNode(mode, OBJECTS, '', (text) => text.replaceAll('10.1.0.2', '10.1.0.22'))
    const [family] = drifted.families
    if (family?.plan === undefined) throw new Error('no plan')
    const [one, two, three, four] = family.plan.services.map(createServiceClassifier(family, family.plan))
    expect(two).toBeUndefined()
    expect(one).toBeDefined()
    expect([three, four]).toEqual([one, one])
    expect(outcomesOf(drifted)).toEqual(outcomesOf(withoutReport(drifted)))
    expect(JSON.stringify(outcomesOf(drifted))).toContain('"divergence":"drift"')
  })

  it('reports the same with and without reuse for any drift', () => {
    let [reused, drifted] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(lineChanges, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...FOREIGN_NAMES),
        (all, name) => {
          let node: ExplainedNode
          try {
            node = dumpedNode(mode, OBJECTS, FOREIGN[name] ?? '', (text) => all.reduce(changeLine, text))
          } catch (error) {
            // A changed line may be no output of a tool.
            if (error instanceof InputError) return
            throw error
          }
          const [family] = node.families
          if (family?.plan === undefined) throw new Error('no plan')
          if ((family.report?.drift.length ?? 0) > 0) {
            drifted++
            const classOf = createServiceClassifier(family, family.plan)
            if (family.plan.services.some((each) => classOf(each) !== undefined)) reused++
          }
          expect(outcomesOf(node)).toEqual(outcomesOf(withoutReport(node)))
        },
      ),
      { numRuns: runs(60) },
    )
    if (isWhole) expect(drifted).toBeGreaterThan(5)
    if (isWhole) expect(reused).toBeGreaterThan(0)
  })
})
