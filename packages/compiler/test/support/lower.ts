import { chunkedList } from '../../src/internal/chunked-list.js'
import type { Plan } from '../../src/plan/plan.js'
import * as iptables from '../../src/targets/iptables/assemble.js'
import { lowering as iptablesLowering } from '../../src/targets/iptables/lowering.js'
import { iptablesMode } from '../../src/targets/iptables/mode.js'
import { serviceBlocks } from '../../src/targets/iptables/service-blocks.js'
import * as ipvs from '../../src/targets/ipvs/assemble.js'
import { lowering as ipvsLowering } from '../../src/targets/ipvs/lowering.js'
import { ipvsMode } from '../../src/targets/ipvs/mode.js'
import { serviceEntries } from '../../src/targets/ipvs/service-entries.js'
import type { Mode, Parts } from '../../src/targets/mode.js'
import * as nftables from '../../src/targets/nftables/assemble.js'
import { lowering as nftablesLowering } from '../../src/targets/nftables/lowering.js'
import { nftablesMode } from '../../src/targets/nftables/mode.js'
import { serviceContribution } from '../../src/targets/nftables/service-contribution.js'
import * as userspace from '../../src/targets/userspace/assemble.js'
import { lowering as userspaceLowering } from '../../src/targets/userspace/lowering.js'
import { userspaceMode } from '../../src/targets/userspace/mode.js'
import { proxiedPart } from '../../src/targets/userspace/proxied-part.js'

/** What mode iptables makes of a plan. */
export function lowerIptables(plan: Plan): iptables.IptablesNodeState {
  const lowering = iptablesLowering(plan)
  const parts = plan.services.map((service) => serviceBlocks(service, lowering))
  return iptables.assemble(allParts(iptablesMode, parts), plan).state
}

/** What mode ipvs makes of a plan. */
export function lowerIpvs(plan: Plan): ipvs.IpvsNodeState {
  const lowering = ipvsLowering(plan)
  const parts = plan.services.map((service) => serviceEntries(service, lowering))
  return ipvs.assemble(allParts(ipvsMode, parts), plan).state
}

/** What a mode puts together of these parts. */
export function allParts<Part>(mode: Pick<Mode<never, Part>, 'countParts'>, parts: readonly Part[]): Parts<Part> {
  return { list: () => chunkedList(parts), counts: mode.countParts(parts) }
}

/** What mode nftables makes of a plan. */
export function lowerNftables(plan: Plan): nftables.NftablesNodeState {
  const lowering = nftablesLowering(plan)
  const parts = plan.services.map((service) => serviceContribution(service, lowering))
  return nftables.assemble(allParts(nftablesMode, parts), plan).state
}

/** What mode userspace makes of a plan. */
export function lowerUserspace(plan: Plan): userspace.UserspaceNodeState {
  const lowering = userspaceLowering(plan)
  const parts = plan.services.map((service) => proxiedPart(service, lowering))
  return userspace.assemble(allParts(userspaceMode, parts), plan).state
}
