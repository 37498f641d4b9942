import type { Features } from '../model/configuration/features.js'
import type { FamilySettings, IpvsSettings, UserspaceSettings } from '../model/configuration/settings.js'

/**
 * The settings that the plan passes on to the modes unchanged: the masquerade mark, the choice of source ports,
 * counters, and the scheduling of virtual servers. `FamilySettings` documents each setting. All other settings are
 * already applied in the plan.
 */
export interface KernelSettings
  extends Pick<FamilySettings, 'masqueradeMark' | 'randomFully' | 'conntrackTcpBeLiberal' | 'nfacctCounters'> {
  /** The settings of ipvs mode. */
  readonly ipvs: IpvsSettings
  /**
   * All features of the version, for the code of each mode. The plan already applies the features that change the
   * handling of packets.
   */
  readonly features: Features
  /** The settings of the userspace proxy; present only in userspace mode. */
  readonly process?: UserspaceSettings | undefined
}

export function kernelSettingsOf(settings: FamilySettings): KernelSettings {
  const { masqueradeMark, randomFully, conntrackTcpBeLiberal, nfacctCounters, ipvs, process, features } = settings
  return {
    ...{ masqueradeMark, randomFully, conntrackTcpBeLiberal, nfacctCounters, ipvs, features },
    ...(process && { process }),
  }
}
