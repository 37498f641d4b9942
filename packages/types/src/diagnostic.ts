import { escapeControlCharacters } from './escape-control-characters.js'

/** The object that a diagnostic is about, in the terms of `kubectl`. */
export interface ObjectReference {
  /** The kind of the object. */
  readonly kind: string
  /** The namespace of the object; absent for objects without a namespace. */
  readonly namespace?: string | undefined
  /** The name of the object; empty if the object has no name. */
  readonly name: string
}

/**
 * `error`: the rules omit the object, or the part of the object at `path`. `warning`: the rules contain the object, but
 * its content is probably not what you intended. `info`: no action is required.
 */
export type Severity = 'error' | 'warning' | 'info'

/** A problem of the input. */
export interface Diagnostic {
  /** How serious it is. */
  readonly severity: Severity
  /** A stable code; `docs/reference/diagnostics.md` explains each. */
  readonly code: DiagnosticCode
  /** The object that the diagnostic is about. */
  readonly object: ObjectReference
  /**
   * The source of the object: its location in the input, for example `[3].items[0]`, or a file and its document number.
   * Absent if there is only one source, or if the source is unknown.
   */
  readonly source?: string | undefined
  /** The location in the object, for example `spec.ports[1].port`. */
  readonly path?: string | undefined
  /** The problem in one readable line. */
  readonly message: string
  /** A description of valid values, for example `a whole number from 1 to 65535`. */
  readonly expected?: string | undefined
}

/** All diagnostic codes; `docs/reference/diagnostics.md` explains each of them. */
export const DIAGNOSTIC_CODES = [
  // structure of objects
  'invalidType',
  'missingField',
  'unknownField',
  'invalidName',
  'invalidAddress',
  'invalidCidr',
  'invalidPort',
  'invalidProtocol',
  'invalidValue',
  // KubeProxyConfiguration
  'invalidConfiguration',
  // function arguments and calls
  'invalidArgument',
  'unconfirmedUpdate',
  // a state that the kernel rejects
  'structure',
  // ignored or unused objects
  'unknownKind',
  'otherApiGroup',
  'duplicateObject',
  'otherAddressFamily',
  'orphanSlice',
  'unusedEndpoints',
  // legal, but probably unintended
  'addressIgnored',
  'addressConflict',
  'nodeAddressConflict',
  'specialAddress',
  'nonCanonicalAddress',
  'sourceRangesIgnored',
  'missingHealthCheckNodePort',
  'noNodePortAddress',
  'noHostAddress',
  'proxyPortIgnored',
  'noProxyPort',
  'portClaimed',
  'noLocalTrafficDetection',
  'unknownNode',
  'noNodeAddress',
  'nodeChanged',
  'unsupportedVersion',
  'modeLimitation',
  // valid in this version, but deprecated
  'deprecated',
] as const

/** A stable code of a diagnostic. */
export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[number]

/** Formats an object reference: `Service team-a/web`, `Node worker-1`, `Service without a name`. */
export function formatReference(object: ObjectReference): string {
  if (!isReference(object)) throw createArgumentError('object', 'no object reference', 'an object with kind and name')
  if (object.name === '') return `${object.kind} without a name${object.namespace ? ` in ${object.namespace}` : ''}`
  return object.namespace ? `${object.kind} ${object.namespace}/${object.name}` : `${object.kind} ${object.name}`
}

/** Parses an object reference in the form of `formatReference`: `Service team-a/web` or `KubeProxyConfiguration`. */
export function parseObjectReference(text: string): ObjectReference {
  const [kind = '', place = ''] = text.split(' ')
  const [namespace, name] = place.includes('/') ? place.split('/') : [undefined, place]
  return { kind, ...(namespace !== undefined && { namespace }), name: name ?? '' }
}

/**
 * Formats a diagnostic as one line of text:
 * `error: Service team-a/web: spec.ports[1].port: 70000 is not a port (expected …) [invalidPort]`. The source, if
 * present, follows the severity. Escapes control characters of hostile names, so that the text is always one line.
 *
 * @example
 * ```ts
 * const object = { kind: 'Service', namespace: 'team-a', name: 'web' }
 * const message = '70000 is not a port'
 * formatDiagnostic({ severity: 'error', code: 'invalidPort', object, message }) // => 'error: Service team-a/web: 70000 is not a port [invalidPort]'
 * ```
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  if (!isDiagnostic(diagnostic)) {
    throw createArgumentError('diagnostic', 'no diagnostic', 'an object with severity, code, object and message')
  }
  const path = diagnostic.path ? `${diagnostic.path}: ` : ''
  const expected = diagnostic.expected ? ` (expected ${diagnostic.expected})` : ''
  const source = diagnostic.source ? `${diagnostic.source}: ` : ''
  const text = `${diagnostic.severity}: ${source}${formatReference(diagnostic.object)}: ${path}${diagnostic.message}${expected} [${diagnostic.code}]`
  return escapeControlCharacters(text)
}

function isDiagnostic(value: Diagnostic | null | undefined): boolean {
  const isText = (part: unknown) => typeof part === 'string'
  return isText(value?.severity) && isText(value?.code) && isText(value?.message) && isReference(value?.object)
}

function isReference(value: ObjectReference | null | undefined): boolean {
  const { kind, name, namespace = '' }: Partial<ObjectReference> = value ?? {}
  return [kind, name, namespace].every((part) => typeof part === 'string')
}

/**
 * Creates the error for an invalid argument. Unlike a problem of an individual object, an invalid argument is an
 * exception. If the argument counted as empty, the cluster would seem to have no objects, and a diff would delete all
 * rules.
 */
export function createArgumentError(name: string, message: string, expected: string, path?: string): DiagnosticsError {
  const object = { kind: 'Argument', name }
  return new DiagnosticsError([{ severity: 'error', code: 'invalidArgument', object, path, message, expected }])
}

/** The error of functions that require fully valid input. The error contains all problems, not only the first. */
export class DiagnosticsError extends Error {
  /** All problems. */
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join('\n'))
    this.name = 'DiagnosticsError'
    this.diagnostics = diagnostics
  }
}
