import { createChunkedList } from '../../src/internal/chunked-list.js'
import type { Plan } from '../../src/plan/plan.js'
import * as iptables from '../../src/targets/iptables/assemble.js'
import { createLoweringContext as iptablesFrame } from '../../src/targets/iptables/lowering-context.js'
import { createServiceBlocksOfVersion, iptablesLowering } from '../../src/targets/iptables/mode-lowering.js'
import * as ipvs from '../../src/targets/ipvs/assemble.js'
import { createIpvsContribution } from '../../src/targets/ipvs/ipvs-contribution.js'
import { createLoweringContext as ipvsFrame } from '../../src/targets/ipvs/lowering-context.js'
import { ipvsLowering } from '../../src/targets/ipvs/mode-lowering.js'
import type { ModeLowering, ServiceContributions } from '../../src/targets/mode-lowering.js'
import * as nftables from '../../src/targets/nftables/assemble.js'
import { createLoweringContext as nftablesFrame } from '../../src/targets/nftables/lowering-context.js'
import { nftablesLowering } from '../../src/targets/nftables/mode-lowering.js'
import { createServiceContribution } from '../../src/targets/nftables/service-contribution.js'
import * as userspace from '../../src/targets/userspace/assemble.js'
import { createLoweringContext as userspaceFrame } from '../../src/targets/userspace/lowering-context.js'
import { userspaceLowering } from '../../src/targets/userspace/mode-lowering.js'
import { createUserspaceContribution } from '../../src/targets/userspace/userspace-contribution.js'

/** Lowers a plan to iptables mode. */
export function lowerIptables(plan: Plan): iptables.IptablesNodeState {
  const lowering = iptablesFrame(plan)
  const parts = plan.services.map((service) => createServiceBlocksOfVersion(service, lowering))
  return iptables.assembleIptablesMode(allParts(iptablesLowering, parts), plan).state
}

/** Lowers a plan to ipvs mode. */
export function lowerIpvs(plan: Plan): ipvs.IpvsNodeState {
  const lowering = ipvsFrame(plan)
  const parts = plan.services.map((service) => createIpvsContribution(service, lowering))
  return ipvs.assembleIpvsMode(allParts(ipvsLowering, parts), plan).state
}

/** Builds the input of a mode's `assemble` from these contributions. */
export function allParts<Part>(
  mode: Pick<ModeLowering<never, Part>, 'countParts'>,
  parts: readonly Part[],
): ServiceContributions<Part> {
  return { list: () => createChunkedList(parts), counts: mode.countParts(parts) }
}

/** Lowers a plan to nftables mode. */
export function lowerNftables(plan: Plan): nftables.NftablesNodeState {
  const lowering = nftablesFrame(plan)
  const parts = plan.services.map((service) => createServiceContribution(service, lowering))
  return nftables.assembleNftablesMode(allParts(nftablesLowering, parts), plan).state
}

/** Lowers a plan to userspace mode. */
export function lowerUserspace(plan: Plan): userspace.UserspaceNodeState {
  const lowering = userspaceFrame(plan)
  const parts = plan.services.map((service) => createUserspaceContribution(service, lowering))
  return userspace.assembleUserspaceMode(allParts(userspaceLowering, parts), plan).state
}
