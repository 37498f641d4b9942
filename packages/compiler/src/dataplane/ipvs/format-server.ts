import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatDestination, type PacketDestination } from '../netfilter/format-destination.js'
import type { RealServerKey, VirtualServerKey } from './ast.js'

/**
 * Formats a destination: `10.96.0.9:80/TCP`. Mirrors `VirtualServer.String` of kube-proxy v1.30. Accepts any protocol,
 * because callers also look up packets with protocols that ipvs does not balance.
 */
export function formatVirtualServer(server: PacketDestination): string {
  return formatDestination(server)
}

/** Formats the unique key of a real server within its virtual server: `10.244.2.2:8080`. */
export function formatRealServer({ address, port }: RealServerKey): string {
  return joinHostPort(address, port)
}

/** Formats `10.96.0.9:80/TCP/10.244.2.2:8080`. Mirrors `GetUniqueRSName` of kube-proxy v1.30. */
export function formatRealServerKey(virtualServer: VirtualServerKey, realServer: RealServerKey): string {
  return `${formatVirtualServer(virtualServer)}/${formatRealServer(realServer)}`
}
