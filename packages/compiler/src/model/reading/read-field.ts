import type { Protocol } from '@kube-rules/types'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'
import type { IpAddress } from '@kube-rules/types/internal/ip'
import { addError, addTypeError, addWarning, type DiagnosticCollector, describeValue } from './diagnostic-collector.js'

/** An object with fields of unknown types. */
export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Reports whether a field is absent, as `undefined` or as JSON `null`. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

const NO_FIELDS: Fields = Object.freeze({})
/**
 * The maximum length of a list in an object. The limit is necessary, because a JavaScript Proxy can claim any length;
 * etcd stores far less.
 */
const MAX_ITEMS = 1_000_000
const FEWER_ITEMS = `at most ${MAX_ITEMS} items`

const NO_ITEMS: readonly unknown[] = Object.freeze([])

// Every reader below returns an empty value for an absent field. For a field of another type, the reader reports an
// error and also returns the empty value.

export function readObject(collector: DiagnosticCollector, path: string, value: unknown): Fields {
  if (isObject(value)) return value
  if (!isAbsent(value)) addTypeError(collector, path, value, 'an object')
  return NO_FIELDS
}

export function readList(collector: DiagnosticCollector, path: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length <= MAX_ITEMS) return value
  if (Array.isArray(value)) addError(collector, 'invalidType', path, `${value.length} items are too many`, FEWER_ITEMS)
  else if (!isAbsent(value)) addTypeError(collector, path, value, 'a list')
  return NO_ITEMS
}

export function readString(collector: DiagnosticCollector, path: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (!isAbsent(value)) addTypeError(collector, path, value, 'text')
  return ''
}

/**
 * Reads a label or annotation. Returns undefined if the map has no own key with this name, so that inherited names are
 * ignored.
 */
export function readMapEntry(
  collector: DiagnosticCollector,
  path: string,
  entries: Fields,
  key: string,
): string | undefined {
  return Object.hasOwn(entries, key) ? readString(collector, `${path}[${key}]`, entries[key]) : undefined
}

/** Reads an integer within bounds; returns `absent` for an absent field. Any other value is an error. */
export function readNumber(
  collector: DiagnosticCollector,
  path: string,
  value: unknown,
  bounds: { readonly min: number; readonly max: number; readonly absent: number },
): number {
  if (isAbsent(value)) return bounds.absent
  if (isWithin(value, bounds.min, bounds.max)) return value
  addError(
    collector,
    'invalidValue',
    path,
    `${describeValue(value)} is out of range`,
    wholeNumber(bounds.min, bounds.max),
  )
  return bounds.absent
}

/** Reads a port from 1 to 65535; 0, and absent fields, are errors. */
export function readPort(collector: DiagnosticCollector, path: string, value: unknown): number {
  if (isWithin(value, 1, 65535)) return value
  if (isAbsent(value)) addError(collector, 'missingField', path, 'the port is missing', wholeNumber(1, 65535))
  else addError(collector, 'invalidPort', path, `${describeValue(value)} is not a port`, wholeNumber(1, 65535))
  return 0
}

/** Reads a port from 1 to 65535; returns 0 for an absent field and for 0. */
export function readOptionalPort(collector: DiagnosticCollector, path: string, value: unknown): number {
  return isAbsent(value) || value === 0 ? 0 : readPort(collector, path, value)
}

/** Reads a protocol. If the field is absent, returns `TCP`, like the API server. */
export function readProtocol(collector: DiagnosticCollector, path: string, value: unknown): Protocol {
  if (value === 'TCP' || value === 'UDP' || value === 'SCTP') return value
  if (!isAbsent(value)) {
    addError(collector, 'invalidProtocol', path, `${describeValue(value)} is not a protocol`, 'TCP, UDP or SCTP')
  }
  return 'TCP'
}

/** Reads a name that can be written into a rule safely. */
export function readName(collector: DiagnosticCollector, path: string, value: unknown): string {
  if (typeof value === 'string' && isDnsLabel(value)) return value
  if (isAbsent(value) || value === '') addError(collector, 'missingField', path, 'the name is missing', DNS_LABEL)
  else addError(collector, 'invalidName', path, `${describeValue(value)} is not a name`, DNS_LABEL)
  return ''
}

/** Reads the name of a port, which may be empty. */
export function readPortName(collector: DiagnosticCollector, path: string, value: unknown): string {
  return isAbsent(value) || value === '' ? '' : readName(collector, path, value)
}

const DNS_LABEL = 'at most 63 lower-case letters, digits and inner hyphens'

function isWithin(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

function wholeNumber(min: number, max: number): string {
  return `a whole number from ${min} to ${max}`
}

/** Reports whether `text` is a DNS label (RFC 1123). */
export function isDnsLabel(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)
}

/** Warns of unknown fields, with the most likely intended name. */
export function warnAboutUnknownFields(
  collector: DiagnosticCollector,
  path: string,
  fields: Fields,
  known: readonly string[],
): void {
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) warnAboutUnknownField(collector, path === '' ? name : `${path}.${name}`, name, known)
  }
}

/** Warns of one unknown field. */
export function warnAboutUnknownField(
  collector: DiagnosticCollector,
  path: string,
  name: string,
  known: Iterable<string>,
): void {
  addWarning(collector, 'unknownField', path, 'unknown field, ignored', findClosestWord(name, known))
}

/** Warns if an address is not canonical; rules always contain the canonical form. */
export function warnAboutNonCanonicalAddress(
  collector: DiagnosticCollector,
  path: string,
  written: unknown,
  address: IpAddress,
): void {
  if (written === address.text) return
  addWarning(
    collector,
    'nonCanonicalAddress',
    path,
    `${describeValue(written)} is read as ${address.text}`,
    address.text,
  )
}
