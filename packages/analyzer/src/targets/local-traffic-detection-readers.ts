import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { readNftablesLocalTrafficDetection } from './nftables/read-local-traffic-detection.js'
import { readIptablesLocalTrafficDetection } from './shared/read-local-traffic-detection.js'

/** Returns the local traffic detection in the rules of a state; undefined if the rules detect no local traffic. */
type LocalTrafficDetectionReader = (state: NodeState) => LocalTrafficDetection | undefined

export const LOCAL_TRAFFIC_DETECTION_READERS: { readonly [M in ProxyMode]: LocalTrafficDetectionReader } = {
  iptables: ({ iptables }) => iptables && readIptablesLocalTrafficDetection(iptables),
  ipvs: ({ iptables }) => iptables && readIptablesLocalTrafficDetection(iptables),
  nftables: ({ nftables }) => nftables && readNftablesLocalTrafficDetection(nftables),
  userspace: () => undefined,
}
