/** The proxy modes of kube-proxy whose behaviour is known. */
export type ProxyMode = 'iptables' | 'ipvs' | 'nftables' | 'userspace'

/** The Kubernetes versions in which each mode is known, oldest first. A mode without a row does not compile. */
const VERSIONS: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: minors(30, 37),
  ipvs: minors(30, 37),
  nftables: minors(30, 37),
  userspace: minors(20, 25),
}

function minors(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `1.${first + index}`)
}

/** What an empty mode means, and any text that is no mode. */
export const DEFAULT_PROXY_MODE = 'iptables'

/** The known modes, in the order in which messages list them. */
export function proxyModes(): readonly ProxyMode[] {
  return Object.keys(VERSIONS).filter(isProxyMode)
}

/** Reports whether any kube-proxy version has the mode. */
export function isProxyMode(mode: string): mode is ProxyMode {
  return Object.hasOwn(VERSIONS, mode)
}

/** The mode that a text names; the default mode for any other text. */
export function proxyModeOf(mode: string): ProxyMode {
  return isProxyMode(mode) ? mode : DEFAULT_PROXY_MODE
}

/** The versions in which a mode is known, oldest first; those of the default mode for any other text. */
export function versionsOf(mode: string): readonly string[] {
  return VERSIONS[proxyModeOf(mode)]
}

/** Returns the newest supported version of a mode. */
export function newestVersionOf(mode: string): string {
  return versionsOf(mode).at(-1) ?? ''
}

/** The versions after `version` in which a mode is known, oldest first. */
export function newerVersions(mode: string, version: string): readonly string[] {
  return versionsOf(mode).filter((each) => each !== version && isAtLeast(each, version))
}

/** Whether a mode is known in a version; a text that is no mode counts as the default mode. */
export function isKnownIn(mode: string, version: string): boolean {
  return versionsOf(mode).includes(version)
}

/** Formats the modes with their versions: `iptables, ipvs, nftables: 1.30 to 1.37; userspace: 1.20 to 1.25`. */
export function versionsText(): string {
  const modesByRange = new Map<string, ProxyMode[]>()
  for (const mode of proxyModes()) {
    const range = `${versionsOf(mode)[0]} to ${newestVersionOf(mode)}`
    modesByRange.set(range, [...(modesByRange.get(range) ?? []), mode])
  }
  return Array.from(modesByRange, ([range, modes]) => `${modes.join(', ')}: ${range}`).join('; ')
}

/**
 * Parses `text` as a minor version (`1.31`) that at least one mode supports; undefined if there is none. `1.31`,
 * `v1.31.2` and `1.31.2-distribution.1` are equivalent.
 */
export function parseVersion(text: string): string | undefined {
  const minor = /^v?(1\.\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(text)?.[1]
  return minor !== undefined && proxyModes().some((mode) => isKnownIn(mode, minor)) ? minor : undefined
}

/** The minor version before a known one: `1.29` for `1.30`. */
export function previousVersion(version: string): string {
  return `1.${numbersOf(version).minor - 1}`
}

/** Whether a version is `since` or newer. A version without a patch means the newest patch of its minor version. */
export function isAtLeast(version: string, since: string): boolean {
  const [own, first] = [numbersOf(version), numbersOf(since)]
  if (own.minor !== first.minor) return own.minor > first.minor
  return (own.patch ?? Number.POSITIVE_INFINITY) >= (first.patch ?? 0)
}

function numbersOf(version: string): { readonly minor: number; readonly patch: number | undefined } {
  const [, minor, patch] = version.split('.')
  return { minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) }
}
