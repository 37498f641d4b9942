import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import type { CompiledMode } from '@kube-rules/compiler/internal/targets/modes'
import { readPodTraffic as readNftablesPodTraffic } from './nftables/read-pod-traffic.js'
import { readPodTraffic } from './shared/read-pod-traffic.js'

/** Returns the local traffic detection in the rules of a state; undefined if there is none. */
type PodTrafficReader = (state: NodeState) => PodTraffic | undefined

export const POD_TRAFFIC_READERS: { readonly [M in CompiledMode]: PodTrafficReader } = {
  iptables: ({ iptables }) => iptables && readPodTraffic(iptables),
  ipvs: ({ iptables }) => iptables && readPodTraffic(iptables),
  nftables: ({ nftables }) => nftables && readNftablesPodTraffic(nftables),
  userspace: () => undefined,
}
