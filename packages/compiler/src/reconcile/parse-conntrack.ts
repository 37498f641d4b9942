import { checkText } from '../arguments/check-argument.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'
import { readConntrack } from '../dataplane/conntrack/parse.js'

/**
 * Parses the output of `conntrack -L`, in its default and extended format, or `/proc/net/nf_conntrack`. Returns the UDP
 * entries of both families. Other lines are ignored.
 *
 * @throws DiagnosticsError with `invalidArgument` for anything but a text.
 *
 * @example
 *   parseConntrack('udp 17 5 src=10.1.0.9 dst=10.96.0.10 sport=4000 dport=53 src=10.1.0.1 dst=10.1.0.9 sport=53 dport=4000')
 *   // [{ family: 'IPv4', originalDestination: '10.96.0.10', originalDestinationPort: 53, … }]
 */
export function parseConntrack(text: string): readonly ConntrackEntry[] {
  checkText('text', text, 'the output of conntrack -L')
  return readConntrack(text)
}
