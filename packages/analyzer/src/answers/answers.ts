import type {
  CompileInput,
  CompileResult,
  FamilyResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { entryText } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import { jumpDestination, ownedChainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { destinationText } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-text'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Backend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { lazily } from '@kube-rules/compiler/internal/internal/memo'
import { servicePortText } from '@kube-rules/compiler/internal/model/services/service-port-text'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { print } from '@kube-rules/compiler/internal/print/print'
import { isOfKubeProxy, modesOfOne } from '@kube-rules/compiler/internal/reconcile/is-of-kube-proxy'
import { isKubeletChain, isSharedWithKubelet } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { type Diagnostic, formatReference, type Protocol } from '@kube-rules/types'
import { sourceFacts } from '../explain/explain.js'
import type { Explanation } from '../explain/explain-ways.js'
import { frontendsOfPlan } from '../explain/frontends-of-plan.js'
import { sampleSource } from '../explain/sample-source.js'
import { ORIGINS } from '../explain/survey.js'
import { prepareTrace, type Surroundings, surroundingsOf } from '../trace/trace.js'
import { attribute } from '../verify/attribute.js'
import type { VerifyReport } from '../verify/report.js'
import type { Answer } from './answer.js'
import { answersAboutNode } from './answers-about-node.js'
import { answersToPacket } from './answers-to-packet.js'
import { bothBackEndsAnswer } from './both-back-ends.js'
import type { NodeAnswerFacts } from './node-facts.js'
import { type CompiledFrom, type OtherRules, otherRulesOf } from './other-rules.js'
import type { ChainRule, PacketFacts, Refused, Wanted } from './packet-facts.js'
import { isLoopBackSet } from './to-itself.js'
import { lastChangesOf, podBehind } from './told-by-slices.js'

/** Optional facts for diagnoses of a packet, in addition to its explanation. */
export interface AnswerOptions extends Surroundings {
  /** The compile result. Default: none; then diagnoses use the rules alone. */
  readonly result?: CompileResult | undefined
  /** The inputs of `result`, to compute the behavior of other versions and modes. */
  readonly from?: CompiledFrom | undefined
  /** Whether the packet belongs to an existing flow. Default: it is the first packet of its flow. */
  readonly established?: boolean | undefined
}

/**
 * Diagnoses the path of a packet, in four lines per diagnosis, with the decisive reason first. Returns an empty list if
 * there is no problem. `explanation` is the result of `explain` for the packet and `state`, with the plan of the same
 * result.
 */
export function answerPacket(
  explanation: Explanation,
  state: NodeState,
  { result, from, established = false, ...surroundings }: AnswerOptions = {},
): readonly Answer[] {
  const family = result?.families.find((each) => each.family === state.family)
  const wanted = result && family && wantedOf(explanation, result, family, from)
  const facts: PacketFacts = {
    ...explanation,
    wanted,
    rulesOf: (step) => rulesOfChain(state, step),
    sourceBehind: (entry) => sourceBehind(entry, explanation, state, surroundings),
    lackedLoopBack: (...endpoint) => lackedLoopBack(state, ...endpoint),
    isOfKubernetes,
  }
  return answersToPacket(facts, established)
}

function wantedOf(
  { packet }: Explanation,
  result: CompileResult,
  { plan, state, healthCheckNodePorts: healthChecks }: FamilyResult,
  from: CompiledFrom | undefined,
): Wanted {
  const decision = decide(plan, packet)
  const others = from && 'servicePort' in decision ? otherRulesOf(result, from, decision.servicePort) : undefined
  return {
    plan,
    decision,
    mode: result.mode,
    version: result.kubernetesVersion,
    healthChecks,
    refused: from && refusedBy(result, decision, state, from),
    change: () => others?.changeFor(packet),
    podOf: (service, endpoint) => from && podBehind(from.input, service, endpoint),
    betterModes: () => others?.betterModes(packet) ?? [],
  }
}

/**
 * Returns the reason why the rules of kube-proxy fail to load: a comment that is too long, or a prefix for an
 * interface.
 */
function refusedBy(
  result: CompileResult,
  decision: Decision,
  state: NodeState,
  from: CompiledFrom,
): Refused | undefined {
  const found = result.diagnostics.find(isRefusal)
  if (found === undefined || decision.outcome === 'passes') return undefined
  const { namespace = '', name } = found.object
  const isOfService = found.object.kind === 'Service'
  const lines = print(state, { spelling: 'save' }).split('\n')
  const line = lines.find((each) =>
    isOfService ? tooLongComment(each, `${namespace}/${name}`) : /\biif\b.*\*/.test(each),
  )
  if (line === undefined) return undefined
  const others: OtherRules = otherRulesOf(result, from, { namespace, name })
  const bytes = isOfService ? tooLongComment(line, `${namespace}/${name}`) : undefined
  return {
    object: isOfService ? formatReference(found.object) : found.object.kind,
    service: isOfService ? { namespace, name } : undefined,
    reason:
      bytes === undefined
        ? `its detectLocalMode matches pods by a prefix of the interface name (${/iif (?:!= )?"([^"]*)"/.exec(line)?.[1]}), and nft accepts complete names only`
        : `kube-proxy writes its name and the name of its port into a comment of ${bytes} bytes, and the limit of nft is 128`,
    rule: line.trim(),
    fixedIn: others.firstVersion(({ diagnostics }) => !diagnostics.some(isRefusal)),
  }
}

function isRefusal({ code, object, message }: Diagnostic): boolean {
  return code === 'modeLimitation' && (object.kind === 'KubeProxyConfiguration' || message.endsWith('(commentTooLong)'))
}

/** Returns the length of a comment about this Service if it exceeds the limit of nft. Names are plain ASCII. */
function tooLongComment(line: string, service: string): number | undefined {
  const [, comment = ''] = /comment "([^"]*)"/.exec(line) ?? []
  return comment.startsWith(service) && comment.length > 128 ? comment.length : undefined
}

function rulesOfChain({ family, iptables }: NodeState, { by, chain }: Step): readonly ChainRule[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  const rules = (table && ownedChainsOf(table).get(chain)) ?? []
  return rules.map(({ rule }) => ({ text: printRule(rule, 'save', family), jumpsTo: jumpDestination(rule) ?? '' }))
}

/** Traces the packet through POSTROUTING again, without the given jump. */
function sourceBehind(
  entry: Step,
  { packet }: Explanation,
  state: NodeState,
  surroundings: Surroundings,
): ReturnType<PacketFacts['sourceBehind']> {
  const { family, iptables } = state
  if (iptables === undefined) return undefined
  const isEntry = (rule: Parameters<typeof printRule>[0]) => printRule(rule, 'save', family) === entry.text
  const tables = iptables.tables.map((table) =>
    table.name === 'nat' ? { ...table, jumps: table.jumps.filter((rule) => !isEntry(rule)) } : table,
  )
  const ways = prepareTrace({ ...state, iptables: { ...iptables, tables } }, surroundings)(packet)
  for (const { steps } of ways) {
    const behind = steps.filter(({ hook, by }) => hook === 'POSTROUTING' && by === 'iptables nat')
    if (!/^(?:MASQUERADE|SNAT)\b/.test(behind.at(-1)?.verdict ?? '')) continue
    const jump = behind.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
    if (jump === undefined || jump.jumpsTo === '') continue
    const index = rulesOfChain(state, jump).findIndex(({ text }) => text === jump.text)
    return { chain: jump.jumpsTo, index: index + 1 }
  }
  return undefined
}

/** Returns the missing entry of the endpoint if the node has a loop-back set. */
function lackedLoopBack({ ipset }: NodeState, address: string, port: number, protocol: Protocol): string | undefined {
  const set = ipset?.sets.find(({ name }) => isLoopBackSet(name))
  const entry = `${address},${protocol.toLowerCase()}:${port},${address}`
  const isThere = set?.entries.some((each) => entryText(each) === entry)
  return set === undefined || isThere ? undefined : `${set.name} ${entry}`
}

function isOfKubernetes(id: string): boolean {
  const chain = id.slice(id.indexOf('/') + 1)
  return isOfKubeProxy(id) || isKubeletChain(id) || isSharedWithKubelet(chain)
}

/** Optional facts for diagnoses of a node, in addition to its report. */
export interface NodeAnswerOptions {
  /** The compile input. EndpointSlices with a change time (an annotation) provide the age of rules. */
  readonly input?: Pick<CompileInput, 'endpointSlices'> | undefined
}

/**
 * Diagnoses a node, in four lines per diagnosis, with problems of all Services first. Returns an empty list if there is
 * no problem. `report` is the result of `verify` for the same result and dump.
 */
export function answerNode(
  desired: CompileResult,
  dump: Dump,
  report: VerifyReport,
  { input = {} }: NodeAnswerOptions = {},
): readonly Answer[] {
  const { mode } = desired
  const changes = lastChangesOf(input)
  const answers = desired.families.flatMap(({ family, plan, state }) => {
    const { drift = [], doubts = [] } = report.families.find((each) => each.family === family) ?? {}
    // A result for another node or mode gives no information about this node.
    if (drift.length === 0 || doubts.some(({ about }) => about !== 'input')) return []
    const live = attribute(dump[family], state)
    const servicePorts = new Map(plan.services.map((service) => [servicePortText(service.id), service]))
    const ways = lazily(() => waysTo(live, plan))
    return answersAboutNode({
      mode,
      plan,
      servicePorts,
      live,
      drift,
      changes,
      modesOfOne,
      waysTo: (service) => ways()(service),
    })
  })
  return withoutRepetition(answers)
}

/** Removes duplicates, such as diagnoses that are equal in both families. */
function withoutRepetition(answers: readonly Answer[]): readonly Answer[] {
  return [...new Map(answers.map((answer) => [JSON.stringify(answer), answer])).values()]
}

/** The state of one iptables backend, with its `verify` report. */
export interface HeldBackEnd {
  /** The name for the user, such as the name of a file. */
  readonly name: string
  /** The backend; absent if unknown. */
  readonly backend?: Backend | undefined
  readonly dump: Dump
  readonly report: VerifyReport
}

/**
 * Reports, for each family, that both iptables backends contain rules of kube-proxy. Returns an empty list if only one
 * of them does.
 */
export function answerBackEnds(
  desired: CompileResult,
  held: readonly HeldBackEnd[],
  { input = {} }: NodeAnswerOptions = {},
): readonly Answer[] {
  const changes = lastChangesOf(input)
  const answers = desired.families.flatMap(({ family, plan }) => {
    const backEnds = held.flatMap(({ name, backend, dump, report }) => {
      const found = report.families.find((each) => each.family === family)
      return found === undefined ? [] : [{ name, backend, live: dump[family], report: found }]
    })
    return bothBackEndsAnswer(backEnds, plan, changes) ?? []
  })
  return withoutRepetition(answers)
}

/** Returns a function that traces packets to a service port from a pod, from the node and from outside. */
function waysTo(live: NodeState, plan: Plan): NodeAnswerFacts['waysTo'] {
  const surroundings = surroundingsOf(plan)
  const facts = sourceFacts(live, surroundings, plan)
  const trace = prepareTrace(live, surroundings)
  const sources = ORIGINS.flatMap((origin) => sampleSource(origin, facts) ?? [])
  return (service) =>
    frontendsOfPlan({ ...plan, services: [service] }).flatMap(({ protocol, address, port }) =>
      sources.flatMap((source) =>
        trace({ ...source, protocol, destination: address, destinationPort: port }).map((way) => ({
          ...way,
          to: destinationText({ address, port, protocol }),
        })),
      ),
    )
}
