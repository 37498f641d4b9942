import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { destinationText } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-text'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { HealthCheckNodePort } from '@kube-rules/compiler/internal/model/services/health-checks'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { formatReference, type Packet, type Protocol } from '@kube-rules/types'
import type { Explanation } from '../explain/explain-ways.js'
import { listText } from '../explain/list-text.js'
import type { Way } from '../trace/trace-ways.js'
import type { Answer } from './answer.js'

/** What answers about a packet are made of. */
export interface PacketFacts extends Explanation {
  /** What should happen, and what the plan decides about the packet; absent where there are no objects. */
  readonly wanted?: Wanted | undefined
  /** All rules of the chain of iptables in which a step was made, in order. */
  readonly rulesOf: (step: Step) => readonly ChainRule[]
  /**
   * Of a jump out of POSTROUTING by which a packet got another source: the first one behind it by which it would get one
   * were it not for that jump; undefined where there is none.
   */
  readonly sourceBehind: (entry: Step) => { readonly chain: string; readonly index: number } | undefined
  /**
   * Of an address and port the entry by which its packets to itself get another source, which the node lacks (`KUBE-LOOP-BACK
   * 10.244.1.1,tcp:8080,10.244.1.1`); undefined where it is there, or nothing asks for one.
   */
  readonly lackedLoopBack: (address: string, port: number, protocol: Protocol) => string | undefined
  /** Whether some mode of kube-proxy, or a kubelet, makes the chain with this id (`nat/KUBE-SERVICES`). */
  readonly isOfKubernetes: (id: string) => boolean
}

/** A rule as iptables-save prints it, and the chain it leads to; empty for none. */
export interface ChainRule {
  readonly text: string
  readonly jumpsTo: string
}

export interface Wanted {
  readonly plan: Plan
  readonly decision: Decision
  readonly mode: string
  /** The minor version of kube-proxy. */
  readonly version: string
  readonly healthChecks: readonly HealthCheckNodePort[]
  /** What makes it that kube-proxy cannot load its rules at all; absent where nothing does. */
  readonly refused?: Refused | undefined
  /** The first newer version by which the packet fares otherwise; undefined where there is none. */
  readonly change: () => VersionChange | undefined
  /** The name of the pod that an endpoint of a Service is; undefined where no object says it. */
  readonly podOf: (service: ServicePortId, endpoint: Endpoint) => string | undefined
  /** Other modes in which kube-proxy does with the packet what the objects ask for. */
  readonly betterModes: () => readonly string[]
}

/** Why kube-proxy of this version cannot load its rules. */
export interface Refused {
  readonly object: string
  /** The Service that it is; absent for another object. */
  readonly service?: Pick<ServicePortId, 'namespace' | 'name'> | undefined
  readonly reason: string
  /** The rule that is refused. */
  readonly rule: string
  /** The first newer version that can; undefined where none is known. */
  readonly fixedIn?: string | undefined
}

/** How a packet fares by another version of kube-proxy, and what would be compiled for it. */
export interface VersionChange {
  readonly version: string
  readonly ways: readonly Way[]
  readonly plan: Plan
}

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'from the node itself',
  outside: 'from external clients',
}

/** Returns `packets from a pod to 10.0.0.1:80/TCP`. */
export function packetsText({ origin, destination: address, destinationPort: port, protocol }: Packet): string {
  return `packets ${ORIGINS[origin]} to ${destinationText({ address, port, protocol })}`
}

/** `On node node-1, no Service works`: a sentence with the node it is true of, where that is known. */
export function onNode(plan: Plan | undefined, sentence: string): string {
  const name = plan?.node.name ?? ''
  return name === '' ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : `On node ${name}, ${sentence}`
}

/** `Service default/web`. */
export function serviceText({ namespace, name }: ServicePortId): string {
  return formatReference({ kind: 'Service', namespace, name })
}

/** The rule of a step, and where it stands; `what` else there is to know of it. */
export function ruleOf({ by, text }: Step, what = ''): Pick<Answer, 'rule' | 'ruleIs'> {
  return { rule: text, ruleIs: standingText(by.replace(/^iptables /, ''), what) }
}

/** `in table filter`, `of ipvs, …`: of the table `filter`, or of `ipvs`. */
export function standingText(where: string, what = ''): string {
  const standing = where === 'ipvs' ? 'of ipvs' : where.includes(' ') ? `in ${where}` : `in table ${where}`
  return what === '' ? standing : `${standing}, ${what}`
}

/** The last rule that applied on the only way; undefined where ways differ in it. */
export function decidingStep({ ways: [way, ...others] }: Pick<Explanation, 'ways'>): Step | undefined {
  return others.length === 0 ? way?.steps.at(-1) : undefined
}

/** The last rule that a way to its endpoint went by, which sends it there; else the last of all. */
export function sendingStep({ outcome, steps }: Way): Step | undefined {
  const address = outcome.kind === 'delivered' ? outcome.address : undefined
  return steps.filter(({ verdict }) => address !== undefined && verdict.includes(address)).at(-1) ?? steps.at(-1)
}

/** Returns `are rejected`, `are dropped`, `reach 10.244.1.1:80 and 2 more`: what becomes of a packet, without who is masqueraded. */
export function fateText(ways: readonly Way[]): string {
  const fates = new Set(ways.map(({ outcome }) => (outcome.kind === 'delivered' ? 'delivered' : outcome.kind)))
  const places = [...new Set(ways.flatMap(({ outcome }) => (outcome.kind === 'delivered' ? placeText(outcome) : [])))]
  const texts = [...fates].map((fate) => (fate === 'delivered' ? `reach ${listText(places.sort())}` : FATES[fate]))
  return texts.join(' or ')
}

const FATES = {
  rejected: 'are rejected',
  dropped: 'are dropped',
  passes: 'are not handled by kube-proxy',
  proxy: 'go to the process of kube-proxy',
  unknown: 'have an unknown outcome',
} as const

function placeText({ address, port }: { readonly address: string; readonly port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
