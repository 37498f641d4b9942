import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import { createViolations, type FieldPath, type Violation } from './violation.js'

const MODES: readonly string[] = ['BridgeInterface', 'ClusterCIDR', 'InterfaceNamePrefix', 'NodeCIDR']
const MODES_BY_INTERFACE: readonly string[] = ['BridgeInterface', 'InterfaceNamePrefix']

/**
 * Checks the mode for detecting local traffic. Mirrors `validateDetectLocalMode`, and up to v1.27 also
 * `getDetectLocalMode`.
 */
export function checkDetectLocalMode(mode: string, features: Features): readonly Violation[] {
  const { detectLocalByInterface, detectLocalModeValidated } = features
  const isKnown = MODES.includes(mode) && (detectLocalByInterface || !MODES_BY_INTERFACE.includes(mode))
  if (mode === '' || isKnown) return []
  const problem = detectLocalModeValidated ? `must be ${MODES.join(',')} or blank` : 'unknown detect-local-mode'
  return createViolations({ path: 'detectLocalMode', field: 'DetectLocalMode' }, mode, problem)
}

/**
 * Checks the interface name or prefix that the mode requires. Mirrors `validateInterface`. Unlike kube-proxy, also
 * rejects names that are invalid for interfaces or unsafe in the text of a rule.
 */
export function checkDetectLocal({ detectLocalMode, detectLocal }: EffectiveConfiguration): readonly Violation[] {
  const { bridgeInterface, interfaceNamePrefix } = detectLocal
  if (detectLocalMode === 'BridgeInterface') {
    const place = { path: 'detectLocal.bridgeInterface', field: 'InterfaceName' }
    return checkName(place, bridgeInterface, isInterfaceName(bridgeInterface), 15)
  }
  if (detectLocalMode === 'InterfaceNamePrefix') {
    const place = { path: 'detectLocal.interfaceNamePrefix', field: 'InterfacePrefix' }
    return checkName(place, interfaceNamePrefix, isInterfacePrefix(interfaceNamePrefix), 14)
  }
  return []
}

function checkName(place: FieldPath, name: string, valid: boolean, longest: number): readonly Violation[] {
  if (valid) return []
  if (name.trim() === '') return createViolations(place, name, 'must not be empty')
  return createViolations(place, name, `must be at most ${longest} letters, digits and characters of _.@:-`)
}

/** Reports whether `text` is a valid interface name that needs no quotes in the text of a rule. */
export function isInterfaceName(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,15}$/.test(text)
}

/**
 * Reports whether `text` is a valid prefix of interface names. A prefix must be one character shorter than a name,
 * because iptables counts the appended `+`.
 */
export function isInterfacePrefix(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,14}$/.test(text)
}
