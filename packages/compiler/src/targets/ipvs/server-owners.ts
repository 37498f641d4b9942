import type { ServicePlan } from '../../plan/plan.js'
import { metServers } from './met-servers.js'
import type { IpvsModeState } from './state.js'
import { virtualServerText } from './sync-real-servers.js'

/**
 * The service port (`default/web:http/TCP`) of each virtual server (`10.96.0.1:80/TCP`); of several that want one, the one
 * that has it. `services` are those of the plan that the state was made of.
 */
export function serverOwners(
  state: IpvsModeState,
  services: readonly Pick<ServicePlan, 'id'>[],
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  for (const { server, place } of metServers(state.services).values()) {
    const id = services[place]?.id
    if (id !== undefined) owners.set(virtualServerText(server), `${id.text}/${id.protocol}`)
  }
  return owners
}
