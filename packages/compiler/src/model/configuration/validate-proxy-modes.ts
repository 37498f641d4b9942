import { parseCidr } from '@kube-rules/types/internal/cidr'
import { isLoopback, parseIp } from '@kube-rules/types/internal/ip'
import { formatSeconds } from './duration.js'
import type {
  EffectiveConfiguration,
  EffectiveConntrackConfiguration,
  EffectiveIpvsConfiguration,
  EffectiveNftablesConfiguration,
  EffectiveSyncPeriods,
} from './effective-configuration.js'
import type { Features } from './features.js'
import { type ProxyMode, parseProxyMode } from './versions.js'
import {
  checkDuration,
  checkNonNegative,
  checkPositiveDuration,
  createViolations,
  type FieldPath,
  type Violation,
} from './violation.js'

/** Validates the configuration section of the configured proxy mode. The `iptables` section is validated in every mode. */
export function checkModeSections(configuration: EffectiveConfiguration, features: Features): readonly Violation[] {
  const { mode, iptables } = configuration
  return [
    ...checkMasqueradingMode('iptables', 'KubeProxyIPTablesConfiguration', iptables),
    ...MODE_CHECKS[parseProxyMode(mode)](configuration, features),
  ]
}

type ModeCheck = (configuration: EffectiveConfiguration, features: Features) => readonly Violation[]

/** The function that validates the section of each mode, except the section `iptables`. */
const MODE_CHECKS: { readonly [Mode in ProxyMode]: ModeCheck } = {
  iptables: () => [],
  ipvs: ({ ipvs }, features) => checkIpvs(ipvs, features),
  nftables: ({ nftables }) => checkMasqueradingMode('nftables', 'KubeProxyNFTablesConfiguration', nftables),
  userspace: ({ bindAddress }) => checkListening(bindAddress),
}

/** Mirrors `validateKubeProxyConntrackConfiguration`. */
export function checkConntrack(conntrack: EffectiveConntrackConfiguration): readonly Violation[] {
  const at = (path: string, field: string): FieldPath =>
    placeIn('conntrack', 'KubeProxyConntrackConfiguration', path, field)
  return [
    ...checkNonNegative(at('maxPerCore', 'MaxPerCore'), conntrack.maxPerCore),
    ...checkNonNegative(at('min', 'Min'), conntrack.min),
    ...checkDuration(at('tcpEstablishedTimeout', 'TCPEstablishedTimeout'), conntrack.tcpEstablishedTimeout),
    ...checkDuration(at('tcpCloseWaitTimeout', 'TCPCloseWaitTimeout'), conntrack.tcpCloseWaitTimeout),
    ...checkDuration(at('udpTimeout', 'UDPTimeout'), conntrack.udpTimeout),
    ...checkDuration(at('udpStreamTimeout', 'UDPStreamTimeout'), conntrack.udpStreamTimeout),
  ]
}

/** Checks the proxy mode; `valid` contains the modes of the version. Mirrors `validateProxyModeLinux`. */
export function checkProxyMode(mode: string, valid: readonly string[], features: Features): readonly Violation[] {
  if (mode === '' || valid.includes(mode)) return []
  const blank = 'blank (blank means the best-available proxy [currently iptables])'
  const modes = valid.join(features.modesListedWithBlanks ? ', ' : ',')
  return createViolations({ path: 'mode', field: 'Mode.ProxyMode' }, mode, `must be ${modes} or ${blank}`)
}

function checkMasqueradingMode(
  root: string,
  rootField: string,
  section: EffectiveNftablesConfiguration,
): readonly Violation[] {
  const { masqueradeBit } = section
  const place = placeIn(root, rootField, 'masqueradeBit', 'MasqueradeBit')
  const outside = masqueradeBit < 0 || masqueradeBit > 31
  return [
    ...(outside ? [{ ...place, value: String(masqueradeBit), problem: 'must be within the range [0, 31]' }] : []),
    ...checkSyncPeriods(root, rootField, section),
  ]
}

function checkSyncPeriods(root: string, rootField: string, section: EffectiveSyncPeriods): readonly Violation[] {
  const { syncPeriod, minSyncPeriod } = section
  const place = placeIn(root, rootField, 'syncPeriod', 'SyncPeriod')
  const minimum = placeIn(root, rootField, 'minSyncPeriod', 'MinSyncPeriod')
  const problem = `must be greater than or equal to KubeProxyConfiguration.${minimum.field}`
  return [
    ...checkPositiveDuration(place, syncPeriod),
    ...checkDuration(minimum, minSyncPeriod),
    ...(minSyncPeriod > syncPeriod ? [{ ...place, value: formatSeconds(minSyncPeriod), problem }] : []),
  ]
}

/**
 * Checks the ipvs section. Mirrors `validateKubeProxyIPVSConfiguration`. Unlike upstream, also rejects schedulers that
 * are unsafe in a command.
 */
function checkIpvs(ipvs: EffectiveIpvsConfiguration, features: Features): readonly Violation[] {
  const at = (path: string, field: string): FieldPath => placeIn('ipvs', 'KubeProxyIPVSConfiguration', path, field)
  return [
    ...checkSyncPeriods('ipvs', 'KubeProxyIPVSConfiguration', ipvs),
    ...checkDuration(at('tcpTimeout', 'TCPTimeout'), ipvs.tcpTimeout),
    ...checkDuration(at('tcpFinTimeout', 'TCPFinTimeout'), ipvs.tcpFinTimeout),
    ...checkDuration(at('udpTimeout', 'UDPTimeout'), ipvs.udpTimeout),
    ...ipvs.excludeCIDRs.flatMap((cidr, index) =>
      checkCidr(at(`excludeCIDRs[${index}]`, `ExcludeCidrs[${index}]`), cidr),
    ),
    ...checkScheduler(at('scheduler', 'Scheduler'), ipvs.scheduler, features),
  ]
}

/** Checks the listen address in userspace mode. Mirrors `NewCustomProxier` of the userspace proxier of kube-proxy v1.20. */
function checkListening(bindAddress: string): readonly Violation[] {
  if (!isLoopback(parseIp(bindAddress)?.text ?? '')) return []
  return createViolations({ path: 'bindAddress', field: 'BindAddress' }, bindAddress, 'cannot proxy on localhost')
}

/** The only schedulers that kube-proxy up to v1.26 accepts. */
const SCHEDULERS = ['rr', 'wrr', 'lc', 'wlc', 'lblc', 'lblcr', 'sh', 'dh', 'sed', 'nq', '']

function checkScheduler(place: FieldPath, scheduler: string, { anyScheduler }: Features): readonly Violation[] {
  if (!anyScheduler && !SCHEDULERS.includes(scheduler)) {
    const blank = 'blank means the default algorithm method (currently rr)'
    return createViolations(place, scheduler, `must be in [${SCHEDULERS.join(' ')}], ${blank}`)
  }
  if (scheduler === '' || /^[a-z0-9_-]{1,15}$/.test(scheduler)) return []
  return createViolations(place, scheduler, 'must be at most 15 lower-case letters, digits, hyphens and underscores')
}

export function checkCidr(place: FieldPath, cidr: string): readonly Violation[] {
  return parseCidr(cidr) === undefined ? createViolations(place, cidr, 'must be a valid CIDR') : []
}

function placeIn(root: string, rootField: string, path: string, field: string): FieldPath {
  return { path: `${root}.${path}`, field: `${rootField}.${field}` }
}
