import type { Settings } from '../../configuration/settings.js'
import type { Block, IptablesState, Table } from '../../dataplane/iptables/ast.js'
import { kept } from '../../diff/resource.js'
import { lazily } from '../../internal/lazily.js'
import type { Plan, PlanFrame } from '../../plan/plan.js'
import type { Earlier } from '../target.js'
import { filterHead, filterTail } from './filter-rules.js'
import { hostSettings } from './host-settings.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { lowering } from './lowering.js'
import { natBlock } from './nat-rules.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'
import type { IpvsModeState } from './state.js'
import { boundAddressesOf, filledSets, filterBlocks, ipsetsOf, virtualServersOf } from './views.js'

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
export function assemble(
  services: readonly ServiceEntries[],
  frame: PlanFrame,
  settings: Settings,
  earlier?: Earlier<IpvsModeState, ServiceEntries>,
): IpvsModeState {
  const { family } = frame
  const virtualServers = lazily(() => virtualServersOf(services))
  const boundAddresses = lazily(() => boundAddressesOf(services))
  const ipsets = lazily(() => ipsetsOf(services, boundAddresses(), family))
  return {
    family,
    services,
    get virtualServers() {
      return virtualServers()
    },
    get ipsets() {
      return ipsets()
    },
    get boundAddresses() {
      return boundAddresses()
    },
    iptables: iptablesState(services, frame, settings, earlier?.state.iptables),
    ...hostSettings(settings),
    excludeCidrs: settings.ipvs.excludeCidrs,
  }
}

function iptablesState(
  services: readonly ServiceEntries[],
  frame: PlanFrame,
  settings: Settings,
  previous: IptablesState | undefined,
): IptablesState {
  const { family } = frame
  const context = { family, filled: filledSets(services) }
  const [nat, filter] = previous?.tables ?? []
  return {
    family,
    tables: [
      { name: 'nat', jumps: NAT_JUMPS, blocks: [kept(natBlock(frame, settings, context), firstBlock(nat))] },
      {
        name: 'filter',
        jumps: FILTER_JUMPS,
        blocks: [
          kept(filterHead(context), firstBlock(filter)),
          ...filterBlocks(services),
          kept(filterTail(settings, context), filter?.blocks.at(-1)),
        ],
      },
    ],
  }
}

function firstBlock(table: Table | undefined): Block | undefined {
  return table?.blocks[0]
}
