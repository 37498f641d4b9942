import type { DriftKind } from '@kube-rules/compiler/internal/dataplane/comparison'
import type { DriftPart } from '@kube-rules/compiler/internal/dataplane/drift-part'
import type { ToolCommand } from '@kube-rules/compiler/internal/dataplane/netfilter/tool-command'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { IpFamily } from '@kube-rules/types'

/**
 * The verdict about a node.
 * - `noDrift`: the node matches the compile result
 * - `drift`: the node does not match the compile result
 * - `notVerified`: the dump matches the compile result, but it is incomplete (`unverified`)
 */
export type NodeVerdict = 'noDrift' | 'drift' | 'notVerified'

/** The differences between a node and the compile result. Plain data. */
export interface VerifyReport {
  /** The mode of the compile result. */
  readonly mode: ProxyMode
  /** The verdict over all families. */
  readonly verdict: NodeVerdict
  /** The compiled families, in the order IPv4, IPv6. */
  readonly families: readonly FamilyReport[]
}

/** The differences of one address family. */
export interface FamilyReport {
  /** The address family. */
  readonly family: IpFamily
  /** Reasons why the drift may not be a fault of the node, such as a dump of another node. Empty without drift. */
  readonly caveats: readonly Caveat[]
  /**
   * Drift by service port, in code-unit order, preceded by drift without an owner. Empty if the node matches the
   * compile result.
   */
  readonly drift: readonly DriftGroup[]
  /** The parts of the compile result that could not be compared, because the dump does not contain them. */
  readonly unverified: readonly UnverifiedContent[]
  /** Ignored chains with a KUBE- prefix that no kube-proxy creates (`nat/KUBE-POD-FW-X`). */
  readonly otherChains: readonly string[]
  /** Chains that a kubelet creates (`nat/KUBE-MARK-DROP`), which are not drift. */
  readonly kubeletChains: readonly string[]
  /** The commands that repair the node. They do not change resources of other programs. */
  readonly repair: readonly ToolCommand[]
}

/** An explanation of drift that is more likely than a fault of the node. */
export interface Caveat {
  /** The input that probably does not match the node; `input` if it is not clear which input. */
  readonly about: 'configuration' | 'node' | 'mode' | 'version' | 'input'
  /** One line of readable text. */
  readonly message: string
}

/** The drift of one service port. */
export interface DriftGroup {
  /** The service port, such as `default/web:http/TCP`. Empty for shared resources, or if the owner is unknown. */
  readonly servicePort: string
  /** Drift items, sorted by subsystem, then by location. */
  readonly drift: readonly Drift[]
}

/** One difference between a node and the compile result. */
export interface Drift {
  /** The subsystem that contains the resource. */
  readonly subsystem: Subsystem
  /**
   * The id of the resource: a chain (`nat/KUBE-SERVICES`), an ipset set or set entry (`ipset KUBE-CLUSTER-IP
   * 10.96.0.1,tcp:80`), a virtual or real server (`ipvs TCP 10.96.0.1:80 10.244.1.1:8080`), or an address (`address
   * 10.96.0.1`).
   */
  readonly location: string
  /** The same part of the node as data. */
  readonly part: DriftPart
  /** How it differs. */
  readonly kind: DriftKind
  /** The expected lines, as the tools print them; absent if none are expected. */
  readonly expected?: string | undefined
  /** The actual lines; absent if the node has none. */
  readonly found?: string | undefined
  /** One line of readable text. */
  readonly reason: string
}

/** A part of the compile result that the dump does not contain completely. */
export interface UnverifiedContent {
  /** A subsystem (`ipset`), or a part of one (`iptables nat`). */
  readonly part: string
  /** One line of readable text. */
  readonly reason: string
}
