import { joinHostPort } from '@kube-rules/types'

/** Where a packet is sent to. */
export interface Destination {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/** `10.96.0.1:80/TCP`, `[fd00::1]:80/TCP`. */
export function destinationText({ address, port, protocol }: Destination): string {
  return `${joinHostPort(address, port)}/${protocol}`
}
