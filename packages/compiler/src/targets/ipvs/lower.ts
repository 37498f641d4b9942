import type { IptablesState } from '../../dataplane/iptables/ast.js'
import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import type { Settings } from '../../model/model.js'
import type { Plan, PlanFrame } from '../../plan/plan.js'
import { filterHead, filterTail } from './filter-rules.js'
import { hostSettings } from './host-settings.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { lowering } from './lowering.js'
import { natBlock } from './nat-rules.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import type { SetContext } from './set-rules.js'
import { ipsetState, membersOf, type SetEntry } from './sets.js'
import type { IpvsModeState } from './state.js'

/** The virtual servers, sets, addresses and rules of a plan. */
export function lower(plan: Plan, settings: Settings): IpvsModeState {
  const context = lowering(plan, settings)
  const services = plan.services.map((service) => serviceEntries(service, context))
  return assemble(services, plan, settings)
}

/**
 * The virtual servers, sets, addresses and rules of one family from the entries of its service ports. Mirrors
 * `syncProxyRules` of the ipvs proxier of kube-proxy v1.30 (service ports in the plan's order).
 */
export function assemble(services: readonly ServiceEntries[], frame: PlanFrame, settings: Settings): IpvsModeState {
  const boundAddresses = [...new Set(services.flatMap((service) => service.boundAddresses))].sort()
  const setEntries = services.flatMap((service) => service.setEntries)
  const members = membersOf([...setEntries, ...boundAddresses.map(boundEntry)])
  return {
    family: frame.family,
    virtualServers: { virtualServers: firstOfEach(services) },
    ipsets: ipsetState(members, frame.family),
    iptables: iptablesState(frame, settings, services, { family: frame.family, members }),
    boundAddresses,
    ...hostSettings(settings),
    excludeCidrs: settings.ipvs.excludeCidrs,
  }
}

function boundEntry(address: string): SetEntry {
  return { set: 'KUBE-IPVS-IPS', entry: { kind: 'ip', address } }
}

/**
 * One virtual server for each address, port and protocol. Where several service ports claim one, addresses of Services
 * go before node ports, then the first in the plan wins, as in `decide`; kube-proxy leaves it to chance.
 */
function firstOfEach(services: readonly ServiceEntries[]): readonly VirtualServer[] {
  const byKey = new Map<string, VirtualServer>()
  const add = (server: VirtualServer): void => {
    const key = `${server.address} ${server.port} ${server.protocol}`
    if (!byKey.has(key)) byKey.set(key, server)
  }
  for (const { virtualServers } of services) virtualServers.forEach(add)
  for (const { nodePortServers } of services) nodePortServers.forEach(add)
  return [...byKey.values()]
}

function iptablesState(
  frame: PlanFrame,
  settings: Settings,
  services: readonly ServiceEntries[],
  context: SetContext,
): IptablesState {
  const filters = services.map(({ filter }) => filter).filter(({ rules }) => rules.length > 0)
  return {
    family: frame.family,
    tables: [
      { name: 'nat', jumps: NAT_JUMPS, blocks: [natBlock(frame, settings, context)] },
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: [filterHead(context), ...filters, filterTail(settings, context)],
      },
    ],
  }
}
