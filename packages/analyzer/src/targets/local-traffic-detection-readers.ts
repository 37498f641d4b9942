import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { readNftablesTrafficDetection } from './nftables/read-local-traffic-detection.js'
import { readIptablesTrafficDetection } from './shared/read-local-traffic-detection.js'

/** Returns the local traffic detection in the rules of a state; undefined if the rules detect no local traffic. */
type LocalTrafficDetectionReader = (state: NodeState) => LocalTrafficDetection | undefined

export const LOCAL_TRAFFIC_DETECTION_READERS: { readonly [M in ProxyMode]: LocalTrafficDetectionReader } = {
  iptables: ({ iptables }) => iptables && readIptablesTrafficDetection(iptables),
  ipvs: ({ iptables }) => iptables && readIptablesTrafficDetection(iptables),
  nftables: ({ nftables }) => nftables && readNftablesTrafficDetection(nftables),
  userspace: () => undefined,
}
