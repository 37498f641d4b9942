import type { DriftKind } from '@kube-rules/compiler/internal/dataplane/comparison'
import type { Run } from '@kube-rules/compiler/internal/dataplane/netfilter/run'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { CompiledMode } from '@kube-rules/compiler/internal/targets/modes'
import type { IpFamily } from '@kube-rules/types'

/**
 * - `noDrift`: the node holds what was compiled
 * - `drift`: it does not
 * - `notVerified`: it does as far as the dump tells, which lacks some of it (`unverified`)
 */
export type NodeVerdict = 'noDrift' | 'drift' | 'notVerified'

/** What a node holds that it should not, and the other way round. Plain data. */
export interface VerifyReport {
  readonly mode: CompiledMode
  /** Of all families together. */
  readonly verdict: NodeVerdict
  /** Those that were compiled, in the order IPv4, IPv6. */
  readonly families: readonly FamilyReport[]
}

export interface FamilyReport {
  readonly family: IpFamily
  /** Why the drift may be no fault of the node: it is not the one that was compiled for. Empty without drift. */
  readonly doubts: readonly Doubt[]
  /** By service port, in code-unit order; what is of none comes first. Empty: the node holds what was compiled. */
  readonly drift: readonly DriftGroup[]
  /** What the dump says nothing of, so that nobody knows. */
  readonly unverified: readonly Unverified[]
  /** Chains whose names begin with KUBE- but that no kube-proxy makes (`nat/KUBE-POD-FW-X`): they are not looked at. */
  readonly otherChains: readonly string[]
  /** Chains that a kubelet makes (`nat/KUBE-MARK-DROP`), which are no drift. */
  readonly kubeletChains: readonly string[]
  /** The runs of tools after which the node holds what was compiled; nothing that is not kube-proxy's is touched. */
  readonly repair: readonly Run[]
}

/** Something that explains drift better than a fault of the node does. */
export interface Doubt {
  /** What is probably not that of the node; `input`: any of it. */
  readonly about: 'configuration' | 'node' | 'mode' | 'version' | 'input'
  /** One line for people. */
  readonly message: string
}

/** What is wrong about one service port. */
export interface DriftGroup {
  /** `default/web:http/TCP`; empty for what is of all of them or of none that is known. */
  readonly servicePort: string
  /** By language, then by place. */
  readonly drift: readonly Drift[]
}

export interface Drift {
  readonly language: Subsystem
  /**
   * The id of a resource: a chain (`nat/KUBE-SERVICES`), a set or an entry of it (`ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80`),
   * a virtual or real server (`ipvs TCP 10.96.0.1:80 10.244.1.1:8080`) or an address (`address 10.96.0.1`).
   */
  readonly place: string
  readonly kind: DriftKind
  /** What should be there, in lines as the tools print them; absent where nothing should be. */
  readonly wanted?: string | undefined
  /** What is there; absent where nothing is. */
  readonly found?: string | undefined
  /** One line for people. */
  readonly reason: string
}

/** A part that was compiled and that the dump says nothing of. */
export interface Unverified {
  /** A language (`ipset`), or a part of one (`iptables nat`). */
  readonly part: string
  /** One line for people. */
  readonly reason: string
}
