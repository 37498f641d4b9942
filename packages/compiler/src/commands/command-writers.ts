import { toAddressCommands } from '../dataplane/addresses/script.js'
import { toIpsetCommands } from '../dataplane/ipset/script.js'
import { toIptablesCommands } from '../dataplane/iptables/script/script.js'
import { toIpvsCommands } from '../dataplane/ipvs/script.js'
import type { PhasedCommand } from '../dataplane/netfilter/tool-command.js'
import { toNftCommands } from '../dataplane/nftables/script.js'
import type { Subsystem } from '../dataplane/node-state.js'
import type { SubsystemCommandOptions } from '../dataplane/tool-options.js'
import type { Change } from '../patch/patch.js'

/** The command writer of one subsystem. */
export interface CommandWriter {
  /** Returns the commands that apply changes of the resources of the subsystem. */
  readonly writeCommands: (changes: readonly Change[], options: SubsystemCommandOptions) => readonly PhasedCommand[]
  /** Whether the tool applies input line by line, so that two consecutive commands can be merged. */
  readonly appliesByLine: boolean
}

export const COMMAND_WRITERS: { readonly [S in Subsystem]: CommandWriter } = {
  nftables: { writeCommands: toNftCommands, appliesByLine: false },
  ipset: { writeCommands: toIpsetCommands, appliesByLine: true },
  ipvs: { writeCommands: toIpvsCommands, appliesByLine: true },
  addresses: { writeCommands: toAddressCommands, appliesByLine: false },
  iptables: { writeCommands: toIptablesCommands, appliesByLine: false },
}
