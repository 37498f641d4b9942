import { expect, test } from '@jest/globals'
import { compile } from '@kube-rules/compiler'
import '@kube-rules/testing/jest'

const service = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
}
const slice = {
  metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.1.5'] }],
}
const shop = { services: [service], endpointSlices: [slice], configuration: { clusterCIDR: '10.244.0.0/16' } }
const rules = compile(shop, { nodeName: 'node-1', families: ['IPv4'], mode: 'ipvs', kubernetesVersion: '1.34' })
/** @type {import('@kube-rules/testing/jest').PacketTo} */
const fromPod = { origin: 'pod', destination: '10.96.0.10', destinationPort: 80 }

test('the matcher toReach', () => {
  expect(rules).toReach(fromPod, ['10.244.1.5:8080'])
  expect(rules).not.toReach({ ...fromPod, destinationPort: 81 })
  expect(() => expect(rules).not.toReach(fromPod)).toThrow('expected packets not to reach an endpoint')
  // @ts-expect-error a packet has no port
  expect(() => expect(rules).toReach({ ...fromPod, port: 80, destinationPort: 81 })).toThrow('expected packets to')
})

test('the snapshot serializer', () => {
  expect({ family: 'IPv4', ipvs: rules.families[0]?.state.ipvs }).toMatchInlineSnapshot(`
-A -t 10.96.0.10:80 -s rr
-a -t 10.96.0.10:80 -r 10.244.1.5:8080 -m -w 1
`)
})
