import {
  type CompileResult,
  type FamilyResult,
  formatDiagnostic,
  listSubsystems,
  type NodeState,
  print,
} from '@kube-rules/compiler'

/** A snapshot serializer of Vitest and Jest. */
export interface RulesSerializer {
  /** Reports whether a value is a result of `compile`, one family of a result, or a node state. */
  readonly test: (value: unknown) => boolean
  /** Returns the text of the snapshot. */
  readonly serialize: (value: unknown) => string
}

/**
 * Serializes a result of `compile`, one family of a result, or a node state as the rules that a node has, in the format
 * `save` of `print`. A line that starts with `#` contains a diagnostic, or names the family that follows.
 *
 * @example
 * ```ts
 * expect.addSnapshotSerializer(rulesSerializer)
 * ```
 */
export const rulesSerializer: RulesSerializer = {
  test: (value) => isResult(value) || isFamilyResult(value) || isState(value),
  serialize: (value) => textOf(value).trimEnd(),
}

function textOf(value: unknown): string {
  if (isResult(value)) {
    const diagnostics = value.diagnostics.map((each) => `# ${formatDiagnostic(each)}\n`)
    return [...diagnostics, ...value.families.map(textOf)].join('')
  }
  if (isFamilyResult(value)) return `# ${value.family}\n${printSaved(value.state)}`
  return isState(value) ? printSaved(value) : ''
}

function printSaved(state: NodeState): string {
  return print(state, { format: 'save' })
}

function isResult(value: unknown): value is CompileResult {
  return (
    isObject(value) &&
    typeof value.mode === 'string' &&
    Array.isArray(value.diagnostics) &&
    isListOf(value.families, isFamilyResult)
  )
}

function isFamilyResult(value: unknown): value is FamilyResult {
  return isObject(value) && isObject(value.plan) && isState(value.state)
}

function isState(value: unknown): value is NodeState {
  if (!isObject(value) || (value.family !== 'IPv4' && value.family !== 'IPv6')) return false
  const subsystems: readonly string[] = listSubsystems()
  const parts = Object.keys(value).filter((key) => key !== 'family' && key !== 'coverage')
  return parts.length > 0 && parts.every((part) => subsystems.includes(part) && isObject(value[part]))
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
