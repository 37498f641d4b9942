import type { DiagnosticsError } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { describeValue } from './diagnostic-collector.js'

/**
 * Creates the error for an argument of the wrong type: the argument, or its part at `path`, is not `kind`, for example
 * `a list`.
 */
export function createArgumentTypeError(
  name: string,
  value: unknown,
  kind: string,
  path?: string,
  expected: string = kind,
): DiagnosticsError {
  return createArgumentError(name, `${describeValue(value)} is not ${kind}`, expected, path)
}
