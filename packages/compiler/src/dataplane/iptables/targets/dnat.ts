import type { IpFamily } from '@kube-rules/types'
import { withDestination } from '../../netfilter/destination-read-log.js'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import { parseAddress } from '../../netfilter/parse-address.js'
import type { DnatTarget } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord, type WordCursor } from '../words.js'
import { type TargetEffect, type TargetPrinter, unchangedTarget } from './operations.js'

/** `-j DNAT --to-destination ADDRESS`. */
export const dnatTargetPrinter: TargetPrinter<DnatTarget> = {
  print: (target) => `-j DNAT --to-destination ${checkPlainWord(target.destination)}`,
  list: (target) => `to:${checkPlainWord(target.destination)}`,
  canonical: unchangedTarget,
}

export function parseDnatTarget(words: WordCursor, family: IpFamily): DnatTarget | undefined {
  const text = skipWord(words, '--to-destination') ? consumeWord(words) : undefined
  return text === undefined || text === '' ? undefined : { kind: 'dnat', destination: readDestination(text, family) }
}

export function evaluateDnatTarget({ destination }: DnatTarget, packet: KernelPacket): TargetEffect {
  const place = readPlace(destination, packet.family)
  if (place === undefined)
    return { kind: 'unknown', reason: `DNAT to ${destination} lets the kernel choose the address or port` }
  const { address, port = packet.destinationPort } = place
  return { kind: 'accept', packet: withDestination(packet, { address, port, by: 'dnat' }) }
}

/** Parses one address with an optional port. Returns undefined for a range, and for a port without an address. */
function readPlace(text: string, family: IpFamily): { readonly address: string; readonly port?: number } | undefined {
  if (family === 'IPv4') {
    const colon = text.indexOf(':')
    return colon < 0 ? toPlace(text, family) : toPlace(text.slice(0, colon), family, text.slice(colon + 1))
  }
  const [, bracketed, port, bare] = /^(?:\[([^\]]*)\](?::(\d+))?|([^[\]]*))$/.exec(text) ?? []
  return toPlace(bracketed ?? bare ?? '', family, port)
}

function toPlace(
  text: string,
  family: IpFamily,
  port?: string,
): { readonly address: string; readonly port?: number } | undefined {
  const address = parseAddress(text, family)
  if (address === undefined || (port !== undefined && !/^\d{1,5}$/.test(port))) return undefined
  return port === undefined ? { address } : { address, port: Number(port) }
}

/**
 * Converts an IPv6 address to canonical notation. Ranges, ports without an address, and IPv4 destinations stay
 * unchanged.
 */
function readDestination(text: string, family: IpFamily): string {
  if (family === 'IPv4') return text
  const [, bracketed, rest] = /^\[([^\]]*)\](.*)/s.exec(text) ?? []
  const address = parseAddress(bracketed ?? text, family)
  if (address === undefined) return text
  return bracketed === undefined ? address : `[${address}]${rest}`
}
