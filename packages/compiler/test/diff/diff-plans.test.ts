import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import { diffPlans } from '../../src/diff/diff-plans.js'
import type { Plan } from '../../src/plan/plan.js'
import { histories } from '../support/edits.js'
import { at, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'

const OPTIONS = { families: ['IPv4'], nodeName: 'node-1' } as const

function planOf(...args: Parameters<typeof compile>): Plan {
  const [family] = compile(...args).families
  if (family === undefined) throw new Error('no family')
  return family.plan
}

const WEB = service()
const DB = service({ clusterIP: '10.96.0.2' }, { metadata: { namespace: 'ns1', name: 'db' } })

function namesOf(before: Plan | undefined, after: Plan | undefined): readonly string[] {
  return diffPlans(before, after).servicePorts.map(
    (change) => `${change.before?.id.text ?? 'none'} > ${change.after?.id.text ?? 'none'}`,
  )
}

describe('diffPlans', () => {
  const one = planOf({ services: [WEB], endpointSlices: [slice(at('10.244.1.1'))] }, OPTIONS)
  const two = planOf({ services: [WEB, DB], endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))] }, OPTIONS)

  it('returns added, removed and changed service ports in the order of the plans', () => {
    expect(namesOf(one, two)).toEqual(['none > ns1/db:http', 'ns1/web:http > ns1/web:http'])
    expect(namesOf(two, one)).toEqual(['ns1/db:http > none', 'ns1/web:http > ns1/web:http'])
    expect(namesOf(undefined, one)).toEqual(['none > ns1/web:http'])
    expect(namesOf(one, undefined)).toEqual(['ns1/web:http > none'])
  })

  it('ignores equal service ports that are other objects', () => {
    expect(diffPlans(two, structuredClone(two))).toEqual({ headerChanged: false, servicePorts: [] })
  })

  it('reports a changed node or configuration', () => {
    const other = planOf(
      {
        services: [WEB],
        endpointSlices: [slice(at('10.244.1.1'))],
        configuration: { nodePortAddresses: ['10.0.0.0/8'] },
      },
      OPTIONS,
    )
    expect(diffPlans(one, other)).toEqual({ headerChanged: true, servicePorts: [] })
    expect(diffPlans(one, two).headerChanged).toBe(false)
    expect(diffPlans(undefined, one).headerChanged).toBe(true)
    expect(diffPlans(undefined, undefined)).toEqual({ headerChanged: false, servicePorts: [] })
  })

  it('changes one plan to the other, with and without a previous result', () => {
    fc.assert(
      fc.property(histories, ({ inputs, options }) => {
        const [first, second] = inputs as readonly [Cluster, Cluster]
        const previous = compile(first, options)
        for (const next of [compile(second, { ...options, previous }), compile(second, options)]) {
          for (const [index, { plan }] of next.families.entries()) {
            const before = previous.families[index]?.plan
            const { servicePorts, headerChanged } = diffPlans(before, plan)
            expect(headerChanged).toBe(textOf({ ...before, ...WITHOUT }) !== textOf({ ...plan, ...WITHOUT }))
            expect(applied(before, servicePorts)).toEqual(keyed(plan))
            for (const change of servicePorts) expect(textOf(change.before)).not.toBe(textOf(change.after))
          }
        }
      }),
      { numRuns: runs(100) },
    )
  })
})

const WITHOUT = { services: undefined, unassignedEndpoints: undefined, endpointCount: undefined }

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value)
}

function keyed(plan: Plan | undefined): ReadonlyMap<string, string | undefined> {
  return new Map((plan?.services ?? []).map((each) => [`${each.id.text} ${each.id.protocol}`, textOf(each)]))
}

/** Returns the service ports after the changes. */
function applied(before: Plan | undefined, changes: ReturnType<typeof diffPlans>['servicePorts']) {
  const services = new Map(keyed(before))
  for (const change of changes) {
    const { id } = change.after ?? change.before ?? {}
    const key = `${id?.text} ${id?.protocol}`
    if (change.after === undefined) services.delete(key)
    else services.set(key, textOf(change.after))
  }
  return services
}
