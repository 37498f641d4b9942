import { scriptAddresses } from '../dataplane/addresses/script.js'
import { scriptIpset } from '../dataplane/ipset/script.js'
import { scriptIptables } from '../dataplane/iptables/script/script.js'
import { scriptIpvs } from '../dataplane/ipvs/script.js'
import type { PhasedRun } from '../dataplane/netfilter/run.js'
import { scriptNftables } from '../dataplane/nftables/script.js'
import type { Subsystem } from '../dataplane/node-state.js'
import type { ScriptOptions } from '../dataplane/tool-options.js'
import type { Change } from '../patch/patch.js'

/** How changes of a subsystem are carried out. */
export interface CommandWriter {
  /** Returns the commands that apply changes of its resources. */
  readonly script: (changes: readonly Change[], options: ScriptOptions) => readonly PhasedRun[]
  /** Whether its tool applies input line by line, so that two consecutive commands can be merged. */
  readonly appliesByLine: boolean
}

export const COMMAND_WRITERS: { readonly [S in Subsystem]: CommandWriter } = {
  nftables: { script: scriptNftables, appliesByLine: false },
  ipset: { script: scriptIpset, appliesByLine: true },
  ipvs: { script: scriptIpvs, appliesByLine: true },
  addresses: { script: scriptAddresses, appliesByLine: false },
  iptables: { script: scriptIptables, appliesByLine: false },
}
