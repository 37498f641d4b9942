import type { RealServer, VirtualServer } from '../../../src/dataplane/ipvs/ast.js'

/** Builds a virtual server at 10.0.0.1:80/TCP with round robin, with overrides. */
export function virtualServer(more: Partial<VirtualServer> = {}): VirtualServer {
  const plain = { address: '10.0.0.1', port: 80, protocol: 'TCP', scheduler: 'rr', flags: 0, timeout: 0 } as const
  return { ...plain, realServers: [], ...more }
}

/** Builds a real server with masquerading and weight 1, with overrides. */
export function realServer(address: string, port: number, more: Partial<RealServer> = {}): RealServer {
  return { address, port, forwarding: 'masquerade', weight: 1, ...more }
}
