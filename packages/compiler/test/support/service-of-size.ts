import type { EndpointSlice, Service } from '@kube-rules/types'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'

/** Compiles one Service with this number of endpoints. */
export function serviceOfSize(size: number): CompileResult {
  const service: Service = {
    metadata: { namespace: 'ns', name: 'large' },
    spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }], sessionAffinity: 'ClientIP' },
  }
  const slice: EndpointSlice = {
    metadata: { namespace: 'ns', name: 'large-1', labels: { 'kubernetes.io/service-name': 'large' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080 }],
    endpoints: Array.from({ length: size }, (_, index) => ({ addresses: [`10.244.${index >> 8}.${index & 255}`] })),
  }
  return compile({ services: [service], endpointSlices: [slice] }, { mode: 'iptables', families: ['IPv4'] })
}
