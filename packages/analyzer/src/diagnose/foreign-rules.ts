import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { iptablesToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { splitHostPort } from '@kube-rules/compiler/internal/model/configuration/configured-addresses'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { familyOf, joinHostPort } from '@kube-rules/types/internal/ip'
import { createSourceContext } from '../explain/explain.js'
import { formatList } from '../explain/format-list.js'
import { conditionOfLocality } from '../program/assumed-locality.js'
import { isRuleCondition } from '../program/assumptions.js'
import { MISSING_TABLES_CONDITION } from '../program/missing-content.js'
import type { PathStep } from '../program/steps.js'
import type { TracePath } from '../trace/trace-paths.js'
import { formatFate } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { diagnoseEarlierAccept, diagnoseEarlierTranslation } from './foreign-order.js'
import {
  type DiagnosedService,
  findRulePosition,
  formatForeignRule,
  formatOwner,
  isForeignRule,
  isPolicy,
} from './foreign-rule.js'
import {
  createDiagnosisRule,
  formatPackets,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { formatRootHint, prependCondition } from './remedies.js'
import { findServiceOfEndpoint, findServiceOfPacket } from './service-of-packet.js'

/**
 * Diagnoses a rule of another program that decides about a packet of a Service, before or after the rules of
 * kube-proxy.
 */
export function diagnoseForeignRule(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const service = findServiceOfPacket(facts)
  if (service === undefined) return undefined
  for (const path of sortByAssumedMatches(listPlausiblePaths(facts))) {
    const diagnosis =
      findForeignRejection(path, service, facts) ??
      diagnoseEarlierAccept(path, service, facts) ??
      diagnoseEarlierTranslation(path, service, facts)
    if (diagnosis !== undefined) return diagnosis
  }
  return undefined
}

/**
 * Returns the paths that may be those of the packet of a user. If the addresses of the node are unknown, a path may assume
 * that an address of the pod network is one of them, or that a node port is at another machine. No rule is accused then.
 */
function listPlausiblePaths({ paths, state, expected }: PacketDiagnosisContext): readonly TracePath[] {
  if (expected !== undefined) return paths
  const { localTrafficDetection } = createSourceContext(state, {})
  const isOfPod = (address: string) =>
    localTrafficDetection?.kind === 'cidr' && cidrContains(localTrafficDetection.cidr, address)
  const isNamed = ({ steps }: TracePath) => steps.some(({ servicePort }) => servicePort !== '')
  const named = paths.filter(isNamed)
  return (named.length === 0 ? paths : named).filter(({ steps, assumptions }) => {
    const address = splitHostPort(targetOf(steps) ?? '')?.host ?? ''
    const isAssumedLocal = assumptions.some(
      ({ condition, value }) => value && condition === conditionOfLocality(address),
    )
    return !(isAssumedLocal && isOfPod(address))
  })
}

/**
 * Sorts paths by the number of rules that only an assumption lets match. A policy that drops a packet because no such
 * rule matches is a better cause than a rule for the interface of another program.
 */
export function sortByAssumedMatches(paths: readonly TracePath[]): readonly TracePath[] {
  const assumedMatches = ({ assumptions }: TracePath) =>
    assumptions.filter(({ condition, value }) => value && isRuleCondition(condition)).length
  return [...paths].sort((a, b) => assumedMatches(a) - assumedMatches(b))
}

/** Diagnoses a packet that was sent to an endpoint and then rejected or dropped by a rule or policy of another program. */
function findForeignRejection(
  path: TracePath,
  { text, object }: DiagnosedService,
  facts: PacketDiagnosisContext,
): Diagnosis | undefined {
  const step = path.steps.at(-1)
  const { kind } = path.outcome
  if (step === undefined || (kind !== 'rejected' && kind !== 'dropped') || !isForeignRule(step, facts)) return undefined
  if (path.assumptions.length > 0 && isUnmanagedInterface(step)) return undefined
  const targets = targetsOf(path, facts)
  const verb = kind === 'rejected' ? 'rejects' : 'drops'
  const by = `${formatForeignRule(step, facts)} ${verb} them`
  return {
    code: 'foreignRule',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${formatFate(path, facts)} by ${formatForeignDecider(step, facts)}`,
    ),
    cause:
      targets.length === 0
        ? findServiceOfEndpoint(facts) === undefined
          ? `${by} before any rule of ${object} applies`
          : `they are sent to an endpoint of ${object} without the Service, and ${by}`
        : `${isTranslationAssumed(path) ? 'according to the objects, ' : ''}kube-proxy sends them to ${formatList(targets)}, ${describeTargets(targets, facts)} of ${object}; then ${by}`,
    steps: acceptSteps(step, targets, text, facts),
    object,
    ...createForeignRuleReference(step),
  }
}

/**
 * Formats what rejects or drops packets, with its program if that is known. A built-in chain of iptables belongs to no
 * program, so an administrator may also have set its policy.
 */
export function formatForeignDecider(step: PathStep, facts: PacketDiagnosisContext): string {
  if (isPolicy(step) && step.table.startsWith('iptables ') && facts.neighborOf(step) === undefined)
    return `the policy of ${step.chain}, because no rule there accepts them`
  return `a rule of ${formatOwner(step, facts, 'another program, such as a firewall')}`
}

function describeTargets([target = '', ...others]: readonly string[], facts: PacketDiagnosisContext): string {
  if (others.length > 0) return 'endpoints'
  const endpoints = listExpectedEndpoints(facts)
  return endpoints.length === 0 || endpoints.includes(target) ? 'an endpoint' : 'no longer an endpoint'
}

/**
 * Returns the destinations that the outcome of a path applies to: the last DNAT destination of the path, and every
 * expected endpoint that no packet reaches. The unreached endpoints are included because one path represents all
 * endpoints with the same outcome; if the destination is no expected endpoint, the rules are out of date, and it does
 * not represent any. If the nat table is missing in the dump, kube-proxy translates the packet as the objects define.
 * Empty if the path ends before DNAT.
 */
function targetsOf(path: TracePath, facts: PacketDiagnosisContext): readonly string[] {
  const { paths } = facts
  const own = targetOf(path.steps)
  if (own === undefined) return isTranslationAssumed(path) ? listExpectedEndpoints(facts) : []
  const endpoints = listExpectedEndpoints(facts)
  if (!endpoints.includes(own)) return [own]
  const reached = paths.flatMap(({ outcome }) =>
    outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : [],
  )
  return [...new Set([own, ...endpoints.filter((endpoint) => !reached.includes(endpoint))])]
}

/** Reports whether the nat table before the last rule of the path is missing in the dump. */
function isTranslationAssumed({ steps, assumptions }: TracePath): boolean {
  const isInFilter = steps.at(-1)?.table === 'iptables filter'
  return (
    isInFilter &&
    targetOf(steps) === undefined &&
    assumptions.some(({ condition, value }) => condition === MISSING_TABLES_CONDITION && value)
  )
}

function listExpectedEndpoints({ expected }: PacketDiagnosisContext): readonly string[] {
  const decision = expected?.decision
  return decision?.kind === 'endpoints' ? decision.candidates.map(({ endpoint }) => endpoint.text) : []
}

/**
 * Returns the last translated destination of a path: `10.244.1.1:8080`. Undefined if no step translates the
 * destination.
 */
export function targetOf(steps: TracePath['steps']): string | undefined {
  const sent = steps.filter(({ rewrites }) => rewrites === 'destination').at(-1)
  return sent?.target.split(' ').at(-1)
}

/**
 * Reports whether a rule is the Calico rule that drops packets of unmanaged interfaces. Every node with
 * Calico has it, and packets of its pods do not reach it, but a trace may not know the interface of a packet.
 */
export function isUnmanagedInterface({ chain, text }: PathStep): boolean {
  return chain.startsWith('cali-') && text.includes('--comment "Unknown interface"')
}

/** Returns the rule of a step with its location. Formats a policy like its tool: `-P FORWARD DROP`. */
export function createForeignRuleReference(step: PathStep): Pick<Diagnosis, 'rule' | 'ruleStatus'> {
  const isOfIptables = isPolicy(step) && step.table.startsWith('iptables ')
  return createDiagnosisRule(isOfIptables ? { ...step, text: `-P ${step.chain} ${step.target}` } : step)
}

/**
 * Returns steps that accept the packets. For a rule of a built-in chain, a command inserts an accepting rule before it.
 * Any other chain belongs to a program that must be configured instead.
 */
function acceptSteps(
  step: PathStep,
  targets: readonly string[],
  text: string,
  facts: PacketDiagnosisContext,
): readonly DiagnosisStep[] {
  const { packet, expected } = facts
  const places = targets.length === 0 ? [joinHostPort(packet.destination, packet.destinationPort)] : targets
  const neighbor = facts.neighborOf(step)?.neighbor
  const owner =
    neighbor === undefined ? 'Find out which program owns the rule, and configure it' : `Configure ${neighbor.name}`
  const name = text === formatPlace(facts) ? '' : ` (${text})`
  const accept = `${owner} to accept ${packet.protocol} to ${formatList(places)}${name}`
  if (!/^[A-Z]+$/.test(step.chain) || !step.table.startsWith('iptables ')) {
    if (neighbor !== undefined) {
      return [neighbor.remedy, { text: prependCondition('If that does not help', accept) }]
    }
    // Network policies apply to packets that are forwarded to pods.
    if (step.chain === 'INPUT') return [{ text: accept }]
    return [
      {
        text: `Check with kubectl whether a network policy is the reason, if ${step.chain} belongs to the network plugin`,
        command: 'kubectl get networkpolicies -A',
      },
      { text: prependCondition('If no NetworkPolicy is the reason', accept) },
    ]
  }
  const where = isPolicy(step) ? 'in that chain' : 'before that rule'
  return [
    ...Array.from(addressesByPort(places), ([port, addresses]) => ({
      text: `Accept the packets ${where}, ${formatRootHint(expected?.plan)}`,
      ...createAcceptChange(step, addresses, port, facts),
      impact: 'effective at once, until the program that owns the rule reloads its rules',
    })),
    neighbor === undefined
      ? { text: prependCondition('For a permanent fix', `${accept} on every node`) }
      : { ...neighbor.remedy, text: prependCondition('For a permanent fix on every node', neighbor.remedy.text) },
  ]
}

/** Formats the destination of the packet: `10.96.0.1:80/TCP`. */
function formatPlace({
  packet: { destination: address, destinationPort: port, protocol },
}: PacketDiagnosisContext): string {
  return formatDestination({ address, port, protocol })
}

/** Groups the addresses of endpoints such as `10.244.1.1:8080` by port, because a rule matches one port. */
function addressesByPort(places: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byPort = new Map<string, string[]>()
  for (const place of places) {
    const [, address = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(place) ?? []
    addToGroup(byPort, port, address)
  }
  return byPort
}

/**
 * Returns the command that accepts packets before a rule of a built-in chain, and its change of the rules. If the policy
 * of the chain drops the packets, the command adds the rule at the end of the chain. If the dump has only a part of the
 * chain, positions are unknown, and the command inserts the rule at the start. The command of several addresses adds
 * one rule for each of them.
 */
function createAcceptChange(
  step: PathStep,
  addresses: readonly string[],
  port: string,
  facts: PacketDiagnosisContext,
): Pick<DiagnosisStep, 'command' | 'change'> {
  const { packet, expected } = facts
  const { chain } = step
  const detection = packet.origin === 'pod' ? expected?.plan.node.localTrafficDetection : undefined
  const from = detection?.kind === 'cidr' ? ` -s ${detection.cidr.text}` : ''
  const tool = iptablesToolOf(familyOf(packet.destination))
  const table = step.table.replace('iptables ', '')
  const position = !isWholeChain(facts, table, chain) ? 1 : isPolicy(step) ? undefined : findRulePosition(step, facts)
  const place = position === undefined ? `-A ${chain}` : `-I ${chain} ${position}`
  const rule = `${from} -d ${addresses.join(',')} -p ${packet.protocol.toLowerCase()} --dport ${port} -j ACCEPT`
  const command = `${tool} -t ${table} ${place}${rule}`
  const name = TABLE_NAMES.find((each) => each === table)
  if (name === undefined) return { command }
  return { command, change: { kind: 'insertRule', table: name, chain, position, rule: `-A ${chain}${rule}` } }
}

function isWholeChain({ state }: PacketDiagnosisContext, table: string, chain: string): boolean {
  return createCoverageQueries(state.coverage).isComplete('iptables', table, `${table}/${chain}`)
}
