import type { Diagnostic } from '@kube-rules/types'
import { expectedApiVersion, readApiVersion } from '@kube-rules/types/internal/api-groups'
import { describeValue } from './diagnostic-collector.js'
import { referenceOf, UNNAMED_KEY } from './metadata.js'

/** Returns the error for an object of another API group, in a list of the kind. */
export function createOtherGroupError(kind: string, object: unknown): Diagnostic {
  return {
    severity: 'error',
    code: 'otherApiGroup',
    object: referenceOf(kind, object),
    path: 'apiVersion',
    message: `${describeValue(readApiVersion(object))} is another API group`,
    expected: expectedApiVersion(kind),
  }
}

/** An object that is not used, because it is of another API group. */
interface UnusedObject {
  readonly key: string
  readonly original: unknown
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Returns the parsed data of an object of another API group. It has the key of objects without a name, which are never
 * used, because an object of the right group can have the same name.
 */
export function createUnusedObject(kind: string, object: unknown): UnusedObject {
  return { key: UNNAMED_KEY, original: object, diagnostics: [createOtherGroupError(kind, object)] }
}
