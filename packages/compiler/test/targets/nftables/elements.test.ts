import { describe, expect, it } from 'vitest'
import { isCommentTooLong } from '../../../src/targets/nftables/elements.js'
import { cidr } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'
import { commandsOf, elementsOf } from '../../support/nftables-states.js'

const NAME = 'ULMVA6XW-ns1/svc1/tcp/p80'
const MAPS = ['service-ips', 'service-nodeports', 'no-endpoint-services', 'no-endpoint-nodeports', 'firewall-ips']

/** Returns the elements of all non-empty maps. */
function mapsOf(fields: Parameters<typeof servicePort>[0], version = '1.37') {
  const lines = commandsOf([servicePort(fields)], { version })
  const found = MAPS.map((map) => [map, elementsOf(lines, map)] as const)
  return Object.fromEntries(found.filter(([, elements]) => elements.length > 0))
}

const EVERYWHERE = { externalIPs: ['192.0.2.1'], loadBalancerIPs: ['1.2.3.4'], nodePort: 3001 }
const comment = 'comment "ns1/svc1:p80"'

describe('the map elements of a service port in nftables mode', () => {
  it('use the chain of all endpoints for a cluster IP, and the external chain for other frontends', () => {
    expect(mapsOf({ ...EVERYWHERE, endpoints: [endpoint()] })).toEqual({
      'service-ips': [
        `172.30.0.41 . tcp . 80 : goto service-${NAME}`,
        `192.0.2.1 . tcp . 80 : goto external-${NAME}`,
        `1.2.3.4 . tcp . 80 : goto external-${NAME}`,
      ],
      'service-nodeports': [`tcp . 3001 : goto external-${NAME}`],
    })
  })

  it.each([
    ['1.31', `172.30.0.41 . tcp . 80 : goto service-${NAME}`],
    ['1.32', `172.30.0.41 . tcp . 80 : goto external-${NAME}`],
    ['1.37', `172.30.0.41 . tcp . 80 : goto external-${NAME}`],
  ])('in %s use %s for an external IP that is the own cluster IP', (version, expected) => {
    for (const own of [{ externalIPs: ['172.30.0.41'] }, { loadBalancerIPs: ['172.30.0.41'] }]) {
      expect(mapsOf({ ...own, endpoints: [endpoint()] }, version)).toEqual({ 'service-ips': [expected] })
    }
  })

  it('in different maps do not replace each other', () => {
    const own = { externalIPs: ['172.30.0.41'], externalPolicyLocal: true, endpoints: [endpoint()] }
    expect(mapsOf(own)).toEqual({
      'service-ips': [`172.30.0.41 . tcp . 80 : goto external-${NAME}`],
      'no-endpoint-services': [`172.30.0.41 . tcp . 80 ${comment} : drop`],
    })
  })

  it('use the chain of local endpoints for a cluster IP with internal policy Local', () => {
    const endpoints = [endpoint(), endpoint({ ip: '10.180.0.2', local: true })]
    expect(mapsOf({ internalPolicyLocal: true, endpoints })).toEqual({
      'service-ips': [`172.30.0.41 . tcp . 80 : goto local-${NAME}`],
    })
  })

  it('reject packets if there are no endpoints', () => {
    expect(mapsOf(EVERYWHERE)).toEqual({
      'no-endpoint-services': [
        `172.30.0.41 . tcp . 80 ${comment} : goto reject-chain`,
        `192.0.2.1 . tcp . 80 ${comment} : goto reject-chain`,
        `1.2.3.4 . tcp . 80 ${comment} : goto reject-chain`,
      ],
      'no-endpoint-nodeports': [`tcp . 3001 ${comment} : goto reject-chain`],
    })
  })

  it('drop external packets, except short circuits, if the policy is Local and no endpoint is local', () => {
    expect(mapsOf({ ...EVERYWHERE, externalPolicyLocal: true, endpoints: [endpoint()] })).toEqual({
      'service-ips': [
        `172.30.0.41 . tcp . 80 : goto service-${NAME}`,
        `192.0.2.1 . tcp . 80 : goto external-${NAME}`,
        `1.2.3.4 . tcp . 80 : goto external-${NAME}`,
      ],
      'service-nodeports': [`tcp . 3001 : goto external-${NAME}`],
      'no-endpoint-services': [`192.0.2.1 . tcp . 80 ${comment} : drop`, `1.2.3.4 . tcp . 80 ${comment} : drop`],
      'no-endpoint-nodeports': [`tcp . 3001 ${comment} : drop`],
    })
    expect(mapsOf({ internalPolicyLocal: true, endpoints: [endpoint()] })).toEqual({
      'no-endpoint-services': [`172.30.0.41 . tcp . 80 ${comment} : drop`],
    })
  })

  it('use the firewall chain only for load-balancer IPs, and have a comment up to 1.31', () => {
    const fields = { ...EVERYWHERE, sourceRanges: [cidr('203.0.113.0/24')] }
    expect(mapsOf(fields)['firewall-ips']).toEqual([`1.2.3.4 . tcp . 80 : goto firewall-${NAME}`])
    expect(mapsOf(fields, '1.31')['firewall-ips']).toEqual([`1.2.3.4 . tcp . 80 ${comment} : goto firewall-${NAME}`])
  })

  it('contain a cluster IP once, however many ports it has', () => {
    const ports = [servicePort(), servicePort({ portName: 'p443', port: 443 })]
    expect(elementsOf(commandsOf(ports), 'cluster-ips')).toEqual(['172.30.0.41'])
  })

  it('belong to the first service port in the plan if two service ports have the same key', () => {
    const ports = ['svc1', 'svc2'].map((name) =>
      servicePort({ name, clusterIP: `172.30.0.${name.at(-1)}`, externalIPs: ['192.0.2.1'], endpoints: [endpoint()] }),
    )
    expect(elementsOf(commandsOf(ports), 'service-ips').filter((each) => each.startsWith('192.0.2.1'))).toEqual([
      `192.0.2.1 . tcp . 80 : goto external-${NAME}`,
    ])
  })

  it('have comments of at most 128 bytes from version 1.37 on', () => {
    const name = 's'.repeat(63)
    const namespace = 'n'.repeat(63)
    const whole = `${namespace}/${name}:portname`
    const of = (version: string) => mapsOf({ namespace, name, portName: 'portname' }, version)['no-endpoint-services']
    expect(of('1.36')).toEqual([`172.30.0.41 . tcp . 80 comment "${whole}" : goto reject-chain`])
    expect(of('1.37')).toEqual([`172.30.0.41 . tcp . 80 comment "${whole.slice(0, 128)}" : goto reject-chain`])
    expect([whole, whole.slice(0, 128)].map(isCommentTooLong)).toEqual([true, false])
  })
})
