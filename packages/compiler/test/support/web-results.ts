import { compile } from '../../src/compilation/compile.js'
import type { CompileOptions, CompileResult } from '../../src/compilation/compile-result.js'
import { at, service, slice } from './objects.js'

const IPV4: CompileOptions = { families: ['IPv4'] }

export const UDP = { ports: [{ name: 'http', protocol: 'UDP', port: 53 }] } as const
export const UDP_PORTS = { ports: [{ name: 'http', protocol: 'UDP', port: 5353 }] } as const

/** Compiles one Service with these endpoints. */
export function web(addresses: readonly string[], options: CompileOptions = IPV4): CompileResult {
  return compile({ services: [service()], endpointSlices: [slice(at(...addresses))] }, options)
}

/** Compiles one UDP Service with these endpoints. */
export function dns(addresses: readonly string[], options: CompileOptions = IPV4): CompileResult {
  return compile({ services: [service(UDP)], endpointSlices: [slice(at(...addresses), UDP_PORTS)] }, options)
}
