import { parseIp } from '@kube-rules/types/internal/ip'
import { checkString } from '../arguments/check-argument.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'

/**
 * Parses the output of `conntrack -L`, in its default and extended format, or `/proc/net/nf_conntrack`. Returns the UDP
 * entries of both families. Other lines are ignored.
 *
 * @throws DiagnosticsError with `invalidArgument` for anything but a text.
 *
 * @example
 * ```ts
 * const line = 'udp 17 29 src=10.244.1.9 dst=10.96.0.53 sport=4 dport=53 src=10.244.1.7 dst=10.244.1.9 sport=53 dport=4'
 * parseConntrack(line)[0].replySource // => '10.244.1.7'
 * ```
 */
export function parseConntrack(text: string): readonly ConntrackEntry[] {
  checkString('text', text, 'the output of conntrack -L')
  return text.split('\n').flatMap((line) => {
    const [original, reply] = parseTuples(line)
    const [to, from] = [parseIp(original?.destination ?? ''), parseIp(reply?.source ?? '')]
    if (to === undefined || from === undefined) return []
    return [
      {
        family: to.family,
        originalDestination: to.text,
        originalDestinationPort: Number(original?.destinationPort),
        replySource: from.text,
        replySourcePort: Number(reply?.sourcePort),
      },
    ]
  })
}

interface Tuple {
  readonly source: string
  readonly destination: string
  readonly sourcePort: string
  readonly destinationPort: string
}

/** Parses the tuples of the original packets and of the replies of a UDP entry; none for other lines. */
function parseTuples(line: string): readonly Tuple[] {
  const words = line.split(/\s+/)
  const protocol = /^ipv[46]$/.test(words[0] ?? '') ? words[2] : words[0]
  if (protocol !== 'udp') return []
  return words.flatMap((word, index) => (word.startsWith('src=') ? (parseTuple(words.slice(index)) ?? []) : []))
}

const TUPLE = [/^src=(.+)$/, /^dst=(.+)$/, /^sport=(\d+)$/, /^dport=(\d+)$/]

function parseTuple(words: readonly string[]): Tuple | undefined {
  const [source, destination, sourcePort, destinationPort] = TUPLE.map((field, at) => field.exec(words[at] ?? '')?.[1])
  if (source === undefined || destination === undefined) return undefined
  if (sourcePort === undefined || destinationPort === undefined) return undefined
  return { source, destination, sourcePort, destinationPort }
}
