import { joinHostPort } from '@kube-rules/types'
import { type Destination, destinationText } from '../netfilter/destination-text.js'
import type { RealServerPlace, VirtualServerPlace } from './ast.js'

/** `10.96.0.9:80/TCP`: mirrors `VirtualServer.String` of kube-proxy v1.30. Any protocol, so that packets can be looked up. */
export function virtualServerText(server: Destination): string {
  return destinationText(server)
}

/** `10.244.2.2:8080`: tells a real server from the others of its virtual server. */
export function realServerText({ address, port }: RealServerPlace): string {
  return joinHostPort(address, port)
}

/** `10.96.0.9:80/TCP/10.244.2.2:8080`: mirrors `GetUniqueRSName` of kube-proxy v1.30. */
export function realServerKey(virtualServer: VirtualServerPlace, realServer: RealServerPlace): string {
  return `${virtualServerText(virtualServer)}/${realServerText(realServer)}`
}
