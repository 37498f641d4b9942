import { withDestination } from '../../netfilter/destination-log.js'
import type { RedirectVerdict } from '../ast.js'
import { skipWord, takeNumber } from '../words.js'
import { unchanged, type VerdictLanguage } from './language.js'

const LOOPBACK = { IPv4: '127.0.0.1', IPv6: '::1' } as const

/**
 * `-j REDIRECT --to-ports PORT`. A packet that the node has made goes to the loopback address; of another one nobody can tell
 * to which of the node's addresses: to one of the interface by which it came in. The loopback address stands for that, too.
 */
export const redirect: VerdictLanguage<RedirectVerdict> = {
  begins: ['-j REDIRECT'],
  print: ({ port }) => `-j REDIRECT --to-ports ${port}`,
  parse: (words) => {
    const port = skipWord(words, '--to-ports') ? takeNumber(words, 65535) : undefined
    return port === undefined ? undefined : { kind: 'redirect', port }
  },
  canonical: unchanged,
  changes: 'destination',
  evaluate: ({ port }, packet) => ({
    kind: 'accept',
    packet: withDestination(packet, {
      address: LOOPBACK[packet.family],
      port,
      by: packet.inInterface === '' ? 'redirect' : 'redirectToInterface',
    }),
  }),
}
