import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../src/compilation/compile-result.js'
import type { RuleBlock } from '../../src/dataplane/iptables/ast.js'
import type { ServicePlan } from '../../src/plan/plan.js'
import { type History, histories } from '../support/edits.js'
import { factsOf } from '../support/facts-of.js'
import { at, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'

/** Compiles the results of a history, each from the previous one. */
function follow({ inputs, options }: History): readonly CompileResult[] {
  const results: CompileResult[] = []
  for (const input of inputs) results.push(compile(input, { ...options, previous: results.at(-1) }))
  return results
}

interface Neighbours {
  readonly before: CompileResult
  readonly after: CompileResult
  readonly inputs: readonly [Cluster, Cluster]
}

/** Returns successive results that differ in services and endpoints only. */
function neighbours(history: History): readonly Neighbours[] {
  const results = follow(history)
  return results.slice(1).flatMap((after, index) => {
    const [before, older, newer] = [results[index], history.inputs[index], history.inputs[index + 1]]
    if (before === undefined || older === undefined || newer === undefined) return []
    const sameNode = (['configuration', 'host', 'nodes'] as const).every((field) => older[field] === newer[field])
    return sameNode ? [{ before, after, inputs: [older, newer] }] : []
  })
}

function plansByKey({ family, plan }: FamilyResult): readonly (readonly [string, ServicePlan])[] {
  return plan.services.map((service) => [`${family} ${service.id.text} ${service.id.protocol}`, service])
}

/** Returns all input of one Service as text; its objects may be invalid. */
function sourceObjectsOf(
  { services, endpointSlices, endpoints }: Cluster,
  { namespace, name }: ServicePlan['id'],
): string {
  const ofService = (objects: readonly (Service | EndpointSlice | Endpoints)[]) =>
    objects.filter((object) => object?.metadata?.namespace === namespace && object.metadata.name === name)
  const slices = endpointSlices.filter((slice) => slice?.metadata?.namespace === namespace)
  const own = slices.filter(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === name)
  return JSON.stringify([ofService(services), own, ofService(endpoints)])
}

function plansOf(result: CompileResult): readonly ServicePlan[] {
  return result.families.flatMap(({ plan }) => plan.services)
}

/** Returns the blocks of the service ports with these plans, one list for each. */
function blocksOf(result: CompileResult, plans: ReadonlySet<ServicePlan>): readonly (readonly RuleBlock[])[] {
  if (result.mode === 'ipvs') return []
  return result.families.flatMap(({ plan, state }) =>
    plan.services
      .filter((service) => plans.has(service))
      .map(({ id }) =>
        (state.iptables?.tables ?? []).flatMap(({ blocks }) =>
          blocks.filter(({ owner }) => owner === `${id.text}/${id.protocol}`),
        ),
      ),
  )
}

describe('compile with a previous result', () => {
  it('returns the same result as a full compile', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const full = history.inputs.map((input) => factsOf(compile(input, history.options)))
        expect(follow(history).map(factsOf)).toEqual(full)
      }),
      { numRuns: runs(22) },
    )
  })

  it('returns correct results if several compiles use the same previous result', () => {
    fc.assert(
      fc.property(histories, ({ inputs, options }) => {
        const middle = Math.ceil(inputs.length / 2)
        const previous = follow({ inputs: inputs.slice(0, middle), options }).at(-1)
        for (const input of inputs.slice(middle - 1).reverse()) {
          expect(factsOf(compile(input, { ...options, previous }))).toEqual(factsOf(compile(input, options)))
        }
      }),
      { numRuns: runs(12) },
    )
  })

  it('uses the last of two Services with the same name, even if the two have swapped positions', () => {
    const [one, two] = [service(), service({ clusterIP: '10.96.0.2' })]
    const previous = compile({ services: [one, two] })
    const result = compile({ services: [two, one] }, { previous })
    expect(factsOf(result)).toEqual(factsOf(compile({ services: [two, one] })))
    expect(result.families[0]?.plan.services[0]?.frontends[0]?.address).toBe('10.96.0.1')
  })

  it('does not use a Service that was removed in an earlier compile', () => {
    const slices = [slice(at('10.244.1.1'))]
    const first = compile({ services: [service()] })
    const gone = compile({ services: [] }, { previous: first })
    const result = compile({ services: [], endpointSlices: slices }, { previous: gone })
    expect(factsOf(result)).toEqual(factsOf(compile({ services: [], endpointSlices: slices })))
  })

  it('uses a slice that gets its Service label after other compiles with the same previous result', () => {
    const loose = { metadata: { namespace: 'ns1', name: 'web-1' }, addressType: 'IPv4' } as const
    const first = compile({ services: [service()] })
    const previous = compile({ services: [service()], endpointSlices: [loose] }, { previous: first })
    compile({ services: [] }, { previous })
    const twice = { services: [service()], endpointSlices: [loose, slice(at('10.244.1.1'))] }
    expect(factsOf(compile(twice, { previous }))).toEqual(factsOf(compile(twice)))
  })

  it('returns the previous result itself if all objects are identical', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const [index, result] of follow(history).entries()) {
          const input = history.inputs[index] as Cluster
          const relisted = { ...input, services: [...input.services], endpoints: [...input.endpoints].values() }
          expect(compile(relisted, { ...history.options, previous: result })).toBe(result)
        }
      }),
      { numRuns: runs(8) },
    )
  })

  it('reuses the plan of each Service with identical objects', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { before, after, inputs } of neighbours(history)) {
          const known = new Map(before.families.flatMap((each) => plansByKey(each)))
          for (const [key, plan] of after.families.flatMap((each) => plansByKey(each))) {
            const [old, fresh] = inputs.map((input) => sourceObjectsOf(input, plan.id))
            if (old === fresh) expect(known.get(key)).toBe(plan)
          }
        }
      }),
      { numRuns: runs(20) },
    )
  })

  it('reuses the rule blocks of each service port with a reused plan', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { before, after } of neighbours(history)) {
          const known = new Set(plansOf(before))
          const kept = new Set(plansOf(after).filter((plan) => known.has(plan)))
          const [old, fresh] = [blocksOf(before, kept), blocksOf(after, kept)]
          expect(fresh.map((blocks) => blocks.length)).toEqual(old.map((blocks) => blocks.length))
          for (const [index, block] of fresh.flat().entries()) expect(block).toBe(old.flat()[index])
        }
      }),
      { numRuns: runs(20) },
    )
  })
})
