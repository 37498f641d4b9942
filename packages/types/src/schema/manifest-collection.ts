import type { Diagnostic, ObjectReference } from '../diagnostic.js'
import { escapeControlCharacters } from '../escape-control-characters.js'
import type { KubeProxyConfiguration } from '../kube-proxy-configuration.js'
import type { EndpointSlice } from '../kubernetes/endpoint-slice.js'
import type { Endpoints } from '../kubernetes/endpoints.js'
import type { Node } from '../kubernetes/node.js'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import type { Service } from '../kubernetes/service.js'
import type { ServiceCIDR } from '../kubernetes/service-cidr.js'
import type { Result } from '../result.js'
import type { YamlParser } from './manifest-text.js'
import { findMisspelledFields } from './unknown-fields.js'
import { referenceOf } from './untyped.js'

/** The validation results by input object. */
export interface Checked {
  readonly namespace: string | undefined
  readonly results: Map<object, CheckedObject>
}

interface CheckedObject {
  readonly kind: string
  readonly result: Result<never>
}

/** The objects of the manifests read so far. */
export interface Collection extends Checked {
  readonly before: ReadonlyMap<object, CheckedObject> | undefined
  readonly services: Map<string, Service>
  readonly endpointSlices: Map<string, EndpointSlice>
  readonly endpoints: Map<string, Endpoints>
  readonly nodes: Map<string, Node>
  readonly serviceCIDRs: Map<string, ServiceCIDR>
  readonly configurations: Map<string, KubeProxyConfiguration>
  readonly sources: Map<object, string>
  readonly ignored: ObjectReference[]
  readonly diagnostics: Diagnostic[]
  readonly parseYaml: YamlParser | undefined
}

/** An object during reading; `source` is its location in the input. */
export interface SourceValue {
  readonly value: object
  readonly source: string | undefined
}

/** Adds an object like `keepNew`, with the default namespace if the object has no namespace. */
export function keepIn<T extends { readonly metadata?: ObjectMeta | null | undefined }>(
  to: Collection,
  kept: Map<string, T>,
  kind: string,
  safeParse: (value: unknown) => Result<T>,
  sourceValue: SourceValue,
): void {
  const parseIn = (value: unknown): Result<T> => {
    const result = safeParse(value)
    const { namespace } = to
    if (!result.ok || namespace === undefined || result.value.metadata?.namespace) return result
    return { ok: true, value: { ...result.value, metadata: { ...result.value.metadata, namespace } } }
  }
  keepNew(to, kept, kind, parseIn, sourceValue)
}

/** Validates and adds an object. The object is not validated again if a previous call validated it as this kind. */
export function keepNew<T extends object>(
  to: Collection,
  kept: Map<string, T>,
  kind: string,
  safeParse: (value: unknown) => Result<T>,
  sourceValue: SourceValue,
): void {
  const existing = to.before?.get(sourceValue.value)
  const result: Result<T> = existing?.kind === kind ? existing.result : safeParse(sourceValue.value)
  to.results.set(sourceValue.value, { kind, result: result as Result<never> })
  keep(to, kept, kind, result, sourceValue)
  if (result.ok) reportMisspelledFields(to, kind, sourceValue)
}

function reportMisspelledFields(to: Collection, kind: string, { value, source }: SourceValue): void {
  for (const { path, nearest } of findMisspelledFields(kind, value)) {
    const message = `unknown field, ignored; did you mean ${nearest}?`
    to.diagnostics.push({
      severity: 'warning',
      code: 'unknownField',
      object: referenceOf(kind, value),
      source,
      path,
      message,
    })
  }
}

export function keep<T extends object>(
  to: Collection,
  kept: Map<string, T>,
  kind: string,
  result: Result<T>,
  { source }: SourceValue,
): void {
  if (!result.ok) {
    for (const diagnostic of result.problems) to.diagnostics.push({ ...diagnostic, source })
    return
  }
  const object = referenceOf(kind, result.value)
  const key = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`
  if (kept.has(key)) {
    const message = 'given more than once; the last one is used'
    to.diagnostics.push({ severity: 'warning', code: 'duplicateObject', object, source, message })
  }
  kept.set(key, result.value)
  if (source !== undefined) to.sources.set(result.value, source)
}

export function ignore(to: Collection, kind: string, { value, source }: SourceValue, addition: string): void {
  const object = referenceOf(kind, value)
  to.ignored.push(object)
  const message = `kind ${escapeControlCharacters(kind)}${escapeControlCharacters(addition)} is not read`
  to.diagnostics.push({ severity: 'info', code: 'unknownKind', object, source, message })
}
