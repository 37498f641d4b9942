import { chunkedList } from '../../src/internal/chunked-list.js'
import type { Plan } from '../../src/plan/plan.js'
import * as iptables from '../../src/targets/iptables/assemble.js'
import { blocksOf } from '../../src/targets/iptables/constructions.js'
import { lowering as iptablesFrame } from '../../src/targets/iptables/lowering.js'
import { iptablesLowering } from '../../src/targets/iptables/mode-lowering.js'
import * as ipvs from '../../src/targets/ipvs/assemble.js'
import { lowering as ipvsFrame } from '../../src/targets/ipvs/lowering.js'
import { ipvsLowering } from '../../src/targets/ipvs/mode-lowering.js'
import { serviceEntries } from '../../src/targets/ipvs/service-entries.js'
import type { ModeLowering, Parts } from '../../src/targets/mode-lowering.js'
import * as nftables from '../../src/targets/nftables/assemble.js'
import { lowering as nftablesFrame } from '../../src/targets/nftables/lowering.js'
import { nftablesLowering } from '../../src/targets/nftables/mode-lowering.js'
import { serviceContribution } from '../../src/targets/nftables/service-contribution.js'
import * as userspace from '../../src/targets/userspace/assemble.js'
import { lowering as userspaceFrame } from '../../src/targets/userspace/lowering.js'
import { userspaceLowering } from '../../src/targets/userspace/mode-lowering.js'
import { proxiedPart } from '../../src/targets/userspace/proxied-part.js'

/** Lowers a plan to mode iptables. */
export function lowerIptables(plan: Plan): iptables.IptablesNodeState {
  const lowering = iptablesFrame(plan)
  const parts = plan.services.map((service) => blocksOf(service, lowering))
  return iptables.assemble(allParts(iptablesLowering, parts), plan).state
}

/** Lowers a plan to mode ipvs. */
export function lowerIpvs(plan: Plan): ipvs.IpvsNodeState {
  const lowering = ipvsFrame(plan)
  const parts = plan.services.map((service) => serviceEntries(service, lowering))
  return ipvs.assemble(allParts(ipvsLowering, parts), plan).state
}

/** Builds the input of a mode's `assemble` from these contributions. */
export function allParts<Part>(
  mode: Pick<ModeLowering<never, Part>, 'countParts'>,
  parts: readonly Part[],
): Parts<Part> {
  return { list: () => chunkedList(parts), counts: mode.countParts(parts) }
}

/** Lowers a plan to mode nftables. */
export function lowerNftables(plan: Plan): nftables.NftablesNodeState {
  const lowering = nftablesFrame(plan)
  const parts = plan.services.map((service) => serviceContribution(service, lowering))
  return nftables.assemble(allParts(nftablesLowering, parts), plan).state
}

/** Lowers a plan to mode userspace. */
export function lowerUserspace(plan: Plan): userspace.UserspaceNodeState {
  const lowering = userspaceFrame(plan)
  const parts = plan.services.map((service) => proxiedPart(service, lowering))
  return userspace.assemble(allParts(userspaceLowering, parts), plan).state
}
