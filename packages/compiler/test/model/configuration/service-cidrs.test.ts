import type { ServiceCIDR } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { readServiceCidrs, serviceNetworksOfFamily } from '../../../src/model/configuration/service-cidrs.js'

function serviceCIDR(name: string, ...cidrs: readonly string[]): ServiceCIDR {
  return { metadata: { name }, spec: { cidrs } }
}

describe('the ServiceCIDR networks of a family', () => {
  const read = (...objects: readonly ServiceCIDR[]) => readServiceCidrs(objects)

  it('keep their original notation, and are sorted by object name without duplicates', () => {
    const networks = read(
      serviceCIDR('more', '10.112.0.0/16', 'FD00:1::/112', '10.96.0.1/12'),
      serviceCIDR('kubernetes', '10.96.0.1/12', 'fd00::/112'),
    )
    expect(networks.diagnostics).toEqual([])
    expect(serviceNetworksOfFamily(networks, 'IPv4')).toEqual(['10.96.0.1/12', '10.112.0.0/16'])
    expect(serviceNetworksOfFamily(networks, 'IPv6')).toEqual(['fd00::/112', 'FD00:1::/112'])
  })

  it('do not depend on the order of the objects, even if two objects have the same name', () => {
    const objects = [serviceCIDR('a', '10.2.0.0/16'), serviceCIDR('a', '10.1.0.0/16'), serviceCIDR('b', '10.0.0.0/16')]
    expect(read(...objects).texts).toEqual(['10.1.0.0/16', '10.2.0.0/16', '10.0.0.0/16'])
    expect(read(...objects.reverse())).toEqual(read(...objects))
  })

  it.each<[unknown, string, string]>([
    [{ metadata: { name: 'a' }, spec: { cidrs: ['none'] } }, 'invalidCidr', 'spec.cidrs[0]'],
    [{ metadata: { name: 'a' }, spec: { cidrs: [7] } }, 'invalidType', 'spec.cidrs[0]'],
    [{ metadata: { name: 'a' }, spec: { cidrs: 'x' } }, 'invalidType', 'spec.cidrs'],
    [{ metadata: { name: 'a' }, spec: 7 }, 'invalidType', 'spec'],
    [7, 'invalidType', ''],
  ])('exclude the invalid object %j, and a diagnostic reports it', (object, code, path) => {
    const { texts, diagnostics } = read(object as ServiceCIDR)
    expect(texts).toEqual([])
    expect(diagnostics.map((each) => [each.code, each.path ?? ''])).toEqual([[code, path]])
  })

  it('are absent if there are no ServiceCIDRs', () => {
    expect(read({}, { spec: {} }, { spec: { cidrs: null } })).toEqual({ texts: [], diagnostics: [] })
  })

  it('are stored in the result for the next compile', () => {
    const options = { mode: 'nftables', families: ['IPv4'] } as const
    const compiled = (...serviceCIDRs: readonly ServiceCIDR[]) => compile({ services: [], serviceCIDRs }, options)
    const before = compiled(serviceCIDR('a', '10.96.0.0/16'))
    const input = { services: [], serviceCIDRs: [serviceCIDR('a', '10.97.0.0/16')] }
    expect(compile(input, { ...options, previous: before })).toEqual(compile(input, options))
    expect(before.diagnostics).toEqual(compiled().diagnostics)
  })
})
