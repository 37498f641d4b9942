import type { Plan } from '../../src/plan/plan.js'
import * as iptables from '../../src/targets/iptables/assemble.js'
import { lowering as iptablesLowering } from '../../src/targets/iptables/lowering.js'
import { serviceBlocks } from '../../src/targets/iptables/service-blocks.js'
import * as ipvs from '../../src/targets/ipvs/assemble.js'
import { lowering as ipvsLowering } from '../../src/targets/ipvs/lowering.js'
import { serviceEntries } from '../../src/targets/ipvs/service-entries.js'
import * as nftables from '../../src/targets/nftables/assemble.js'
import { lowering as nftablesLowering } from '../../src/targets/nftables/lowering.js'
import { serviceContribution } from '../../src/targets/nftables/service-contribution.js'

/** What mode iptables makes of a plan. */
export function lowerIptables(plan: Plan): iptables.IptablesNodeState {
  const lowering = iptablesLowering(plan)
  const parts = plan.services.map((service) => serviceBlocks(service, lowering))
  return iptables.assemble(parts, plan)
}

/** What mode ipvs makes of a plan. */
export function lowerIpvs(plan: Plan): ipvs.IpvsNodeState {
  const lowering = ipvsLowering(plan)
  const parts = plan.services.map((service) => serviceEntries(service, lowering))
  return ipvs.assemble(parts, plan)
}

/** What mode nftables makes of a plan. */
export function lowerNftables(plan: Plan): nftables.NftablesNodeState {
  const lowering = nftablesLowering(plan)
  const parts = plan.services.map((service) => serviceContribution(service, lowering))
  return nftables.assemble(parts, plan)
}
