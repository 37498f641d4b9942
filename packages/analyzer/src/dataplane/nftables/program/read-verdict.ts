import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeWord, skipWord } from '../parse/tokens.js'
import type { ClauseContent } from './clause.js'

/** Reads the rest of a verdict after its first word. */
export function readVerdict(scanner: Scanner, word: string): ClauseContent | undefined {
  switch (word) {
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { kind: 'verdict', verdict: { kind: word } }
    case 'jump':
    case 'goto': {
      const chain = consumeWord(scanner)
      return chain === undefined ? undefined : { kind: 'verdict', verdict: { kind: word, chain } }
    }
    default:
      return undefined
  }
}

const REJECTIONS: ReadonlySet<string> = new Set(['icmp', 'icmpv6', 'icmpx', 'tcp'])

/** Reads `with icmp port-unreachable` after `reject`. */
export function readReject(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'with')) return { kind: 'reject', with: undefined }
  const kind = consumeWord(scanner) ?? ''
  if (!REJECTIONS.has(kind)) return undefined
  if (kind !== 'tcp') skipWord(scanner, 'type')
  const message = consumeWord(scanner)
  return message === undefined ? undefined : { kind: 'reject', with: `${kind} ${message}` }
}

export function readNotrack(): ClauseContent {
  return { kind: 'untrack' }
}
