/** The supported proxy modes of kube-proxy. */
export type ProxyMode = 'iptables' | 'ipvs' | 'nftables' | 'userspace'

/** The Kubernetes versions of each mode, oldest first. The type requires an entry for every mode. */
const VERSIONS: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: minors(14, 37),
  ipvs: minors(14, 37),
  nftables: minors(29, 37),
  userspace: minors(14, 25),
}

/**
 * For each older minor version, the first patch version with a backported fix of 1.19: the mark is cleared before SNAT
 * (#92035).
 */
export const MARK_CLEARED_SINCE: readonly string[] = ['1.16.13', '1.17.9', '1.18.6']

function minors(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `1.${first + index}`)
}

/** The mode that kube-proxy uses if the configured mode is empty or unknown. */
export const DEFAULT_PROXY_MODE = 'iptables'

/** Returns the known modes, in the order that messages use. */
export function listProxyModes(): readonly ProxyMode[] {
  return Object.keys(VERSIONS).filter(isProxyMode)
}

/** Reports whether any kube-proxy version has the mode. */
export function isProxyMode(mode: string): mode is ProxyMode {
  return Object.hasOwn(VERSIONS, mode)
}

/** Returns the mode with this name. Returns the default mode for any other text. */
export function parseProxyMode(mode: string): ProxyMode {
  return isProxyMode(mode) ? mode : DEFAULT_PROXY_MODE
}

/** Returns the minor versions of a mode, oldest first. Any text that is not a mode means the default mode. */
export function versionsOf(mode: string): readonly string[] {
  return VERSIONS[parseProxyMode(mode)]
}

/** Returns the newest supported version of a mode. */
export function newestVersionOf(mode: string): string {
  return versionsOf(mode).at(-1) ?? ''
}

/** Returns the minor versions of a mode that are newer than `version`, oldest first. */
export function listNewerVersions(mode: string, version: string): readonly string[] {
  return versionsOf(mode).filter((each) => numbersOf(each).minor > numbersOf(version).minor)
}

/** Reports whether a mode supports a version; a string that is not a mode means the default mode. */
export function isSupportedVersion(mode: string, version: string): boolean {
  return versionsOf(mode).includes(minorVersionOf(version))
}

/**
 * Formats the modes with their versions: `iptables, ipvs: 1.14 to 1.37; nftables: 1.29 to 1.37; userspace: 1.14 to
 * 1.25`.
 */
export function formatVersions(): string {
  const modesByRange = new Map<string, ProxyMode[]>()
  for (const mode of listProxyModes()) {
    const range = `${versionsOf(mode)[0]} to ${newestVersionOf(mode)}`
    modesByRange.set(range, [...(modesByRange.get(range) ?? []), mode])
  }
  return Array.from(modesByRange, ([range, modes]) => `${modes.join(', ')}: ${range}`).join('; ')
}

/**
 * Parses `text` as a version that at least one mode supports. Returns undefined if no mode supports the version.
 * `1.31`, `v1.31.2` and `1.31.2-distribution.1` are equivalent. The patch version is kept only if later patches of the
 * minor version have other rules: `1.18.2`.
 */
export function parseVersion(text: string): string | undefined {
  const [, minor, patch] = /^v?(1\.[1-9]\d*)(?:\.(\d+))?(?:[-+].*)?$/.exec(text) ?? []
  if (minor === undefined || !listProxyModes().some((mode) => isSupportedVersion(mode, minor))) return undefined
  const version = patch === undefined ? minor : `${minor}.${Number(patch)}`
  const fix = MARK_CLEARED_SINCE.find((each) => minorVersionOf(each) === minor)
  return fix === undefined || isVersionAtLeast(version, fix) ? minor : version
}

/** Returns the minor version of a supported version: `1.18` for `1.18.2`. */
export function minorVersionOf(version: string): string {
  return `1.${numbersOf(version).minor}`
}

/** Returns the minor version before a supported version: `1.29` for `1.30`. */
export function previousVersionOf(version: string): string {
  return `1.${numbersOf(version).minor - 1}`
}

/**
 * Reports whether a version is `since` or newer. If `since` is a list of patch versions, the version is compared with
 * the entry of its own minor version; a version that is newer than all entries also counts. A version without a patch
 * means the newest patch of its minor version.
 */
export function isVersionAtLeast(version: string, since: string | readonly string[]): boolean {
  if (typeof since === 'string') return compareVersions(version, since) >= 0
  const minor = minorVersionOf(version)
  const ported = since.find((each) => minorVersionOf(each) === minor)
  return ported === undefined
    ? since.every((each) => compareVersions(version, each) >= 0)
    : compareVersions(version, ported) >= 0
}

function compareVersions(version: string, since: string): number {
  const [own, first] = [numbersOf(version), numbersOf(since)]
  if (own.minor !== first.minor) return own.minor - first.minor
  return (own.patch ?? Number.POSITIVE_INFINITY) - (first.patch ?? 0)
}

function numbersOf(version: string): { readonly minor: number; readonly patch: number | undefined } {
  const [, minor, patch] = version.split('.')
  return { minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) }
}
