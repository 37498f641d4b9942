import type { Plan } from '../../src/plan/plan.js'
import { createLoweringContext as iptablesFrame } from '../../src/targets/iptables/lowering-context.js'
import {
  assembleIptablesMode,
  createServiceBlocksOfVersion,
  type IptablesNodeState,
  iptablesLowering,
} from '../../src/targets/iptables/mode-lowering.js'
import { createIpvsContribution } from '../../src/targets/ipvs/ipvs-contribution.js'
import { createLoweringContext as ipvsFrame } from '../../src/targets/ipvs/lowering-context.js'
import { assembleIpvsMode, type IpvsNodeState, ipvsLowering } from '../../src/targets/ipvs/mode-lowering.js'
import type { ModeLowering, ServiceContributions } from '../../src/targets/mode-lowering.js'
import { createLoweringContext as nftablesFrame } from '../../src/targets/nftables/lowering-context.js'
import {
  assembleNftablesMode,
  type NftablesNodeState,
  nftablesLowering,
} from '../../src/targets/nftables/mode-lowering.js'
import { createServiceContribution } from '../../src/targets/nftables/service-contribution.js'
import { createLoweringContext as userspaceFrame } from '../../src/targets/userspace/lowering-context.js'
import {
  assembleUserspaceMode,
  type UserspaceNodeState,
  userspaceLowering,
} from '../../src/targets/userspace/mode-lowering.js'
import { createUserspaceContribution } from '../../src/targets/userspace/userspace-contribution.js'

/** Lowers a plan to iptables mode. */
export function lowerIptables(plan: Plan): IptablesNodeState {
  const lowering = iptablesFrame(plan)
  const parts = plan.services.map((service) => createServiceBlocksOfVersion(service, lowering))
  return assembleIptablesMode(allParts(iptablesLowering, parts), plan).state
}

/** Lowers a plan to ipvs mode. */
export function lowerIpvs(plan: Plan): IpvsNodeState {
  const lowering = ipvsFrame(plan)
  const parts = plan.services.map((service) => createIpvsContribution(service, lowering))
  return assembleIpvsMode(allParts(ipvsLowering, parts), plan).state
}

/** Builds the input of a mode's `assemble` from these contributions. */
export function allParts<Part>(
  mode: Pick<ModeLowering<never, Part>, 'countParts'>,
  parts: readonly Part[],
): ServiceContributions<Part> {
  return { list: () => parts, counts: mode.countParts(parts) }
}

/** Lowers a plan to nftables mode. */
export function lowerNftables(plan: Plan): NftablesNodeState {
  const lowering = nftablesFrame(plan)
  const parts = plan.services.map((service) => createServiceContribution(service, lowering))
  return assembleNftablesMode(allParts(nftablesLowering, parts), plan).state
}

/** Lowers a plan to userspace mode. */
export function lowerUserspace(plan: Plan): UserspaceNodeState {
  const lowering = userspaceFrame(plan)
  const parts = plan.services.map((service) => createUserspaceContribution(service, lowering))
  return assembleUserspaceMode(allParts(userspaceLowering, parts), plan).state
}
