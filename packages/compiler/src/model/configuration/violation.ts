import type { Diagnostic } from '@kube-rules/types'
import { describe } from '../reading/findings.js'
import { CONFIGURATION } from './effective-configuration.js'

/** One broken rule of the validation of a KubeProxyConfiguration. */
export interface Violation {
  /** Where in the file, for example `iptables.masqueradeBit`. */
  readonly path: string
  /** The same place as kube-proxy names it, for example `KubeProxyIPTablesConfiguration.MasqueradeBit`. */
  readonly field: string
  /** As Go would show it. */
  readonly value: string
  /** In kube-proxy's words, for example `must be greater than 0`. */
  readonly problem: string
}

/** The message is the line kube-proxy logs for the violation. */
export function diagnosticOf({ path, field, value, problem }: Violation): Diagnostic {
  const message = `KubeProxyConfiguration.${field}: Invalid value: ${value}: ${problem}`
  return { severity: 'error', code: 'invalidConfiguration', object: CONFIGURATION, path, message, expected: undefined }
}

/** Where a value stands: its violation is complete with a value and a problem. */
export interface Place {
  readonly path: string
  readonly field: string
}

export function invalidText(place: Place, value: string, problem: string): readonly Violation[] {
  return [{ ...place, value: describe(value), problem }]
}

export function checkAtLeastZero(place: Place, value: number): readonly Violation[] {
  return value < 0 ? [{ ...place, value: String(value), problem: 'must be greater than or equal to 0' }] : []
}

export function checkPositiveDuration(place: Place, milliseconds: number): readonly Violation[] {
  return milliseconds <= 0 ? [{ ...place, value: seconds(milliseconds), problem: 'must be greater than 0' }] : []
}

export function checkDuration(place: Place, milliseconds: number): readonly Violation[] {
  return checkAtLeastZero(place, milliseconds).map((found) => ({ ...found, value: seconds(milliseconds) }))
}

export function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`
}
