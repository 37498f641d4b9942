import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../dataplane/node-state.js'
import type { Features } from '../model/configuration/features.js'
import { cleanUpIptables } from '../targets/iptables/clean-up.js'
import { cleanUpIpvs } from '../targets/ipvs/clean-up.js'
import type { ProxyMode } from '../targets/modes.js'
import { cleanUpNftables } from '../targets/nftables/clean-up.js'
import { cleanUpUserspace } from '../targets/userspace/clean-up.js'

/** Returns the commands that kube-proxy runs to remove a mode from a node with this state. */
type CleanUp = (state: NodeState, features: Features) => readonly ToolCommand[]

export const CLEAN_UP_FUNCTIONS: { readonly [M in ProxyMode]: CleanUp } = {
  iptables: cleanUpIptables,
  ipvs: cleanUpIpvs,
  nftables: cleanUpNftables,
  userspace: cleanUpUserspace,
}
