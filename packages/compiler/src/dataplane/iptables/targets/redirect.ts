import type { RedirectTarget } from '../ast.js'
import { consumeNumber, skipWord, type WordCursor } from '../words.js'
import { type TargetPrinter, unchangedTarget } from './operations.js'

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
