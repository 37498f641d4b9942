import type { Protocol } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareServicePortIds } from '../../src/model/services/service-port.js'
import { pairServicePorts } from '../../src/plan/pair-service-ports.js'
import type { ServicePlan } from '../../src/plan/plan.js'
import { planService } from '../../src/plan/plan-service.js'
import { nodeFacts, servicePort, settings } from '../support/model-builder.js'

function plan(name: string, protocol: Protocol = 'UDP'): ServicePlan {
  return planService(servicePort({ name, protocol }), { node: nodeFacts(), settings: settings() })
}

const [A, B, C] = [plan('a'), plan('b'), plan('c')] as const

it('pairServices pairs service ports by namespace, name and protocol, and omits identical objects', () => {
  const fresh = plan('b')
  expect(pairServicePorts([A, B, C], [A, fresh, C])).toEqual([{ before: B, after: fresh }])
  expect(pairServicePorts([A, B, C], [A, fresh, C])[0]?.after).toBe(fresh)
})

it.each<[string, readonly ServicePlan[], readonly ServicePlan[], readonly string[]]>([
  ['no service ports', [], [], []],
  ['service ports only before', [A, B], [], ['- ns1/a:p80', '- ns1/b:p80']],
  ['service ports only after', [], [A, B], ['+ ns1/a:p80', '+ ns1/b:p80']],
  ['an added service port in the middle', [A, C], [A, B, C], ['+ ns1/b:p80']],
  ['a removed service port in the middle', [A, B, C], [A, C], ['- ns1/b:p80']],
  ['different service ports at both ends', [A, B], [B, C], ['- ns1/a:p80', '+ ns1/c:p80']],
  ['a changed protocol', [plan('a', 'TCP')], [A], ['- ns1/a:p80', '+ ns1/a:p80']],
])('pairServices returns the unpaired service ports if the lists have %s', (_, before, after, expected) => {
  const described = pairServicePorts(before, after).flatMap((pair) => [
    ...(pair.before === undefined ? [] : [`- ${pair.before.id.text}`]),
    ...(pair.after === undefined ? [] : [`+ ${pair.after.id.text}`]),
  ])
  expect(described).toEqual(expected)
})

it('pairServices returns each changed, added or removed service port once, in order', () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'a-b', 'ab', 'b', 'c'), { maxLength: 5 })
  const plansOf = (all: readonly string[], shared: ReadonlyMap<string, ServicePlan>) =>
    all.map((name) => shared.get(name) ?? plan(name)).sort((a, b) => compareServicePortIds(a.id, b.id))
  fc.assert(
    fc.property(names, names, names, (old, fresh, sharedNames) => {
      const shared = new Map(sharedNames.map((name) => [name, plan(name)]))
      const before = plansOf(old, shared)
      const after = plansOf(fresh, shared)
      const pairs = pairServicePorts(before, after)
      expect(pairs.flatMap((pair) => pair.before ?? [])).toEqual(before.filter((service) => !after.includes(service)))
      expect(pairs.flatMap((pair) => pair.after ?? [])).toEqual(after.filter((service) => !before.includes(service)))
      for (const pair of pairs) {
        if (pair.before && pair.after) expect(pair.before.id).toEqual(pair.after.id)
      }
    }),
  )
})
