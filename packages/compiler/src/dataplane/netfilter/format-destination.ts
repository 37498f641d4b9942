import { joinHostPort } from '@kube-rules/types/internal/ip'

/** The destination of a packet. */
export interface PacketDestination {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/** Formats a destination: `10.96.0.1:80/TCP`, `[fd00::1]:80/TCP`. */
export function formatDestination({ address, port, protocol }: PacketDestination): string {
  return `${joinHostPort(address, port)}/${protocol}`
}
