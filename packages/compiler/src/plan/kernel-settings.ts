import type { Features } from '../model/configuration/features.js'
import type { IpvsSettings, ProcessSettings, Settings } from '../model/configuration/settings.js'

/**
 * What the configuration has the kernel told that is no decision about a packet: which mark asks for masquerading, how source
 * ports are chosen, what is counted, how virtual servers are scheduled. Each is documented at `Settings`; what these say
 * beside it, the plan has answered.
 */
export interface KernelSettings
  extends Pick<Settings, 'masqueradeMark' | 'randomFully' | 'conntrackTcpBeLiberal' | 'nfacctCounters'> {
  readonly ipvs: IpvsSettings
  /** All of them, so that a target need not be handed single ones; those that decide about packets the plan has used. */
  readonly features: Features
  /** Only where a process takes the connections. */
  readonly process?: ProcessSettings | undefined
}

export function kernelSettings(settings: Settings): KernelSettings {
  const { masqueradeMark, randomFully, conntrackTcpBeLiberal, nfacctCounters, ipvs, process, features } = settings
  return {
    ...{ masqueradeMark, randomFully, conntrackTcpBeLiberal, nfacctCounters, ipvs, features },
    ...(process && { process }),
  }
}
