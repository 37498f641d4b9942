import { expect, it } from 'vitest'
import { build, DUAL_STACK, loadBalancer, NEWEST, service } from '../../support/objects.js'

it('the warning about a family without a cluster IP lists each unused address of the family', () => {
  const { diagnostics } = build({ services: [service({ externalIPs: ['fd00::b'] })] })
  expect(diagnostics.map(({ message }) => message)).toEqual(['fd00::b is unused: the Service has no IPv6 cluster IP'])
})

it('the warning about ignored source ranges names the family with unrestricted load-balancer IPs', () => {
  const services = [loadBalancer({ ...DUAL_STACK, loadBalancerSourceRanges: ['fd00::/8', '0.0.0.0/0'] })]
  const { diagnostics } = build({ services }, { features: NEWEST })
  expect(diagnostics.map(({ message }) => message)).toEqual([
    'a source range contains every address, so the IPv4 load-balancer IPs are open to every source',
  ])
})
