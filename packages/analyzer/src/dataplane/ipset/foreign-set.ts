import type { SetFamily, UnknownSet } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import type { IpFamily } from '@kube-rules/types'
import { readAddressOperand } from '../../program/address-range.js'
import type { Component } from '../../program/elements.js'
import type { Field } from '../../program/program.js'
import type { MatchedDestination } from '../../program/read-set.js'

// Sets of types that `IpSet` does not represent, such as `hash:net`. Their entries are text.

/** A part of an entry, as in the name of the type of its set: `hash:net,iface`. */
type Part = 'ip' | 'net' | 'port' | 'mark' | 'iface'
type Direction = 'src' | 'dst'

/** A set with entries of comparable parts. */
export interface ForeignSet {
  readonly family: SetFamily | undefined
  readonly parts: readonly Part[]
}

const FIELDS: Readonly<Record<Part, (direction: Direction) => readonly Field[]>> = {
  ip: (direction) => [direction === 'src' ? 'source' : 'destination'],
  net: (direction) => [direction === 'src' ? 'source' : 'destination'],
  port: (direction) => ['protocol', direction === 'src' ? 'sourcePort' : 'destinationPort'],
  mark: () => ['mark'],
  iface: (direction) => [direction === 'src' ? 'inInterface' : 'unknown'],
}

const COMPONENTS: Readonly<Record<Part, (text: string, family: IpFamily) => readonly Component[] | undefined>> = {
  ip: readAddresses,
  net: readAddresses,
  port: (text) => {
    const [protocol = '', port = ''] = text.split(':')
    return [
      { kind: 'text', text: canonicalizeProtocol(protocol) },
      { kind: 'text', text: port },
    ]
  },
  mark: (text) => (/^0x[0-9a-f]{8}$/.test(text) ? [{ kind: 'text', text }] : undefined),
  iface: (text) => (text.includes(':') ? undefined : [{ kind: 'text', text }]),
}

function readAddresses(text: string, family: IpFamily): readonly Component[] | undefined {
  const operand = readAddressOperand(text, family)
  if (operand === undefined) return undefined
  return [
    operand.range === undefined ? { kind: 'text', text: operand.text } : { kind: 'numbers', text, ...operand.range },
  ]
}

/** Reports whether the definition of a set has an option that changes how entries are compared. */
function hasMask(options: readonly string[]): boolean {
  return options.some(
    (option, at) =>
      option === 'netmask' || option === 'bitmask' || (option === 'markmask' && options[at + 1] !== '0xffffffff'),
  )
}

/** Reads the definition of a set. Undefined if its entries cannot be compared, as those with MAC addresses. */
export function readForeignSet({ words: [type = '', ...options] }: UnknownSet): ForeignSet | undefined {
  const parts = /^(?:hash|bitmap):(.*)$/.exec(type)?.[1]?.split(',') ?? []
  if (parts.length === 0 || !parts.every(isPart) || hasMask(options)) return undefined
  const family = options[options.indexOf('family') + 1]
  return { parts, family: family === 'inet' || family === 'inet6' ? family : undefined }
}

function isPart(name: string): name is Part {
  return name in FIELDS
}

/** Returns the fields of a packet that a lookup compares. Undefined if the set has more parts than directions. */
export function fieldsOfForeignSet(
  { parts }: ForeignSet,
  directions: readonly Direction[],
): readonly Field[] | undefined {
  if (directions.length < parts.length) return undefined
  return parts.flatMap((part, at) => FIELDS[part](directions[at] ?? 'dst'))
}

/** Returns the components of an entry. Undefined for an entry that cannot be compared. */
export function componentsOfForeignEntry(
  { parts, family }: ForeignSet,
  text: string,
): readonly Component[] | undefined {
  const words = text.split(',')
  if (words.length !== parts.length) return undefined
  const read = parts.map((part, at) => COMPONENTS[part](words[at] ?? '', family === 'inet6' ? 'IPv6' : 'IPv4'))
  return read.every((components) => components !== undefined) ? read.flat() : undefined
}

/** Returns the addresses of an entry, each with the port of the entry if it has one. */
export function destinationsOfForeignEntry(set: ForeignSet, text: string): readonly MatchedDestination[] {
  if (componentsOfForeignEntry(set, text) === undefined) return []
  const { parts } = set
  const words = text.split(',')
  const [, port] = words[parts.indexOf('port')]?.split(':') ?? []
  return words.flatMap((address, at) => (parts[at] === 'ip' || parts[at] === 'net' ? [{ address, port }] : []))
}
