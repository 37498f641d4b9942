import { parseIp } from '@kube-rules/types/internal/ip'
import type { ConntrackEntry } from './ast.js'

const UDP_ENTRY =
  /^(?:ipv[46]\s+\d+\s+)?udp\s.*?\bsrc=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*?\bsrc=(\S+) dst=\S+ sport=(\d+) dport=\d+/

/** Returns the UDP entries of both families in the output of `conntrack -L`. Other lines are ignored. */
export function parseConntrackEntries(text: string): readonly ConntrackEntry[] {
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
