import type { EffectiveConfiguration } from './effective-configuration.js'
import { invalidText, type Place, type Violation } from './violation.js'

const MODES: readonly string[] = ['BridgeInterface', 'ClusterCIDR', 'InterfaceNamePrefix', 'NodeCIDR']

/** Mirrors `validateDetectLocalMode`. */
export function checkDetectLocalMode(mode: string): readonly Violation[] {
  if (mode === '' || MODES.includes(mode)) return []
  return invalidText({ path: 'detectLocalMode', field: 'DetectLocalMode' }, mode, `must be ${MODES.join(',')} or blank`)
}

/**
 * The name that the mode needs. Mirrors `validateInterface`, and refuses names that no interface can have or that
 * could not stand in the text of a rule.
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

function checkName(place: Place, name: string, valid: boolean, longest: number): readonly Violation[] {
  if (valid) return []
  if (name.trim() === '') return invalidText(place, name, 'must not be empty')
  return invalidText(place, name, `must be at most ${longest} letters, digits and characters of _.@:-`)
}

/** Whether `text` can name a network interface and can stand unquoted in the text of a rule. */
export function isInterfaceName(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,15}$/.test(text)
}

/** Whether `text` can begin such names. One character less: iptables counts the `+` that is written after it. */
export function isInterfacePrefix(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,14}$/.test(text)
}
