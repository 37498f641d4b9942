import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { HealthCheckNodePort } from '@kube-rules/compiler/internal/model/services/health-checks'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Limitation } from '@kube-rules/compiler/internal/targets/mode-lowering'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { formatReference, type Outcome, type Packet, type Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Explanation } from '../explain/explain-paths.js'
import { formatList } from '../explain/format-list.js'
import type { RecognizedNeighbor } from '../neighbors/recognize-rule.js'
import type { PathStep } from '../program/steps.js'
import type { StateFrontend } from '../targets/state-frontend.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { DriftGroup } from '../verify/report.js'
import type { Diagnosis } from './diagnosis.js'
import type { EndpointGap } from './endpoint-gaps.js'
import type { EndpointOrigin } from './endpoint-origin.js'

/** An entry of a set: `10.244.1.1,tcp:8080,10.244.1.1` of `KUBE-LOOP-BACK`. */
export interface NamedEntry {
  readonly set: string
  readonly entry: string
}

/** Facts for diagnoses of a packet. */
export interface PacketDiagnosisContext extends Explanation {
  /** The expected handling of the packet and the decision of the plan; absent without objects. */
  readonly expected?: ExpectedHandling | undefined
  /** The rules of the node. */
  readonly state: NodeState
  /** Traces a packet, by default that of the explanation, through other rules. */
  readonly traceIn: (state: NodeState, packet?: Packet) => readonly TracePath[]
  /** Returns the addresses and ports of Services in the rules of the node, in any mode. */
  readonly frontends: () => readonly StateFrontend[]
  /** Returns all rules of the iptables chain of a step, in order. */
  readonly rulesOf: (step: PathStep) => readonly RuleWithJump[]
  /**
   * Returns the jump from POSTROUTING that would change the source of a packet if the given jump did not: the first
   * such jump after it. The given jump is in POSTROUTING and changed the source. Undefined if no such jump follows.
   */
  readonly nextSourceChange: (entry: PathStep) => { readonly chain: string; readonly index: number } | undefined
  /**
   * Returns the missing entry that would masquerade packets of an endpoint to itself (`KUBE-LOOP-BACK
   * 10.244.1.1,tcp:8080,10.244.1.1`). Undefined if the entry exists, or if the node has no set for such entries.
   */
  readonly missingLoopBack: (address: string, port: number, protocol: Protocol) => NamedEntry | undefined
  /** Whether the dump has rules of kube-proxy for Services, in the mode of the objects. False without objects. */
  readonly hasServiceRules: () => boolean
  /** Returns the known program that the rule or policy of a step belongs to; undefined if none is known to write it. */
  readonly neighborOf: (step: PathStep) => RecognizedNeighbor | undefined
}

/** A rule in iptables-save format, with the chain that the rule jumps to. The chain is empty if the rule does not jump. */
export interface RuleWithJump {
  readonly text: string
  readonly jumpsTo: string
}

export interface ExpectedHandling {
  readonly plan: Plan
  readonly decision: Decision
  readonly mode: ProxyMode
  /** The minor version of kube-proxy. */
  readonly version: string
  readonly healthChecks: readonly HealthCheckNodePort[]
  /** The reason why the rules of kube-proxy fail to load; absent if they load. */
  readonly loadFailure?: InvalidRule | undefined
  /** Returns the first newer version that handles the packet differently; undefined if no newer version does. */
  readonly change: () => VersionChange | undefined
  /** Returns the pod name of an endpoint of a Service. Undefined if no object contains the name. */
  readonly podOf: (service: ServicePortId, endpoint: Endpoint) => string | undefined
  /** Returns the EndpointSlice and the pod of an endpoint of a Service. Undefined without objects. */
  readonly originOf: (service: ServicePortId, endpoint: Endpoint) => EndpointOrigin | undefined
  /** Returns the reason why a Service has no endpoints at all. Undefined without objects. */
  readonly endpointGapOf: (service: ServicePortId) => EndpointGap | undefined
  /** Returns the drift of the family of the packet. Empty if the dump seems to be of another node, mode or version. */
  readonly drift: () => readonly DriftGroup[]
  /** Returns the paths of the packet through the rules that kube-proxy would write. */
  readonly compiledPaths: () => readonly TracePath[]
  /** Returns the paths of the packet after kube-proxy writes its rules again, next to the rules of other programs. */
  readonly rewrittenPaths: () => readonly TracePath[]
  /** Returns the name of the other Node with this address. Undefined if no other Node of the objects has it. */
  readonly otherNodeWith: (address: string) => string | undefined
  /** Reports whether the objects contain other Nodes with an address. */
  readonly hasOtherNodes: () => boolean
  /** Returns the limitations of this mode that explain the outcome; empty if none explains it. */
  readonly limitations: () => readonly Limitation[]
  /** Returns the modes that, unlike the current mode, handle the packet as the objects define. */
  readonly betterModes: () => readonly ProxyMode[]
}

/** A decision that rejects or drops a packet. */
export type BlockingFrontend = Extract<Decision, { readonly kind: 'reject' | 'drop' }>

/** The reason why this version of kube-proxy cannot load its rules. */
export interface InvalidRule {
  readonly object: string
  /** The Service that causes the failure. Absent if another object causes it. */
  readonly service?: Pick<ServicePortId, 'namespace' | 'name'> | undefined
  readonly reason: string
  /** The rule that fails to load. */
  readonly rule: string
  /** The first newer version of nft that can load the table; undefined if no version can. */
  readonly fixedIn?: string | undefined
}

/** The handling of a packet in another version of kube-proxy, with the plan for that version. */
export interface VersionChange {
  readonly version: string
  readonly paths: readonly TracePath[]
  readonly plan: Plan
}

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'from the node itself',
  outside: 'from external clients',
}

/** Returns `packets from a pod to 10.0.0.1:80/TCP`. */
export function formatPackets({ origin, destination: address, destinationPort: port, protocol }: Packet): string {
  return `packets ${ORIGINS[origin]} to ${formatDestination({ address, port, protocol })}`
}

/** Adds the name of the node before a sentence, if it is known: `On node node-1, no Service works`. */
export function prefixWithNode(plan: Plan | undefined, sentence: string): string {
  const name = plan?.node.name ?? ''
  return name === '' ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : `On node ${name}, ${sentence}`
}

/** Formats a reference: `Service default/web`. */
export function formatService({ namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>): string {
  return formatReference({ kind: 'Service', namespace, name })
}

/** Returns the rule of a step with its location. `what` is an additional remark. */
export function createDiagnosisRule({ table, text }: PathStep, what = ''): Pick<Diagnosis, 'rule' | 'ruleStatus'> {
  return { rule: text, ruleStatus: formatRuleLocation(table.replace(/^iptables /, ''), what) }
}

/**
 * Formats the location of a rule: `in table filter` for a table, `of ipvs` for IPVS. A remark (`what`) is added after a
 * comma.
 */
export function formatRuleLocation(where: string, what = ''): string {
  const standing = where === 'ipvs' ? 'of ipvs' : where.includes(' ') ? `in ${where}` : `in table ${where}`
  return what === '' ? standing : `${standing}, ${what}`
}

/** Returns the last matching rule if there is only one path; undefined if there are several. */
export function findDecidingStep({ paths: [path, ...others] }: Pick<Explanation, 'paths'>): PathStep | undefined {
  return others.length === 0 ? path?.steps.at(-1) : undefined
}

/** Returns the last step that sends the packet to its endpoint. If no step sends it, returns the last step of the path. */
export function findEndpointStep({ outcome, steps }: TracePath): PathStep | undefined {
  const address = outcome.kind === 'delivered' ? outcome.address : undefined
  return steps.filter(({ target }) => address !== undefined && target.includes(address)).at(-1) ?? steps.at(-1)
}

/** Whether all packets have an outcome, or some may, because a condition is unknown. */
type Certainty = 'certain' | 'possible'

/**
 * Formats the outcomes of a packet excluding masquerading: `are rejected`, `may be dropped`, `reach 10.244.1.1:80 and 2
 * more`.
 */
export function formatOutcomes(paths: readonly TracePath[], certainty: Certainty = 'certain'): string {
  const kinds = new Set(paths.map(({ outcome }) => outcome.kind))
  const places = new Set(
    paths.flatMap(({ outcome }) => (outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : [])),
  )
  const [may, be] = certainty === 'certain' ? ['', 'are'] : ['may ', 'be']
  const fates: Readonly<Record<Outcome['kind'], string>> = {
    delivered: `reach ${formatList([...places].sort())}`,
    rejected: `${be} rejected`,
    dropped: `${be} dropped`,
    unmatched: `${be} not handled by kube-proxy`,
    proxy: 'go to the process of kube-proxy',
    unknown: 'have an unknown outcome',
  }
  return `${may}${Array.from(kinds, (kind) => fates[kind]).join(' or ')}`
}
