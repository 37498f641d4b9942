import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { expect, it } from 'vitest'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import { at, build, loadBalancer, NEWEST, service, slice } from '../../support/objects.js'

/** Returns the diagnostics of some objects: the message and, if present, the expected value. */
function sentences(input: Partial<CompileInput>): readonly string[] {
  const { diagnostics } = build(input, { features: NEWEST })
  return diagnostics.map(({ message, expected }) => (expected === undefined ? message : `${message}; ${expected}`))
}

const ofService = (given: unknown) => ({ services: [given as Service] })
const ofSpec = (spec: object) => ofService(service(spec))
const ofSlice = (given: unknown) => ({ services: [service()], endpointSlices: [given as EndpointSlice] })
const ofEndpoint = (given: unknown) => ofSlice(slice([given as never]))
const ofEndpoints = (fields: object) => ({
  services: [service()],
  endpoints: [{ metadata: { namespace: 'ns1', name: 'web' }, ...fields } as Endpoints],
})
const named = (metadata: object) => ofService(service({}, { metadata }))
const LABELS = { 'kubernetes.io/service-name': 'web' }

it.each<[Partial<CompileInput>, string]>([
  [ofService(7), '7 is not a Service; an object'],
  [named({ namespace: 'ns1' }), 'the name is missing; at most 63 lower-case letters, digits and inner hyphens'],
  [
    named({ namespace: 'ns1', name: 'A' }),
    '"A" is not a name; at most 63 lower-case letters, digits and inner hyphens',
  ],
  [ofSpec({ clusterIP: '' }), 'the Service has no cluster IP, so it has no rules; an IP address'],
  [ofSpec({ clusterIP: 'x' }), '"x" is not an IP address; an IPv4 or IPv6 address, "None", or nothing'],
  [ofSpec({ clusterIP: '010.96.0.1' }), '"010.96.0.1" is read as 10.96.0.1; 10.96.0.1'],
  [ofSpec({ ipFamilies: ['IPv5'] }), '"IPv5" is not an address family; IPv4 or IPv6'],
  [ofSpec({ ipFamilies: ['IPv4'], clusterIPs: ['fd00::1'] }), '"fd00::1" is not an IPv4 address; an IPv4 address'],
  [ofSpec({ externalIPs: ['x'] }), '"x" is not an IP address; an IPv4 or IPv6 address'],
  [ofSpec({ loadBalancerSourceRanges: ['x'] }), '"x" is not a CIDR; a CIDR'],
  [ofSpec({ type: 'Other' }), '"Other" is unknown and is treated as ClusterIP; ClusterIP or NodePort or LoadBalancer'],
  [ofSpec({ externalTrafficPolicy: 'Other' }), '"Other" is unknown and is treated as Cluster; Cluster or Local'],
  [ofSpec({ sessionAffinity: 'Other' }), '"Other" is unknown and is treated as None; None or ClientIP'],
  [ofSpec({ ports: [{}] }), 'the port is missing; a whole number from 1 to 65535'],
  [ofSpec({ ports: [7] }), '7 is not a port; an object'],
  [ofSpec({ ports: [{ port: 80 }, { port: 81 }] }), 'replaces a port of the same name and protocol'],
  [
    ofService(loadBalancer({ externalTrafficPolicy: 'Local' })),
    'a LoadBalancer Service with externalTrafficPolicy Local has no health-check port',
  ],
  [
    ofService(service({}, { metadata: service().metadata, status: { loadBalancer: { ingress: [7 as never] } } })),
    '7 is not an ingress entry; an object',
  ],

  [ofSlice(7), '7 is not an EndpointSlice; an object'],
  [
    ofSlice({ metadata: { namespace: 'ns1', labels: LABELS }, addressType: 'IPv4' }),
    'slices need a name and a namespace',
  ],
  [ofSlice(slice([], { addressType: 'FQDN' })), 'kube-proxy does not use host names'],
  [ofSlice(slice([], { addressType: 'IPv5' as never })), '"IPv5" is not an address type; IPv4 or IPv6'],
  [ofSlice(slice([], { ports: [7 as never] })), '7 is not a port; an object'],
  [ofSlice(slice([], { service: 'other' })), 'there is no Service of this name'],
  [ofEndpoint(7), '7 is not an endpoint; an object'],
  [ofEndpoint({}), 'the endpoint has no address; a list of one'],
  [ofEndpoint({ addresses: ['10.0.0.1'], conditions: 7 }), '7 is not an object; an object'],
  [ofEndpoint({ addresses: ['10.0.0.1'], conditions: { ready: 7 } }), '7 is not true or false; true or false'],
  [ofEndpoint({ addresses: ['10.0.0.1'], nodeName: 7 }), '7 is not text; text'],
  [ofEndpoint({ addresses: ['10.0.0.1'], hints: 7 }), '7 is not an object; an object'],
  [
    ofEndpoint({ addresses: ['10.0.0.1'], hints: { forZones: 7 } }),
    '7 is not a list of names; a list of objects with a name',
  ],
  [ofSlice(slice(at('x'))), '"x" is not an IP address; an IPv4 address'],
  [ofSlice(slice(at('127.0.0.1'))), '127.0.0.1 is a loopback address; the address of a pod'],
  [ofSlice(slice(at('169.254.0.1'))), '169.254.0.1 is a link-local address; the address of a pod'],
  [ofSlice(slice(at('224.0.0.1'))), '224.0.0.1 is a multicast address; the address of a pod'],
  [ofSlice(slice(at('0.0.0.0'))), '0.0.0.0 is the unspecified address; the address of a pod'],

  [{ endpoints: ofEndpoints({}).endpoints }, 'there is no Service of this name'],
  [
    { ...ofEndpoints({}), endpointSlices: [slice(at('10.0.0.1'))] },
    'the Service has EndpointSlices, which are used instead',
  ],
  [{ services: [service()], endpoints: [7 as never] }, '7 is not an Endpoints object; an object'],
  [ofEndpoints({ subsets: [7] }), '7 is not a subset; an object'],
])('the messages for %j contain: %s', (input, sentence) => {
  expect(sentences(input)).toContain(sentence)
})
