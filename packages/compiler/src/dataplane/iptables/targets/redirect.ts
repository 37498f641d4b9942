import { withDestination } from '../../netfilter/destination-read-log.js'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { RedirectTarget } from '../ast.js'
import { consumeNumber, skipWord, type WordCursor } from '../words.js'
import { type TargetEffect, type TargetPrinter, unchangedTarget } from './operations.js'

const LOOPBACK = { IPv4: '127.0.0.1', IPv6: '::1' } as const

/**
 * `-j REDIRECT --to-ports PORT`. A locally generated packet is redirected to the loopback address. Any other packet is
 * redirected to an address of the incoming interface. This address is unknown, so the loopback address represents it.
 */
export const redirectTargetPrinter: TargetPrinter<RedirectTarget> = {
  print: ({ port }) => `-j REDIRECT --to-ports ${port}`,
  list: ({ port }) => `redir ports ${port}`,
  canonical: unchangedTarget,
}

export function parseRedirectTarget(words: WordCursor): RedirectTarget | undefined {
  const port = skipWord(words, '--to-ports') ? consumeNumber(words, 65535) : undefined
  return port === undefined ? undefined : { kind: 'redirect', port }
}

export function evaluateRedirectTarget({ port }: RedirectTarget, packet: KernelPacket): TargetEffect {
  const by = packet.inInterface === '' ? 'redirect' : 'redirectToInterface'
  return { kind: 'accept', packet: withDestination(packet, { address: LOOPBACK[packet.family], port, by }) }
}
