import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import { virtualServerId } from '../../dataplane/ipvs/resources.js'
import { type Contender, goesBefore } from '../../plan/precedence.js'
import type { ServiceEntries } from './service-entries.js'

/** A virtual server as the service port at `place` wants it. */
export interface MetServer extends Contender {
  readonly server: VirtualServer
}

type Servers = Pick<ServiceEntries, 'virtualServers' | 'nodePortServers'>

/**
 * The virtual servers that exist, by their resources' ids: of several that service ports want under one address, port and
 * protocol that of the winner. Those with addresses of Services stand first. `services` are in the plan's order.
 */
export function metServers(services: readonly Servers[]): ReadonlyMap<string, MetServer> {
  const met = new Map<string, MetServer>()
  const contend = (server: VirtualServer, isNodePort: boolean, place: number): void => {
    const id = virtualServerId(server)
    const contender = { server, isNodePort, place }
    const known = met.get(id)
    if (known === undefined || goesBefore(contender, known)) met.set(id, contender)
  }
  for (const [place, { virtualServers }] of services.entries()) {
    for (const server of virtualServers) contend(server, false, place)
  }
  for (const [place, { nodePortServers }] of services.entries()) {
    for (const server of nodePortServers) contend(server, true, place)
  }
  return met
}
