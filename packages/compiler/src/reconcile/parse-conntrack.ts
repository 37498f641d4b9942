import { checkString } from '../arguments/check-argument.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'
import { parseConntrackEntries } from '../dataplane/conntrack/parse.js'

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
  return parseConntrackEntries(text)
}
