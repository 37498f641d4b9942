import type { Limitation } from '../mode-lowering.js'
import { LEGACY_LIMITATIONS } from './legacy-limitations.js'

/** All deviations of mode iptables from a plan or, in older versions, from the Service API. */
export const IPTABLES_LIMITATIONS: readonly Limitation[] = [
  ...LEGACY_LIMITATIONS,
  {
    code: 'ownPacketsNotRejected',
    reason:
      'locally generated packets are not rejected at external IPs and load-balancer IPs, because OUTPUT does not jump to KUBE-EXTERNAL-SERVICES; they leave the node unchanged',
  },
  {
    code: 'nodePortsRejectedEverywhere',
    reason: 'a node port is rejected on every address of the node, including addresses that serve no node ports',
  },
  {
    code: 'endpointRejected',
    reason:
      'an endpoint at an address and port that another Service rejects is rejected too, because the filter table sees packets after DNAT; only forwarded and masqueraded packets are accepted first',
  },
  {
    code: 'loopbackGuarded',
    reason:
      'if node ports can be served on loopback addresses, packets to 127.0.0.0/8 from other addresses are dropped, including packets that do not target a node port',
  },
]
