import type { Service } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { at, service, slice } from '../../support/objects.js'

const OWN: Service = { ...service(), spec: { ...service().spec, externalIPs: ['10.96.0.1'] } }
const LOAD_BALANCER: Service = { ...service(), status: { loadBalancer: { ingress: [{ ip: '10.96.0.1' }] } } }
const OTHER: Service = { ...service(), spec: { ...service().spec, externalIPs: ['192.0.2.1'] } }
const BOTH_EXTERNAL: Service = { ...OTHER, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }
const ENDPOINTS = [slice(at('10.244.1.1'))]

it.each<[string, Service, boolean]>([
  ['its cluster IP as external IP', OWN, true],
  ['its cluster IP as load-balancer IP', LOAD_BALANCER, true],
  ['another external IP', OTHER, false],
  ['one address as external IP and load-balancer IP, which have the same verdict', BOTH_EXTERNAL, false],
])('conflicting verdicts are reported up to 1.31 if a Service has %s: %s', (_, given, expected) => {
  const reportedIn = (kubernetesVersion: string, endpointSlices = ENDPOINTS) => {
    const configuration = kubernetesVersion < '1.31' ? { featureGates: { NFTablesProxyMode: true } } : {}
    const options = { families: ['IPv4'], mode: 'nftables', kubernetesVersion } as const
    const { diagnostics } = compile({ services: [given], endpointSlices, configuration }, options)
    return diagnostics.some(
      ({ code, message }) => code === 'modeLimitation' && message.endsWith('(conflictingVerdicts)'),
    )
  }
  expect(['1.29', '1.30', '1.31', '1.32', '1.37'].map((version) => reportedIn(version))).toEqual([
    expected,
    expected,
    expected,
    false,
    false,
  ])
  // Without endpoints, both elements have the verdict to reject packets.
  expect(reportedIn('1.31', [])).toBe(false)
})
