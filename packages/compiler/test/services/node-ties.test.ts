import { expect, it } from 'vitest'
import type { ServiceGroup } from '../../src/services/group-objects.js'
import { exchangeTies, NO_TIES } from '../../src/services/node-ties.js'
import { readService } from '../../src/services/read-service.js'
import { loadBalancer, NEWEST } from '../support/objects.js'

function accepting(key: string, range: string): ServiceGroup {
  return { key, service: readService(loadBalancer({ loadBalancerSourceRanges: [range] }), NEWEST), slices: [] }
}

it('knows every source range, those of before and those that come', () => {
  const before = exchangeTies(NO_TIES, [], [accepting('ns/a', '10.0.0.0/8')])
  const after = exchangeTies(before, [], [accepting('ns/b', '192.0.2.0/24')])
  expect([...after.ranges.keys()]).toEqual(['10.0.0.0/8', '192.0.2.0/24'])
})
