import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ProxyMode } from '../../src/targets/modes.js'

/** Compiles the Service `default/web`, with two endpoints in its slice `web-1`, in IPv4 only. */
export function webResult(mode: ProxyMode): CompileResult {
  const service = {
    metadata: { namespace: 'default', name: 'web' },
    spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
  }
  const slice = {
    metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
  }
  return compile({ services: [service], endpointSlices: [slice] }, { mode, families: ['IPv4'] })
}
