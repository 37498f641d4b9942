import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import type { ServicePlan } from '../../plan/plan.js'
import type { IpvsModeState } from './state.js'
import { virtualServerText } from './sync-real-servers.js'

/**
 * The service port (`default/web:http/TCP`) of each virtual server (`10.96.0.1:80/TCP`); of several that want one, the one
 * that has it, as in `virtualServersOf`. `services` are those of the plan that the state was made of.
 */
export function serverOwners(
  state: IpvsModeState,
  services: readonly Pick<ServicePlan, 'id'>[],
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const add = (servers: readonly VirtualServer[], index: number): void => {
    const id = services[index]?.id
    for (const server of servers) {
      const text = virtualServerText(server)
      if (id !== undefined && !owners.has(text)) owners.set(text, `${id.text}/${id.protocol}`)
    }
  }
  for (const [index, { virtualServers }] of state.services.entries()) add(virtualServers, index)
  for (const [index, { nodePortServers }] of state.services.entries()) add(nodePortServers, index)
  return owners
}
