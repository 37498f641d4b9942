import { formatList } from '../../explain/format-list.js'
import { formatPackets, type PacketDiagnosisContext } from '../packet-diagnosis-context.js'

/** An instruction to let kube-proxy write all its rules again. A dump alone does not name the node. */
export const RESTART_TEXT = 'restart kube-proxy on this node, and check the rules again'

/** An instruction to take a dump of everything that decides about packets. */
export const WHOLE_DUMP_TEXT = 'Take a dump with all tools on the node, as root: kube-rules collect prints the commands'

/** Returns `Packets from a pod to 10.0.0.1:80/TCP`. */
export function formatPacketsAtStart({ packet }: PacketDiagnosisContext): string {
  const text = formatPackets(packet)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Lists the ports that the rules have at the destination: `; they have 53/UDP of kube-system/kube-dns:dns there`. */
export function formatCheckedPorts({ packet, frontends }: PacketDiagnosisContext): string {
  const ports = frontends()
    .filter(({ address }) => address === packet.destination)
    .map(
      ({ port, protocol, owner }) =>
        `${port}/${protocol}${owner === '' ? '' : ` of ${owner.replace(/\/[A-Z]+$/, '')}`}`,
    )
  return ports.length === 0 ? '' : `; the rules have ${formatList([...new Set(ports)])} there`
}
