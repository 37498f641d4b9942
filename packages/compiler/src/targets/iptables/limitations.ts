import type { Limitation } from '../mode-lowering.js'

/** What mode iptables does otherwise than a plan says, as kube-proxy v1.30 does. */
export const LIMITATIONS: readonly Limitation[] = [
  {
    code: 'ownPacketsNotRefused',
    reason:
      'packets made on the node are not refused at external IPs and load-balancer IPs, because KUBE-EXTERNAL-SERVICES is not asked in OUTPUT; they leave the node as they are',
  },
  {
    code: 'nodePortsRefusedEverywhere',
    reason: 'a node port is refused on every address of the node, also where node ports are not served',
  },
  {
    code: 'endpointRefused',
    reason:
      'an endpoint at an address and port that another Service refuses is refused, too, because the filter table sees packets when they have the address of their endpoint; only what is forwarded and masqueraded is accepted before',
  },
  {
    code: 'loopbackGuarded',
    reason:
      'where node ports may be served on loopback addresses, packets for 127.0.0.0/8 from other addresses are dropped, also those that are for no node port',
  },
]
