import {
  canonicalizeKeyComponent,
  joinConcatenation,
} from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'

/** A result of `JSON.parse`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonRecord = { readonly [key: string]: Json }

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the first key of an object, with its value. */
export function entryOf(json: Json | undefined): readonly [key: string, value: Json] | undefined {
  return isRecord(json) ? Object.entries(json)[0] : undefined
}

/** Reports whether lists and objects are nested in more than `depth` levels. */
export function isNestedDeeper(json: Json, depth: number): boolean {
  if (typeof json !== 'object' || json === null) return false
  return depth === 0 || Object.values(json).some((value) => isNestedDeeper(value, depth - 1))
}

/** Returns a string; undefined for any other value. */
export function readJsonString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns a number; undefined for any other value. */
export function readJsonNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Converts seconds to milliseconds. */
export function readJsonDuration(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value * 1000 : undefined
}

/** Returns the strings of a list, or a single string as a list. */
export function readJsonStrings(value: Json | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined
}

/** Returns the strings of a non-empty list, or a single string as a list. */
export function readNonEmptyJsonStrings(value: Json | undefined): readonly string[] | undefined {
  const strings = readJsonStrings(value)
  return strings?.length === 0 ? undefined : strings
}

/** Returns an object without the properties that are undefined. */
export function withoutAbsent<Part extends object>(part: Part): Part {
  // The cast is safe: only optional properties may be undefined.
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Part
}

/** Converts a JSON key to the notation of set keys: a word or number, a prefix, a range, or a concatenation of these. */
export function parseJsonKey(value: Json | undefined, types: readonly string[]): string | undefined {
  if (!isRecord(value) || !Array.isArray(value.concat)) return partOfJson(value, types[0])
  const parts = value.concat.map((part: Json, index: number) => partOfJson(part, types[index]))
  return parts.every((part) => part !== undefined) ? joinConcatenation(parts) : undefined
}

function partOfJson(value: Json | undefined, type: string | undefined): string | undefined {
  const written = printJsonPart(value, type)
  return written === undefined || type === undefined ? written : canonicalizeKeyComponent(written, type)
}

function printJsonPart(value: Json | undefined, type: string | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined
  if (typeof value === 'boolean' && type !== undefined) return value ? 'exists' : 'missing'
  if (!isRecord(value)) return undefined
  if (isRecord(value.prefix)) {
    const address = printJsonPart(value.prefix.addr, type)
    return address === undefined || typeof value.prefix.len !== 'number' ? undefined : `${address}/${value.prefix.len}`
  }
  if (!Array.isArray(value.range)) return undefined
  const [first, last] = value.range.map((end: Json) => printJsonPart(end, type))
  return first === undefined || last === undefined ? undefined : `${first}-${last}`
}
