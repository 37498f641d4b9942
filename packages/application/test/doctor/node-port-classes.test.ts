import type { ProxyMode } from '@kube-rules/compiler'
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

const nodePort = (index: number, port: number, spec: object = {}) =>
  service(index, { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: port }], ...spec })

/** Four Services with node ports that differ only in addresses and names, and one beside them. */
const OBJECTS = [
  node,
  ...[1, 2, 3, 4].flatMap((index) => [nodePort(index, 30_000 + 10 * index), slice(index, `10.1.0.${index}`)]),
  service(5, { ports: [{ name: 'http', port: 30_010 }] }),
  slice(5, '10.1.0.5'),
]

function classesOf({ families: [family] }: ExplainedNode): readonly (string | undefined)[] {
  if (family?.plan === undefined) throw new Error('no plan')
  return family.plan.services.map(createServiceClassifier(family, family.plan))
}

const drop = (...matches: readonly string[]) =>
  save('mangle', ':PREROUTING ACCEPT [0:0]', `-A PREROUTING -p tcp ${matches.join(' ')} -j DROP`)

/** Adds rules of another program before those of kube-proxy that translate destinations. */
function translate(mode: ProxyMode, rule: string): { readonly foreign: string; readonly change: Change } {
  if (mode === 'nftables') {
    return { foreign: save('nat', ':PREROUTING ACCEPT [0:0]', `-A PREROUTING ${rule}`), change: (text) => text }
  }
  return { foreign: '', change: (text) => text.replace(/^(?=-A PREROUTING )/m, `-A PREROUTING ${rule}\n`) }
}

type Change = (text: string) => string

describe.each(MODES)('the class of a service port with a node port in %s mode', (mode) => {
  it('is the same if only addresses, names and the node port differ', () => {
    const [one, two, three, four, beside] = classesOf(dumpedNode(mode, OBJECTS, ''))
    expect(one).toEqual(expect.any(String))
    expect([two, three, four]).toEqual([one, one, one])
    // Its port is the node port of another Service.
    expect(beside).toBe(undefined)
  })

  it.each([
    ['a port', drop('-m tcp --dport 30020'), [0, 1, 0, 0]],
    ['a range', drop('-m tcp --dport 30020:30035'), [0, 1, 1, 0]],
    ['the other ports', drop('-m tcp ! --dport 30020'), [0, 1, 0, 0]],
    ['several ports', drop('-m multiport --dports 30015:30025,30040'), [0, 1, 0, 2]],
  ])('differs if a rule of another program matches %s', (_, foreign, groups) => {
    const dumped = dumpedNode(mode, OBJECTS, foreign)
    const classes = classesOf(dumped).slice(0, 4)
    for (const [index, one] of classes.entries()) {
      for (const [at, other] of classes.entries()) {
        const isSame = one !== undefined && one === other
        if (index !== at && groups[index] !== groups[at]) expect(isSame, `${index} and ${at}`).toBe(false)
      }
    }
    expect(outcomesOf(dumped)).toEqual(outcomesOf(withoutReport(dumped)))
    expect(JSON.stringify(outcomesOf(dumped))).toContain('"dropped"')
  })

  // In ipvs mode, packets of pods to the second Service reach its endpoint through the first one, and all others are lost.
  it.each([
    ['to a node port', '-s 10.1.0.0/16 -p tcp -m tcp --dport 80 -j DNAT --to-destination 192.168.0.1:30010'],
    ['to a cluster IP', '-s 10.1.0.0/16 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.0.0.1:80'],
  ])('does not exist if packets are sent %s of a Service with the same endpoint', (_, rule) => {
    const [first, one, ...rest] = OBJECTS
    const objects = [first, one, slice(1, '10.1.0.2'), ...rest.slice(1)].flatMap((each) => each ?? [])
    const { foreign, change } = translate(mode, rule)
    const dumped = dumpedNode(mode, objects, foreign, change)
    expect(outcomesOf(dumped)).toEqual(outcomesOf(withoutReport(dumped)))
  })

  it('never changes the result, for any cluster, drift and rule of another program', () => {
    const draws = { reused: 0, lost: 0 }
    fc.assert(
      fc.property(
        clusters,
        fc.constantFrom(...RULES),
        fc.array(lineChanges, { maxLength: 1 }),
        (objects, rule, all) => {
          const { foreign, change } =
            rule === '' ? { foreign: '', change: (text: string) => text } : translate(mode, rule)
          let dumped: ExplainedNode
          try {
            dumped = dumpedNode(mode, objects, foreign, (text) => all.reduce(changeLine, change(text)))
          } catch (error) {
            // A changed line may be no output of a tool.
            if (error instanceof InputError) return
            throw error
          }
          const outcomes = outcomesOf(dumped)
          expect(outcomes).toEqual(outcomesOf(withoutReport(dumped)))
          if (outcomes.some(({ lost }) => lost.length > 0)) draws.lost++
          if (reusesNodePort(dumped)) draws.reused++
        },
      ),
      { numRuns: runs(60) },
    )
    // Every draw is compared; these must not all be trivial.
    if (isWhole) expect(draws.reused).toBeGreaterThan(0)
    if (isWhole) expect(draws.lost).toBeGreaterThan(0)
  })
})

/** Reports whether two service ports with node ports have the same class. */
function reusesNodePort(dumped: ExplainedNode): boolean {
  const services = dumped.families[0]?.plan?.services ?? []
  const classes = classesOf(dumped).filter((_, index) =>
    services[index]?.frontends.some(({ kind }) => kind === 'nodePort'),
  )
  return classes.some((each, index) => each !== undefined && classes.indexOf(each) < index)
}

const RULES: readonly string[] = [
  ...['', '', ''],
  '-p tcp -m tcp --dport 30001 -j REDIRECT --to-ports 30002',
  '-p tcp -m tcp --dport 80 -j REDIRECT --to-ports 30001',
  '-s 10.1.0.0/16 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.0.0.1:80',
  '-d 192.168.0.1/32 -p tcp -m tcp --dport 30001:30002 -j RETURN',
  '-p tcp -m tcp --dport 30002:30003 -j DNAT --to-destination 10.1.0.2:8080',
  '-s 10.1.0.0/16 -p tcp -m tcp --dport 80 -j DNAT --to-destination 192.168.0.1:30003',
]

/** The properties that all Services of a cluster may have in common without a conflict. */
const common = {
  kind: fc.constantFrom('NodePort', 'NodePort', 'LoadBalancer'),
  port: fc.constantFrom(80, 443),
  isLocal: fc.boolean(),
  endpoints: fc.constantFrom(...(['own', 'own', 'own', 'none'] as const)),
  protocol: fc.constantFrom('TCP', 'TCP', 'UDP'),
  affinity: fc.constantFrom('None', 'None', 'ClientIP'),
}

/** The properties of one Service that differ from the common ones. */
const deviation = fc.oneof(
  fc.record({ kind: fc.constant('ClusterIP') }),
  fc.record({ port: fc.constant(30_001) }),
  fc.record({ nodePort: fc.constantFrom(30_002, 29_999) }),
  fc.record({ isLocal: fc.boolean() }),
  fc.record({ externalIP: fc.constantFrom('203.0.113.1', '192.168.0.1') }),
  fc.record({ endpoints: fc.constantFrom(...(['shared', 'node', 'none'] as const)) }),
  fc.record({ protocol: fc.constantFrom('UDP', 'SCTP') }),
)

/** Services that are alike but for one property of some of them, so that few or many of them have the same class. */
const clusters = fc
  .tuple(fc.record(common), fc.array(fc.option(deviation, { freq: 1 }), { minLength: 3, maxLength: 5 }))
  .map(([shared, own]) => [node, ...own.flatMap((each, at) => objectsOf({ ...shared, ...each }, at + 1))])

interface Drawn {
  readonly kind: string
  readonly port: number
  readonly nodePort?: number | undefined
  readonly isLocal: boolean
  readonly externalIP?: string | undefined
  readonly endpoints: 'own' | 'shared' | 'node' | 'none'
  readonly protocol: string
  readonly affinity: string
}

function objectsOf(drawn: Drawn, index: number): readonly object[] {
  const { kind, protocol } = drawn
  const port = { name: 'http', port: drawn.port, protocol, targetPort: 8080 }
  const isExternal = kind !== 'ClusterIP'
  const isLocal = isExternal && drawn.isLocal
  const spec = {
    ...{ type: kind, sessionAffinity: drawn.affinity },
    ports: [isExternal ? { ...port, nodePort: drawn.nodePort ?? 30_000 + index } : port],
    ...(isLocal ? { externalTrafficPolicy: 'Local' } : {}),
    ...(isLocal && kind === 'LoadBalancer' ? { healthCheckNodePort: 30_100 + index } : {}),
    ...(drawn.externalIP === undefined ? {} : { externalIPs: [drawn.externalIP] }),
  }
  const first = { own: [`10.1.0.${index}`], shared: ['10.1.0.2'], node: ['192.168.0.1'], none: [] }[drawn.endpoints]
  const own = slice(index, ...first, ...(first.length > 0 ? [`10.1.1.${index}`] : []))
  return [service(index, spec), { ...own, ports: [{ name: 'http', port: 8080, protocol }] }]
}
