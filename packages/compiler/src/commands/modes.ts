import { checkChoice, checkString } from '../arguments/check-argument.js'
import type { Subsystem } from '../dataplane/node-state.js'
import {
  isProxyMode as isKnownMode,
  parseVersion as parseKnownVersion,
  versionsOf as versionsOfMode,
} from '../model/configuration/versions.js'
import { PROXY_MODES, type ProxyMode, SUBSYSTEMS_OF_MODE } from '../targets/modes.js'

/**
 * Returns the names of all modes.
 *
 * @example
 * ```ts
 * listModes() // => ['iptables', 'ipvs', 'nftables', 'userspace']
 * ```
 */
export function listModes(): readonly ProxyMode[] {
  return PROXY_MODES
}

/**
 * Reports whether a text, such as the value of an option, is the name of a mode.
 *
 * @example
 * ```ts
 * isProxyMode('nftables') // => true
 * ```
 */
export function isProxyMode(name: string): name is ProxyMode {
  checkString('name', name, 'a text')
  return isKnownMode(name)
}

/**
 * Returns the subsystems that a mode uses, in the order that changes are applied.
 *
 * @example
 * ```ts
 * subsystemsOf('ipvs') // => ['ipset', 'ipvs', 'addresses', 'iptables']
 * ```
 */
export function subsystemsOf(mode: ProxyMode): readonly Subsystem[] {
  checkChoice('mode', mode, PROXY_MODES)
  return SUBSYSTEMS_OF_MODE[mode]
}

/**
 * Returns the known Kubernetes versions of a mode, oldest first. Like in kube-proxy, a string that is not a mode means
 * iptables mode.
 *
 * @example
 * ```ts
 * versionsOf('userspace').at(-1) // => '1.25'
 * ```
 */
export function versionsOf(mode: string): readonly string[] {
  checkString('mode', mode, 'a text')
  return versionsOfMode(mode)
}

/**
 * Parses a version string as reported by a Node or an image. Returns the supported kube-proxy version that has the same
 * rules: the minor version, or the patch version if later patches of the minor version have other rules. Returns
 * undefined if no mode supports the version.
 *
 * @example
 * ```ts
 * parseVersion('v1.31.2-distribution.1') // => '1.31'
 * ```
 */
export function parseVersion(text: string): string | undefined {
  checkString('text', text, 'a version such as v1.31.2')
  return parseKnownVersion(text)
}
