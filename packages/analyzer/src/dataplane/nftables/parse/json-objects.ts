import type {
  BaseChain,
  Chain,
  Element,
  NamedObject,
  NamedSet,
  Verdict,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  entryOf,
  isRecord,
  type Json,
  type JsonRecord,
  parseJsonKey,
  readJsonDuration,
  readJsonNumber,
  readJsonString,
  readNonEmptyJsonStrings,
  withoutAbsent,
} from './json-values.js'

/** Parses a chain, without its rules; undefined if it is invalid. */
export function parseJsonChain(value: JsonRecord): Omit<Chain, 'rules'> | undefined {
  const name = readJsonString(value.name)
  const base = baseOfJson(value)
  if (name === undefined || base === null) return undefined
  return withoutAbsent({ name, base, comment: readJsonString(value.comment), handle: readJsonNumber(value.handle) })
}

/** Parses the hook of a chain. Undefined for a chain without a hook, null for an invalid hook. */
function baseOfJson(value: JsonRecord): BaseChain | undefined | null {
  const type = readJsonString(value.type)
  if (type === undefined) return undefined
  const hook = readJsonString(value.hook)
  const priority = readJsonNumber(value.prio)
  const policy = readJsonString(value.policy)
  if (
    hook === undefined ||
    priority === undefined ||
    (policy !== undefined && policy !== 'accept' && policy !== 'drop')
  )
    return null
  return withoutAbsent<BaseChain>({ type, hook, devices: readNonEmptyJsonStrings(value.dev), priority, policy })
}

/** Parses a set or map; undefined if it is invalid. */
export function parseJsonSet(kind: 'set' | 'map', value: JsonRecord): NamedSet | undefined {
  const name = readJsonString(value.name)
  const types = readNonEmptyJsonStrings(value.type)
  const data = kind === 'map' ? readJsonString(value.map)?.split(' . ') : undefined
  if (name === undefined || types === undefined || (kind === 'map' && data === undefined)) return undefined
  const elements = value.elem === undefined ? [] : parseJsonElements(value.elem, types, data ?? [])
  if (elements === undefined) return undefined
  const counts = Array.isArray(value.stmt) && value.stmt.some((each: Json) => isRecord(each) && 'counter' in each)
  return withoutAbsent<NamedSet>({
    kind,
    name,
    key: { kind: 'type', types },
    data,
    flags: readNonEmptyJsonStrings(value.flags),
    timeout: readJsonDuration(value.timeout),
    gcInterval: readJsonDuration(value['gc-interval']),
    size: readJsonNumber(value.size),
    policy: readJsonString(value.policy),
    autoMerge: value['auto-merge'] === true ? true : undefined,
    counts: counts ? true : undefined,
    comment: readJsonString(value.comment),
    handle: readJsonNumber(value.handle),
    elements,
  })
}

/** Parses the elements of a named or anonymous set or map. Undefined if an element is invalid. */
export function parseJsonElements(
  value: Json,
  types: readonly string[],
  dataTypes: readonly string[],
): readonly Element[] | undefined {
  if (!Array.isArray(value)) return undefined
  const elements: Element[] = []
  for (const item of value) {
    const element = elementOfJson(item, types, dataTypes)
    if (element === undefined) return undefined
    elements.push(element)
  }
  return elements
}

function elementOfJson(item: Json, types: readonly string[], dataTypes: readonly string[]): Element | undefined {
  if (!Array.isArray(item)) return bareElement(item, types)
  const [key, value, ...rest]: readonly Json[] = item
  const element = key === undefined || rest.length > 0 ? undefined : bareElement(key, types)
  if (element === undefined || value === undefined) return undefined
  const verdict = parseJsonVerdict(value)
  if (verdict !== undefined) return { ...element, verdict }
  const data = parseJsonKey(value, dataTypes)
  return data === undefined ? undefined : { ...element, data }
}

/** Parses an element without its value: a key, or `{"elem": {"val": KEY, …}}`. */
function bareElement(item: Json, types: readonly string[]): Element | undefined {
  if (!isRecord(item) || !isRecord(item.elem)) {
    const key = parseJsonKey(item, types)
    return key === undefined ? undefined : { key }
  }
  const { val, ...options } = item.elem
  const key = parseJsonKey(val, types)
  if (key === undefined) return undefined
  return withoutAbsent({
    key,
    comment: readJsonString(options.comment),
    timeout: readJsonDuration(options.timeout),
    expires: readJsonDuration(options.expires),
    counter: isRecord(options.counter) ? parseJsonCounterValues(options.counter) : undefined,
  })
}

/** Parses `{"packets": 0, "bytes": 0}`. */
export function parseJsonCounterValues(
  value: JsonRecord,
): { readonly packets: number; readonly bytes: number } | undefined {
  const packets = readJsonNumber(value.packets)
  const bytes = readJsonNumber(value.bytes)
  return packets === undefined || bytes === undefined ? undefined : { packets, bytes }
}

/** Parses `{"drop": null}` or `{"goto": {"target": "a"}}`; undefined if it is not a verdict. */
export function parseJsonVerdict(value: Json): Verdict | undefined {
  const entry = entryOf(value)
  if (entry === undefined) return undefined
  const [kind, what] = entry
  switch (kind) {
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { kind }
    case 'jump':
    case 'goto': {
      const chain = isRecord(what) ? readJsonString(what.target) : undefined
      return chain === undefined ? undefined : { kind, chain }
    }
    default:
      return undefined
  }
}

/**
 * Parses a named object other than a chain, set or map. The content of a counter is parsed. Of any other object, only
 * the type, name and handle are kept.
 */
export function parseJsonObject(kind: string, value: JsonRecord): NamedObject | undefined {
  const name = readJsonString(value.name)
  if (name === undefined) return undefined
  const handle = readJsonNumber(value.handle)
  const counts = kind === 'counter' ? parseJsonCounterValues(value) : undefined
  if (counts === undefined) return withoutAbsent<NamedObject>({ kind: 'unknown', type: kind, name, lines: [], handle })
  return withoutAbsent<NamedObject>({
    kind: 'counter',
    name,
    ...counts,
    comment: readJsonString(value.comment),
    handle,
  })
}
