import type { Diagnostic } from '@kube-rules/types'
import { describeValue } from '../reading/diagnostic-collector.js'
import { formatSeconds } from './duration.js'
import { CONFIGURATION_REFERENCE } from './effective-configuration.js'

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
export function violationToDiagnostic({ path, field, value, problem }: Violation): Diagnostic {
  const message = `KubeProxyConfiguration.${field}: Invalid value: ${value}: ${problem}`
  return {
    severity: 'error',
    code: 'invalidConfiguration',
    object: CONFIGURATION_REFERENCE,
    path,
    message,
    expected: undefined,
  }
}

/** The path of a configuration value, in both notations. A `Violation` adds the value and the problem to this path. */
export interface FieldPath {
  readonly path: string
  readonly field: string
}

export function createViolations(place: FieldPath, value: string, problem: string): readonly Violation[] {
  return [{ ...place, value: describeValue(value), problem }]
}

export function checkNonNegative(place: FieldPath, value: number): readonly Violation[] {
  return value < 0 ? [{ ...place, value: String(value), problem: 'must be greater than or equal to 0' }] : []
}

export function checkPositiveDuration(place: FieldPath, milliseconds: number): readonly Violation[] {
  return milliseconds <= 0 ? [{ ...place, value: formatSeconds(milliseconds), problem: 'must be greater than 0' }] : []
}

export function checkDuration(place: FieldPath, milliseconds: number): readonly Violation[] {
  return checkNonNegative(place, milliseconds).map((violation) => ({
    ...violation,
    value: formatSeconds(milliseconds),
  }))
}
