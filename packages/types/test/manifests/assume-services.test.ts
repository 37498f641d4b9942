import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cidrContains, parseCidr } from '../../src/cidr.js'
import { parseIp } from '../../src/ip.js'
import type { Service } from '../../src/kubernetes/service.js'
import { allocateForServices, assumeService } from '../../src/manifests/assume-services.js'

const service = (name: string, spec: object = {}, status?: object): Service => ({
  metadata: { namespace: 'a', name },
  spec: { ports: [{ name: 'http', port: 80 }], ...spec },
  ...(status && { status }),
})

const assume = (services: readonly Service[], others: readonly Service[] = []) => {
  const numbers = allocateForServices([...services, ...others])
  return services.map((each) => assumeService(each, numbers))
}
const assumed = (services: readonly Service[]) => assume(services).map((each) => each.service)

const isIn = (network: string) => (text: string | null | undefined) => {
  const cidr = parseCidr(network)
  return cidr !== undefined && cidrContains(cidr, text ?? '')
}
const ofTests = (text: string) => isIn('198.18.0.0/16')(text) || isIn('2001:2::/112')(text)

const ipsOf = (services: readonly Service[]) => services.map(({ spec }) => spec?.clusterIPs)
const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 30 })

describe('assumeService', () => {
  it('returns a Service unchanged if no value is missing', () => {
    const services = [
      service('a', { clusterIP: '10.0.0.1' }),
      service('b', { clusterIP: 'None' }),
      service('c', { type: 'ExternalName', externalName: 'example.org' }),
      service('d', { type: 'NodePort', clusterIP: '10.0.0.2', ports: [{ port: 80, nodePort: 30080 }] }),
      service(
        'e',
        { type: 'LoadBalancer', clusterIP: '10.0.0.3', ports: [{ port: 80, nodePort: 30081 }] },
        { loadBalancer: { ingress: [{ hostname: 'lb.example.org' }] } },
      ),
      { metadata: { name: 'f' } },
      { metadata: { name: 'g' }, spec: null },
    ]
    expect(assume(services)).toEqual(services.map((each) => ({ service: each, assumed: [] })))
  })

  it.each([
    [{}, ['IPv4']],
    [{ clusterIP: '' }, ['IPv4']],
    [{ ipFamilies: ['IPv6'] }, ['IPv6']],
    [{ ipFamilies: ['IPv6', 'IPv4'] }, ['IPv6', 'IPv4']],
    [{ ipFamilyPolicy: 'SingleStack' }, ['IPv4']],
    [{ ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6']],
    [{ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, ['IPv6', 'IPv4']],
  ])('for the spec %j sets a test cluster IP of each family in %j', (spec, families) => {
    const [found] = assumed([service('web', spec)])
    const { clusterIP, clusterIPs = [], ipFamilies } = { ...found?.spec }
    expect(ipFamilies).toEqual(families)
    expect(clusterIPs?.map((text) => parseIp(text)?.family)).toEqual(families)
    expect(clusterIPs?.every(ofTests)).toBe(true)
    expect(clusterIPs?.map((text) => parseIp(text)?.text)).toEqual(clusterIPs)
    expect(clusterIP).toBe(clusterIPs?.[0])
  })

  it('sets the same distinct addresses regardless of the order of objects and other Services', () => {
    fc.assert(
      fc.property(names, fc.nat(), (given, seed) => {
        const services = given.map((name) => service(name, { ipFamilyPolicy: 'PreferDualStack' }))
        const all = assumed(services)
        const turned = [...services.slice(seed % services.length), ...services.slice(0, seed % services.length)]
        expect(new Set(assumed(turned))).toEqual(new Set(all))
        expect(new Set(ipsOf(all).flat()).size).toBe(2 * services.length)
        expect(assumed(services.slice(0, 1))).toEqual(all.slice(0, 1))
      }),
    )
  })

  it('sets the same values for two versions of a cluster, even if hashes collide', () => {
    fc.assert(
      fc.property(names, fc.array(fc.nat({ max: 29 })), (given, removed) => {
        const services = given.map((name) => service(name, { type: 'NodePort' }))
        const left = services.filter((_, index) => !removed.includes(index))
        const [before, after] = [assume(services, left), assume(left, services)].map((each) =>
          each.map((one) => one.service),
        )
        const numbers = new Set((before ?? []).map(({ spec }) => spec?.ports?.[0]?.nodePort))
        expect(numbers.size).toBe(services.length)
        expect(after).toEqual(before?.filter((_, index) => !removed.includes(index)))
      }),
    )
  })

  it('sets no address and no node port that the input already contains', () => {
    const [first] = assumed([service('web', { type: 'NodePort' })])
    const { clusterIP = '', ports = [] } = { ...first?.spec }
    const taken = service('x', {
      clusterIP,
      clusterIPs: [clusterIP],
      ports: [{ port: 1, nodePort: ports?.[0]?.nodePort }],
    })
    const [other] = assumed([service('web', { type: 'NodePort' }), taken])
    expect(other?.spec?.clusterIP).not.toBe(clusterIP)
    expect(other?.spec?.ports?.[0]?.nodePort).not.toBe(ports?.[0]?.nodePort)
  })

  it('sets node ports, the address of a load balancer, and the health-check port', () => {
    const [{ service: found, assumed: reported } = { service: service(''), assumed: [] }] = assume([
      service('web', { type: 'LoadBalancer', clusterIP: '10.0.0.1', externalTrafficPolicy: 'Local' }),
    ])
    const [port] = found.spec?.ports ?? []
    const [ingress] = found.status?.loadBalancer?.ingress ?? []
    expect(port?.nodePort).toBeGreaterThanOrEqual(30000)
    expect(port?.nodePort).toBeLessThanOrEqual(32767)
    expect(isIn('198.19.128.0/17')(ingress?.ip)).toBe(true)
    const object = { kind: 'Service', namespace: 'a', name: 'web' }
    expect(reported).toEqual([
      { object, kind: 'nodePort', path: 'spec.ports[0].nodePort', value: String(port?.nodePort) },
      {
        object,
        kind: 'healthCheckNodePort',
        path: 'spec.healthCheckNodePort',
        value: String(found.spec?.healthCheckNodePort),
      },
      { object, kind: 'loadBalancerIP', path: 'status.loadBalancer.ingress', value: ingress?.ip },
    ])
  })

  it('sets the requested address of a load balancer, and node ports only if requested', () => {
    const spec = { type: 'LoadBalancer', clusterIP: '10.0.0.1', loadBalancerIP: '203.0.113.7' }
    const [found] = assumed([service('web', { ...spec, allocateLoadBalancerNodePorts: false })])
    expect(found?.status).toEqual({ loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } })
    expect(found?.spec?.ports).toEqual([{ name: 'http', port: 80 }])
  })

  it('sets the same node port if only the name of the port changes', () => {
    const portOf = (name: string) =>
      assumed([service('web', { type: 'NodePort', ports: [{ name, port: 80 }] })])[0]?.spec?.ports?.[0]?.nodePort
    expect(portOf('https')).toBe(portOf('http'))
  })
})
