import { cidrContains, parseCidr, parseIp, type Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignClusterIPs } from '../../src/cluster/assign-cluster-ips.js'

const service = (name: string, spec: object = {}): Service => ({ metadata: { namespace: 'a', name }, spec })

const ipsOf = (services: readonly Service[]) => services.map(({ spec }) => spec?.clusterIPs)

const ofTests = (text: string) =>
  ['198.18.0.0/15', '2001:2::/48'].some((network) => {
    const cidr = parseCidr(network)
    return cidr !== undefined && cidrContains(cidr, text)
  })

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 30 })

describe('assignClusterIPs', () => {
  it('does not change Services that have a cluster IP or never get one', () => {
    const services = [
      service('a', { clusterIP: '10.0.0.1' }),
      service('b', { clusterIP: 'None' }),
      service('c', { type: 'ExternalName', externalName: 'example.org' }),
      { metadata: { name: 'd' } },
      { metadata: { name: 'e' }, spec: null },
    ]
    expect(assignClusterIPs(services)).toEqual(services)
  })

  it.each([
    [{}, ['IPv4']],
    [{ clusterIP: '' }, ['IPv4']],
    [{ ipFamilies: ['IPv6'] }, ['IPv6']],
    [{ ipFamilies: ['IPv6', 'IPv4'] }, ['IPv6', 'IPv4']],
    [{ ipFamilyPolicy: 'SingleStack' }, ['IPv4']],
    [{ ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6']],
    [{ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, ['IPv6', 'IPv4']],
  ])('assigns %j one address per family of %j, from documentation networks', (spec, families) => {
    const [assigned] = assignClusterIPs([service('web', spec)])
    const { clusterIP, clusterIPs = [], ipFamilies } = { ...assigned?.spec }
    expect(ipFamilies).toEqual(families)
    expect(clusterIPs?.map((text) => parseIp(text)?.family)).toEqual(families)
    expect(clusterIPs?.every(ofTests)).toBe(true)
    expect(clusterIPs?.map((text) => parseIp(text)?.text)).toEqual(clusterIPs)
    expect(clusterIP).toBe(clusterIPs?.[0])
  })

  it('assigns the same distinct addresses regardless of object order and other Services', () => {
    fc.assert(
      fc.property(names, fc.nat(), (given, seed) => {
        const services = given.map((name) => service(name, { ipFamilyPolicy: 'PreferDualStack' }))
        const all = assignClusterIPs(services)
        const turned = [...services.slice(seed % services.length), ...services.slice(0, seed % services.length)]
        expect(new Set(assignClusterIPs(turned))).toEqual(new Set(all))
        expect(new Set(ipsOf(all).flat()).size).toBe(2 * services.length)
        expect(assignClusterIPs(services.slice(0, 1))).toEqual(all.slice(0, 1))
      }),
    )
  })

  it('assigns no address that is already in use', () => {
    const [[first] = []] = ipsOf(assignClusterIPs([service('web')])) as [string[]]
    const services = [service('web'), service('x', { clusterIP: first, clusterIPs: [first] })]
    const [[other] = []] = ipsOf(assignClusterIPs(services)) as [string[]]
    expect(other).not.toBe(first)
    expect(ofTests(other as string)).toBe(true)
  })
})
