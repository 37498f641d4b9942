import type { Diagnostic } from '@kube-rules/types'
import { describe } from '../reading/diagnostic-collector.js'
import { CONFIGURATION } from './effective-configuration.js'

/** One violation of the validation rules of a KubeProxyConfiguration. */
export interface Violation {
  /** The path in the file, for example `iptables.masqueradeBit`. */
  readonly path: string
  /** The path in kube-proxy notation, for example `KubeProxyIPTablesConfiguration.MasqueradeBit`. */
  readonly field: string
  /** The value in Go notation. */
  readonly value: string
  /** The problem in the words of kube-proxy, for example `must be greater than 0`. */
  readonly problem: string
}

/** Converts a violation to a diagnostic. The message is the line that kube-proxy logs. */
export function diagnosticOf({ path, field, value, problem }: Violation): Diagnostic {
  const message = `KubeProxyConfiguration.${field}: Invalid value: ${value}: ${problem}`
  return { severity: 'error', code: 'invalidConfiguration', object: CONFIGURATION, path, message, expected: undefined }
}

/** The path of a value; a violation adds a value and a problem. */
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
