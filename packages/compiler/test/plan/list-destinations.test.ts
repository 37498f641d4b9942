import { isLoopback } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { decide } from '../../src/plan/decide.js'
import { listDestinations, type PlanDestination } from '../../src/plan/list-destinations.js'
import { buildPlan } from '../support/build-plan.js'
import { cases } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { endpoint, model, nodeFacts, servicePort } from '../support/model-builder.js'
import { runs } from '../support/runs.js'

it('listDestinations lists the addresses of Services, and node ports at the addresses of the node', () => {
  const node = nodeFacts({
    addresses: ['127.0.0.1', '192.168.0.2', '10.0.0.2'].map((address) => ({ address, interface: 'eth0' })),
  })
  const web = servicePort({
    name: 'web',
    clusterIP: '172.30.0.1',
    externalIPs: ['192.168.99.1'],
    nodePort: 30_080,
    endpoints: [endpoint({ ip: '10.180.0.1' })],
  })
  const plan = buildPlan(model({ node, servicePorts: [web] }))
  expect(
    listDestinations(plan).map(({ address, port, protocol, frontend }) => [address, port, protocol, frontend.kind]),
  ).toEqual([
    ['172.30.0.1', 80, 'TCP', 'clusterIP'],
    ['192.168.99.1', 80, 'TCP', 'externalIP'],
    ['192.168.0.2', 30_080, 'TCP', 'nodePort'],
    ['10.0.0.2', 30_080, 'TCP', 'nodePort'],
  ])
})

it('listDestinations agrees with decide on the service port and frontend of every packet', () => {
  let conflicts = 0
  const given = cases.chain((each) => {
    const [family] = compileCase(each).families
    if (family === undefined) throw new Error('no family')
    return anyPacket(family.plan).map((packet) => ({ plan: family.plan, packet }))
  })
  fc.assert(
    fc.property(
      given.filter(({ packet }) => !isLoopback(packet.destination)),
      ({ plan, packet }) => {
        const destinations = listDestinations(plan)
        const frontends = plan.services
          .flatMap((service) => service.frontends)
          .filter(({ kind }) => kind !== 'nodePort')
        if (destinations.filter(({ frontend }) => frontend.kind !== 'nodePort').length < frontends.length) conflicts++
        const found = destinations.find(
          ({ address, port, protocol }) =>
            address === packet.destination && port === packet.destinationPort && protocol === packet.protocol,
        )
        const decision = decide(plan, packet)
        // The decision about a pool without endpoints does not name the frontend.
        if (decision.kind === 'unmatched') expect(found === undefined || hasEmptyPool(found)).toBe(true)
        else if (decision.kind === 'healthCheck') expect(found).toBeUndefined()
        else expect([found?.service.id, found?.frontend]).toEqual([decision.servicePort, decision.frontend])
      },
    ),
    { numRuns: runs(1000) },
  )
  expect(conflicts).toBeGreaterThan(10)
})

function hasEmptyPool({ service, frontend }: PlanDestination): boolean {
  return frontend.clauses.some(({ action }) => action.kind === 'pool' && service.pools[action.pool].length === 0)
}
