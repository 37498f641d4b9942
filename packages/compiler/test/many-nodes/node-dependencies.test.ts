import { expect, it } from 'vitest'
import { findNodeDependencies } from '../../src/many-nodes/node-dependencies.js'
import type { ServiceGroup } from '../../src/model/services/group-objects.js'
import { readService } from '../../src/model/services/read-service.js'
import { loadBalancer, NEWEST } from '../support/objects.js'

function accepting(key: string, range: string): ServiceGroup {
  return { key, service: readService(loadBalancer({ loadBalancerSourceRanges: [range] }), NEWEST), slices: [] }
}

it('findNodeDependencies returns the distinct source ranges of all Services', () => {
  const groups = [accepting('ns/a', '10.0.0.0/8'), accepting('ns/b', '192.0.2.0/24'), accepting('ns/c', '10.0.0.0/8')]
  const { ranges, groups: byText } = findNodeDependencies(groups)
  expect(ranges.map(({ text }) => text)).toEqual(['10.0.0.0/8', '192.0.2.0/24'])
  expect(byText.get('range 10.0.0.0/8')).toEqual(['ns/a', 'ns/c'])
})
