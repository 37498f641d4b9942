import {
  checkList,
  checkObject,
  checkOptionalFields,
  checkOptions,
  checkString,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import { checkDump, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type {
  CompileInput,
  CompileResult,
  FamilyResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { formatEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import { chainsWithOwnersOf, jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { PathStep } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IptablesBackend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { objectsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import type { Fields } from '@kube-rules/compiler/internal/model/reading/read-field'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { print } from '@kube-rules/compiler/internal/print/print'
import { belongsToKubeProxy, findExclusiveModes } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { isKubeletChain, isSharedWithKubelet } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { type Diagnostic, type EndpointSlice, formatReference, type Protocol } from '@kube-rules/types'
import { checkExplanation, checkReport } from '../arguments/check-results.js'
import { createExampleSource } from '../explain/example-source.js'
import { createSourceContext } from '../explain/explain.js'
import type { Explanation } from '../explain/explain-paths.js'
import { frontendsOfPlan } from '../explain/frontends-of-plan.js'
import { ORIGINS } from '../explain/reachability.js'
import { checkTraceContext } from '../trace/check-trace-arguments.js'
import { createTracer, type TraceContext, traceContextFor } from '../trace/trace.js'
import { annotateOwners } from '../verify/annotate-owners.js'
import type { VerifyReport } from '../verify/report.js'
import { diagnoseBothBackends } from './both-backends.js'
import type { Diagnosis } from './diagnosis.js'
import { isLoopBackSet } from './hairpin-effect.js'
import { diagnoseNodeFacts } from './node-diagnoses.js'
import type { NodeDiagnosisFacts } from './node-facts.js'
import { diagnosePacketFacts } from './packet-diagnoses.js'
import type { ExpectedHandling, InvalidRule, PacketFacts, RuleWithJump } from './packet-facts.js'
import { type CompileArguments, createServiceAlternatives, type ServiceAlternatives } from './service-alternatives.js'
import { findPodName, readLastEndpointChanges } from './slice-facts.js'

/** Optional facts for diagnoses of a packet, in addition to its explanation. */
export interface DiagnosePacketOptions extends TraceContext {
  /** The compile result. Default: none; then diagnoses use the rules alone. */
  readonly result?: CompileResult | undefined
  /** The inputs of `result`, to compute the behavior of other versions and modes. */
  readonly from?: CompileArguments | undefined
  /** Whether the packet belongs to an existing flow. Default: it is the first packet of its flow. */
  readonly established?: boolean | undefined
}

/**
 * Diagnoses the path of a packet, in four lines per diagnosis, with the decisive reason first. Returns an empty list if
 * there is no problem. `explanation` is the result of `explain` for the packet and `state`, with the plan of the same
 * result.
 */
export function diagnosePacket(
  explanation: Explanation,
  state: NodeState,
  options: DiagnosePacketOptions = {},
): readonly Diagnosis[] {
  checkExplanation('explanation', explanation)
  checkState('state', state)
  checkPacketOptions(options)
  const { result, from, established = false, ...traceContext } = options
  const family = result?.families.find((each) => each.family === state.family)
  const expected = result && family && expectedOf(explanation, result, family, from)
  const facts: PacketFacts = {
    ...explanation,
    expected,
    rulesOf: (step) => rulesOfChain(state, step),
    nextSourceChange: (entry) => nextSourceChange(entry, explanation, state, traceContext),
    missingLoopBack: (...endpoint) => missingLoopBack(state, ...endpoint),
    isKubernetesChain,
  }
  return diagnosePacketFacts(facts, established)
}

function checkPacketOptions(options: DiagnosePacketOptions): void {
  const fields = checkOptions(options)
  checkTraceContext('options', options)
  checkOptionalFields('options', fields, ['established'], 'boolean')
  if (fields.result !== undefined) checkResult('options.result', fields.result)
  if (fields.from !== undefined) {
    const expected = 'the arguments of compile, as an object with input and options'
    checkShape('options.from', fields.from, { input: 'object', options: 'object' }, expected)
  }
}

function expectedOf(
  { packet }: Explanation,
  result: CompileResult,
  { plan, state, healthCheckNodePorts: healthChecks }: FamilyResult,
  from: CompileArguments | undefined,
): ExpectedHandling {
  const decision = decide(plan, packet)
  const others =
    from && 'servicePort' in decision ? createServiceAlternatives(result, from, decision.servicePort) : undefined
  return {
    plan,
    decision,
    mode: result.mode,
    version: result.kubernetesVersion,
    healthChecks,
    loadFailure: from && findLoadFailure(result, decision, state, from),
    change: () => others?.changeFor(packet),
    podOf: (service, endpoint) => from && findPodName(from.input, service, endpoint),
    betterModes: () => others?.betterModes(packet) ?? [],
  }
}

/**
 * Returns the reason why the rules of kube-proxy fail to load: a comment that is too long, or a prefix for an
 * interface.
 */
function findLoadFailure(
  result: CompileResult,
  decision: Decision,
  state: NodeState,
  from: CompileArguments,
): InvalidRule | undefined {
  const found = result.diagnostics.find(isInvalidRuleCode)
  if (found === undefined || decision.kind === 'unmatched') return undefined
  const { namespace = '', name } = found.object
  const isOfService = found.object.kind === 'Service'
  const lines = print(state, { format: 'save' }).split('\n')
  const line = lines.find((each) =>
    isOfService ? tooLongComment(each, `${namespace}/${name}`) : /\biif\b.*\*/.test(each),
  )
  if (line === undefined) return undefined
  const others: ServiceAlternatives = createServiceAlternatives(result, from, { namespace, name })
  const bytes = isOfService ? tooLongComment(line, `${namespace}/${name}`) : undefined
  return {
    object: isOfService ? formatReference(found.object) : found.object.kind,
    service: isOfService ? { namespace, name } : undefined,
    reason:
      bytes === undefined
        ? `its detectLocalMode matches pods by a prefix of the interface name (${/iif (?:!= )?"([^"]*)"/.exec(line)?.[1]}), and nft accepts complete names only`
        : `kube-proxy writes its name and the name of its port into a comment of ${bytes} bytes, and the limit of nft is 128`,
    rule: line.trim(),
    fixedIn: others.firstVersion(({ diagnostics }) => !diagnostics.some(isInvalidRuleCode)),
  }
}

function isInvalidRuleCode({ code, object, message }: Diagnostic): boolean {
  return (
    code === 'modeLimitation' &&
    (object.kind === 'KubeProxyConfiguration' || /\((?:commentTooLong|overlappingSourceRanges)\)$/.test(message))
  )
}

/** Returns the length of a comment about this Service if it exceeds the limit of nft. Names are plain ASCII. */
function tooLongComment(line: string, service: string): number | undefined {
  const [, comment = ''] = /comment "([^"]*)"/.exec(line) ?? []
  return comment.startsWith(service) && comment.length > 128 ? comment.length : undefined
}

function rulesOfChain({ family, iptables }: NodeState, { table: by, chain }: PathStep): readonly RuleWithJump[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  const rules = (table && chainsWithOwnersOf(table).get(chain)) ?? []
  return rules.map(({ rule }) => ({ text: printRule(rule, 'save', family), jumpsTo: jumpTargetOf(rule) ?? '' }))
}

/** Traces the packet through POSTROUTING again, without the given jump. */
function nextSourceChange(
  entry: PathStep,
  { packet }: Explanation,
  state: NodeState,
  traceContext: TraceContext,
): ReturnType<PacketFacts['nextSourceChange']> {
  const { family, iptables } = state
  if (iptables === undefined) return undefined
  const isEntry = (rule: Parameters<typeof printRule>[0]) => printRule(rule, 'save', family) === entry.text
  const tables = iptables.tables.map((table) =>
    table.name === 'nat' ? { ...table, jumps: table.jumps.filter((rule) => !isEntry(rule)) } : table,
  )
  const paths = createTracer({ ...state, iptables: { ...iptables, tables } }, traceContext)(packet)
  for (const { steps } of paths) {
    const behind = steps.filter(({ hook, table }) => hook === 'POSTROUTING' && table === 'iptables nat')
    if (!/^(?:MASQUERADE|SNAT)\b/.test(behind.at(-1)?.target ?? '')) continue
    const jump = behind.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
    if (jump === undefined || jump.jumpsTo === '') continue
    const index = rulesOfChain(state, jump).findIndex(({ text }) => text === jump.text)
    return { chain: jump.jumpsTo, index: index + 1 }
  }
  return undefined
}

/** Returns the missing entry of the endpoint if the node has a loop-back set. */
function missingLoopBack({ ipset }: NodeState, address: string, port: number, protocol: Protocol): string | undefined {
  const set = ipset?.sets.find(({ name }) => isLoopBackSet(name))
  const entry = `${address},${protocol.toLowerCase()}:${port},${address}`
  const isThere = set?.entries.some((each) => formatEntry(each) === entry)
  return set === undefined || isThere ? undefined : `${set.name} ${entry}`
}

function isKubernetesChain(id: string): boolean {
  const chain = id.slice(id.indexOf('/') + 1)
  return belongsToKubeProxy(id) || isKubeletChain(id) || isSharedWithKubelet(chain)
}

/** Optional facts for diagnoses of a node, in addition to its report. */
export interface DiagnoseNodeOptions {
  /** The compile input. EndpointSlices with a change time (an annotation) provide the age of rules. */
  readonly input?: Pick<CompileInput, 'endpointSlices'> | undefined
}

/**
 * Diagnoses a node, in four lines per diagnosis, with problems of all Services first. Returns an empty list if there is
 * no problem. `report` is the result of `verify` for the same result and dump.
 */
export function diagnoseNode(
  desired: CompileResult,
  dump: Dump,
  report: VerifyReport,
  options: DiagnoseNodeOptions = {},
): readonly Diagnosis[] {
  checkResult('desired', desired)
  checkDump('dump', dump)
  checkReport('report', report)
  const input = inputOf(options)
  const { mode } = desired
  const changes = readLastEndpointChanges(input)
  const diagnoses = desired.families.flatMap(({ family, plan, state }) => {
    const { drift = [], caveats = [] } = report.families.find((each) => each.family === family) ?? {}
    // A result for another node or mode gives no information about this node.
    if (drift.length === 0 || caveats.some(({ about }) => about !== 'input')) return []
    const live = annotateOwners(dump[family], state)
    const servicePorts = new Map(plan.services.map((service) => [formatServicePort(service.id), service]))
    const paths = createLazyGetter(() => pathsTo(live, plan))
    return diagnoseNodeFacts({
      mode,
      plan,
      servicePorts,
      live,
      drift,
      changes,
      exclusiveModesOf: findExclusiveModes,
      pathsTo: (service) => paths()(service),
    })
  })
  return withoutRepetition(diagnoses)
}

function checkBackends(backends: unknown): readonly Fields[] {
  const expected = 'a list of backends, each with name, dump and report'
  return checkList('backends', backends, expected).map((each) => checkObject('backends', each, expected))
}

function inputOf(options: DiagnoseNodeOptions): NonNullable<DiagnoseNodeOptions['input']> {
  checkOptions(options)
  const { input = {} } = options
  const { endpointSlices } = checkObject('options.input', input, 'the input of compile')
  if (endpointSlices !== undefined) {
    objectsOfArgument('options.input.endpointSlices', 'EndpointSlice', endpointSlices as Iterable<EndpointSlice>)
  }
  return input
}

/** Removes duplicates, such as diagnoses that are equal in both families. */
function withoutRepetition(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  return [...new Map(diagnoses.map((diagnosis) => [JSON.stringify(diagnosis), diagnosis])).values()]
}

/** The state of one iptables backend, with its `verify` report. */
export interface BackendState {
  /** The name for the user, such as the name of a file. */
  readonly name: string
  /** The backend; absent if unknown. */
  readonly backend?: IptablesBackend | undefined
  /** The dump of this backend. */
  readonly dump: Dump
  /** The result of `verify` for that dump. */
  readonly report: VerifyReport
}

/**
 * Reports, for each family, that both iptables backends contain rules of kube-proxy. Returns an empty list if only one
 * of them does.
 */
export function diagnoseBackends(
  desired: CompileResult,
  backends: readonly BackendState[],
  options: DiagnoseNodeOptions = {},
): readonly Diagnosis[] {
  checkResult('desired', desired)
  for (const { name, dump, report } of checkBackends(backends)) {
    checkString('backends', name, 'the name of a backend')
    checkDump('backends', dump)
    checkReport('backends', report)
  }
  const input = inputOf(options)
  const changes = readLastEndpointChanges(input)
  const diagnoses = desired.families.flatMap(({ family, plan }) => {
    const states = backends.flatMap(({ name, backend, dump, report }) => {
      const found = report.families.find((each) => each.family === family)
      return found === undefined ? [] : [{ name, backend, live: dump[family], report: found }]
    })
    return diagnoseBothBackends(states, plan, changes) ?? []
  })
  return withoutRepetition(diagnoses)
}

/** Returns a function that traces packets to a service port from a pod, from the node and from outside. */
function pathsTo(live: NodeState, plan: Plan): NodeDiagnosisFacts['pathsTo'] {
  const traceContext = traceContextFor(plan)
  const facts = createSourceContext(live, traceContext, plan)
  const trace = createTracer(live, traceContext)
  const sources = ORIGINS.flatMap((origin) => createExampleSource(origin, facts) ?? [])
  return (service) =>
    frontendsOfPlan({ ...plan, services: [service] }).flatMap(({ protocol, address, port }) =>
      sources.flatMap((source) =>
        trace({ ...source, protocol, destination: address, destinationPort: port }).map((path) => ({
          ...path,
          to: formatDestination({ address, port, protocol }),
        })),
      ),
    )
}
