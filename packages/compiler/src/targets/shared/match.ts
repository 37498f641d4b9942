import type { Protocol } from '@kube-rules/types'
import type {
  AddrtypeMatch,
  CommentMatch,
  DestinationMatch,
  DestinationPortMatch,
  Match,
  SourceMatch,
} from '../../dataplane/iptables/ast.js'
import type { LocalTrafficDetection } from '../../model/node/local-traffic-detection.js'

export function createCommentMatch(text: string): CommentMatch {
  return { kind: 'comment', text }
}

export function createSourceAddressMatch(address: string, negated = false): SourceMatch {
  return { kind: 'source', address, negated }
}

export function createDestinationAddressMatch(address: string, negated = false): DestinationMatch {
  return { kind: 'destination', address, negated }
}

export function createDestinationPortMatch(port: number): DestinationPortMatch {
  return { kind: 'destinationPort', first: port, last: port, negated: false }
}

export const FROM_LOCAL_MATCH: AddrtypeMatch = { kind: 'addrtype', side: 'source', type: 'LOCAL', negated: false }
export const TO_LOCAL_MATCH: AddrtypeMatch = { kind: 'addrtype', side: 'destination', type: 'LOCAL', negated: false }

/**
 * The matches for packets that come from outside and do not enter through a bridge. Packets from pods therefore do not
 * match.
 */
export const FROM_OUTSIDE_MATCHES: readonly Match[] = [
  { kind: 'physdev', is: 'in', negated: true },
  { kind: 'addrtype', side: 'source', type: 'LOCAL', negated: true },
]

/** The matches `-m tcp -p tcp` by protocol, in the order that kube-proxy writes. */
export const TRANSPORT_MATCHES: Readonly<Record<Protocol, readonly [Match, Match]>> = {
  TCP: transport('tcp'),
  UDP: transport('udp'),
  SCTP: transport('sctp'),
}

function transport(protocol: string): readonly [Match, Match] {
  return [
    { kind: 'transport', protocol },
    { kind: 'protocol', protocol, negated: false },
  ]
}

/**
 * Returns the match for traffic of the pods of this node. If `negated` is true, returns the match for all other
 * traffic. Mirrors `LocalTrafficDetector` of kube-proxy v1.30.
 */
export function createLocalTrafficDetectionMatch(
  localTrafficDetection: LocalTrafficDetection,
  negated: boolean,
): Match {
  switch (localTrafficDetection.kind) {
    case 'cidr':
      return createSourceAddressMatch(localTrafficDetection.cidr.text, negated)
    case 'interface':
      return { kind: 'inInterface', name: localTrafficDetection.interface, negated }
    case 'interfacePrefix':
      return { kind: 'inInterface', name: `${localTrafficDetection.prefix}+`, negated }
  }
}
