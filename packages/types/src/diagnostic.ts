import { escapeControls } from './escape-controls.js'

/** The object a diagnostic is about, as `kubectl` names it. */
export interface ObjectReference {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
}

/**
 * `error`: the object, or the part at `path`, is left out of the rules. `warning`: legal, rules are written, but
 * probably not what was meant. `info`: nothing to do.
 */
export type Severity = 'error' | 'warning' | 'info'

export interface Diagnostic {
  readonly severity: Severity
  readonly code: DiagnosticCode
  readonly object: ObjectReference
  /**
   * Where the object was read: its place in the input, for example `[3].items[0]`, or a file and the number of the document
   * in it. Absent where there is one place only, or nobody knows.
   */
  readonly source?: string | undefined
  /** Where in the object, for example `spec.ports[1].port`. */
  readonly path?: string | undefined
  readonly message: string
  /** What would have been right, for example `a whole number from 1 to 65535`. */
  readonly expected?: string | undefined
}

/** Every code a diagnostic can have; `docs/diagnostics.md` explains them one by one. */
export const DIAGNOSTIC_CODES = [
  // the shape of an object
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
  // arguments of a function
  'invalidArgument',
  // a state that the kernel would refuse
  'structure',
  // objects that are not read, or not used
  'unknownKind',
  'duplicateObject',
  'otherAddressFamily',
  'orphanSlice',
  'unusedEndpoints',
  // legal, but probably not meant
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
  'modeLimitation',
  // right in this version, but not for long
  'deprecated',
] as const

export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[number]

/** `Service team-a/web`, `Node worker-1`, `Service without a name`. */
export function formatReference(object: ObjectReference): string {
  if (object.name === '') return `${object.kind} without a name${object.namespace ? ` in ${object.namespace}` : ''}`
  return object.namespace ? `${object.kind} ${object.namespace}/${object.name}` : `${object.kind} ${object.name}`
}

/**
 * One line for people: `error: Service team-a/web: spec.ports[1].port: 70000 is not a port (expected …) [invalidPort]`,
 * with the source, where there is one, behind the severity.
 * Control characters of hostile names are escaped, so the text is always one line.
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const path = diagnostic.path ? `${diagnostic.path}: ` : ''
  const expected = diagnostic.expected ? ` (expected ${diagnostic.expected})` : ''
  const source = diagnostic.source ? `${diagnostic.source}: ` : ''
  const text = `${diagnostic.severity}: ${source}${formatReference(diagnostic.object)}: ${path}${diagnostic.message}${expected} [${diagnostic.code}]`
  return escapeControls(text)
}

/** Thrown where a caller asked for all or nothing; carries every problem, never just the first. */
export class DiagnosticsError extends Error {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join('\n'))
    this.name = 'DiagnosticsError'
    this.diagnostics = diagnostics
  }
}
