import type { RealServer, VirtualServer } from '../../../src/dataplane/ipvs/ast.js'

/** A virtual server at 10.0.0.1:80/TCP with round robin, but for what is given. */
export function virtualServer(more: Partial<VirtualServer> = {}): VirtualServer {
  const plain = { address: '10.0.0.1', port: 80, protocol: 'TCP', scheduler: 'rr', flags: 0, timeout: 0 } as const
  return { ...plain, realServers: [], ...more }
}

/** A real server that is masqueraded to, with weight 1, but for what is given. */
export function realServer(address: string, port: number, more: Partial<RealServer> = {}): RealServer {
  return { address, port, forwarding: 'masquerade', weight: 1, ...more }
}
