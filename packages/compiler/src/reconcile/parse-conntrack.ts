import { parseIp } from '@kube-rules/types/internal/ip'
import { checkString } from '../arguments/check-argument.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'

const UDP_ENTRY =
  /^(?:ipv[46]\s+\d+\s+)?udp\s.*?\bsrc=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*?\bsrc=(\S+) dst=\S+ sport=(\d+) dport=\d+/

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
    const [, destination = '', destinationPort, source = '', sourcePort] = UDP_ENTRY.exec(line) ?? []
    const [to, from] = [parseIp(destination), parseIp(source)]
    if (to === undefined || from === undefined) return []
    return [
      {
        family: to.family,
        originalDestination: to.text,
        originalDestinationPort: Number(destinationPort),
        replySource: from.text,
        replySourcePort: Number(sourcePort),
      },
    ]
  })
}
