import { liveIptablesMode } from './iptables/live-mode.js'
import { liveIpvsMode } from './ipvs/live-mode.js'
import type { LiveMode } from './live-mode.js'
import type { CompiledMode } from './modes.js'
import { liveNftablesMode } from './nftables/live-mode.js'
import { liveUserspaceMode } from './userspace/live-mode.js'

/** How each mode of `MODES` deals with a node. */
export const LIVE_MODES: { readonly [Name in CompiledMode]: LiveMode } = {
  iptables: liveIptablesMode,
  ipvs: liveIpvsMode,
  nftables: liveNftablesMode,
  userspace: liveUserspaceMode,
}
