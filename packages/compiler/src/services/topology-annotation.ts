import type { Findings } from '../reading/findings.js'
import type { Fields } from '../reading/json-value.js'
import { readEntry, readObject } from '../reading/read-field.js'

/** In order of precedence: the first one that exists decides, even with an empty value. */
const HINTS_ANNOTATIONS = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode']

/**
 * Whether the annotations of a Service ask for topology hints: any text but `disabled` or `Disabled`.
 * Mirrors `getHintsAnnotation` and `canUseTopology` of kube-proxy v1.30.
 */
export function readHintsAnnotation(findings: Findings, metadata: Fields): boolean {
  const annotations = readObject(findings, 'metadata.annotations', metadata.annotations)
  const key = HINTS_ANNOTATIONS.find((name) => Object.hasOwn(annotations, name))
  const value = key === undefined ? '' : readEntry(findings, 'metadata.annotations', annotations, key)
  return value !== '' && value !== 'disabled' && value !== 'Disabled'
}
