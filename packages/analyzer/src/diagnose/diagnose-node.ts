import {
  checkList,
  checkObject,
  checkOptions,
  checkString,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkDump } from '@kube-rules/compiler/internal/arguments/check-state'
import type { CompileInput, CompileResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IptablesBackend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import type { Fields } from '@kube-rules/compiler/internal/model/reading/read-field'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { findExclusiveModes } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import type { EndpointSlice } from '@kube-rules/types'
import { checkReport } from '../arguments/check-results.js'
import { createExampleSource } from '../explain/example-source.js'
import { createSourceContext } from '../explain/explain.js'
import { frontendsOfPlan } from '../explain/frontends-of-plan.js'
import { ORIGINS } from '../explain/reachability.js'
import { createTracer } from '../trace/trace.js'
import { traceContextFor } from '../trace/trace-context.js'
import { annotateOwners } from '../verify/annotate-owners.js'
import type { VerifyReport } from '../verify/report.js'
import { diagnoseBothBackends } from './both-backends.js'
import type { Diagnosis } from './diagnosis.js'
import { diagnoseEmptiedTable } from './emptied-table.js'
import { diagnoseIpvsServers } from './ipvs/real-servers.js'
import { diagnoseLeftovers } from './leftovers.js'
import { diagnoseMissingJumps } from './missing-jumps.js'
import type { NodeDiagnosisContext } from './node-diagnosis-context.js'
import { readLastEndpointChanges } from './slice-facts.js'
import { diagnoseStaleRules } from './stale-rules.js'
import { diagnoseUndeclaredChain } from './undeclared-chain.js'

/** Optional facts for diagnoses of a node, in addition to its report. */
export interface DiagnoseNodeOptions {
  /** The compile input. EndpointSlices with a change time (an annotation) provide the age of rules. */
  readonly input?: Pick<CompileInput, 'endpointSlices'> | undefined
}

/**
 * Diagnoses a node, in four lines per diagnosis. Problems that affect all Services come first. Returns an empty list if
 * there is no problem. `report` is the result of `verify` for the same result and dump.
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
  checkOptions<DiagnoseNodeOptions>(options, { input: 'other' })
  const { input = {} } = options
  const { endpointSlices } = checkObject('options.input', input, 'the input of compile')
  if (endpointSlices !== undefined) {
    itemsOfArgument('options.input.endpointSlices', 'EndpointSlice', endpointSlices as Iterable<EndpointSlice>)
  }
  return input
}

/** Removes duplicates, such as diagnoses that are identical in both families. */
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
 * Reports, for each family, that both iptables backends contain kube-proxy rules. Returns an empty list if only one
 * backend contains kube-proxy rules.
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
      const familyReport = report.families.find((each) => each.family === family)
      return familyReport === undefined ? [] : [{ name, backend, live: dump[family], report: familyReport }]
    })
    return diagnoseBothBackends(states, plan, changes) ?? []
  })
  return withoutRepetition(diagnoses)
}

/** Returns a function that traces packets to a service port from a pod, from the node and from outside. */
function pathsTo(live: NodeState, plan: Plan): NodeDiagnosisContext['pathsTo'] {
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

/**
 * Diagnoses a node. Problems that affect all Services come first. An undeclared chain or an emptied nat table is
 * reported alone, because it makes all further problems irrelevant.
 */
function diagnoseNodeFacts(facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const alone = diagnoseUndeclaredChain(facts) ?? diagnoseEmptiedTable(facts)
  if (alone !== undefined) return [alone]
  return [
    ...diagnoseMissingJumps(facts),
    ...[diagnoseLeftovers(facts)].flatMap((diagnosis) => diagnosis ?? []),
    ...diagnoseStaleRules(facts),
    ...diagnoseIpvsServers(facts),
  ]
}
