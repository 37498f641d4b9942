import * as iptables from '@kube-rules/compiler/internal/targets/iptables/limitations'
import * as ipvs from '@kube-rules/compiler/internal/targets/ipvs/limitations'
import type { Limitation } from '@kube-rules/compiler/internal/targets/mode-lowering'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import * as nftables from '@kube-rules/compiler/internal/targets/nftables/limitations'
import * as userspace from '@kube-rules/compiler/internal/targets/userspace/limitations'
import type { Packet } from '@kube-rules/types'
import type { ModePlan } from '../plan/mode-plan.js'
import { MODE_DECISIONS } from '../targets/mode-decisions.js'

/** The limitations of each mode with their reasons. */
const LIMITATIONS: { readonly [M in ProxyMode]: readonly Limitation[] } = {
  iptables: [...iptables.SERVICE_LIMITATIONS, ...iptables.GENERAL_LIMITATIONS],
  ipvs: [...ipvs.SERVICE_LIMITATIONS, ...ipvs.GENERAL_LIMITATIONS],
  nftables: [...nftables.SERVICE_LIMITATIONS, ...nftables.GENERAL_LIMITATIONS],
  userspace: [...userspace.SERVICE_LIMITATIONS, ...userspace.GENERAL_LIMITATIONS],
}

/** Returns the limitations of a mode that deviate from the plan for a packet; empty if none does. */
export function findLimitations({ mode, plan }: ModePlan, packet: Packet): readonly Limitation[] {
  const { limitations } = MODE_DECISIONS[mode](plan, packet)
  return limitations.flatMap((code) => LIMITATIONS[mode].find((each) => each.code === code) ?? [])
}
