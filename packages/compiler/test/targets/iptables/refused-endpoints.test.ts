import { expect, it } from 'vitest'
import { decide } from '../../../src/plan/decide.js'
import { refusedEndpoints } from '../../../src/targets/iptables/refused-endpoints.js'
import { packet, planOf } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

// The node has 192.168.0.2.

const empty = (fields: Parameters<typeof servicePort>[0]) =>
  servicePort({ name: 'empty', clusterIP: '172.30.0.42', ...fields })

it.each([
  [
    'the cluster IP of another Service without endpoints',
    '172.30.0.77',
    empty({ clusterIP: '172.30.0.77' }),
    ['rejected'],
  ],
  ['an address of the node, and a node port without endpoints', '192.168.0.2', empty({ nodePort: 80 }), ['rejected']],
  [
    'an address of the node, and the port of an external IP without endpoints',
    '192.168.0.2',
    empty({ externalIPs: ['198.51.100.9'] }),
    undefined,
  ],
  ['an address of nobody', '10.180.0.1', empty({}), undefined],
])('an endpoint at %s', (_, ip, other, refused) => {
  const plan = planOf([servicePort({ clusterIP: '172.30.0.41', endpoints: [endpoint({ ip, port: 80 })] }), other])
  const sent = packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' })
  expect(refusedEndpoints(plan, sent, decide(plan, sent))).toEqual(refused)
})
