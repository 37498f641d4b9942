import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import { indexNodeNames } from '../explain/address-names.js'
import type { Explanation } from '../explain/explain-paths.js'
import { createTracer } from '../trace/trace.js'
import type { TraceContext } from '../trace/trace-context.js'
import type { FamilyReport } from '../verify/report.js'
import { createEndpointGapFinder } from './endpoint-gaps.js'
import { createEndpointOrigins } from './endpoint-origin.js'
import { findLimitations } from './limitation-reasons.js'
import { findLoadFailure } from './load-failure.js'
import type { ExpectedHandling } from './packet-diagnosis-context.js'
import { type CompileArguments, createServiceAlternatives } from './service-alternatives.js'
import { findPodName } from './slice-facts.js'
import { compareNode } from './trial/compared-node.js'

/** The arguments of `createExpectedHandling`. */
export interface DiagnosisArguments {
  readonly explanation: Explanation
  readonly state: NodeState
  readonly result: CompileResult
  readonly family: FamilyResult
  /** The report of the family, if it is known. */
  readonly report: FamilyReport | undefined
  readonly from: CompileArguments | undefined
  readonly traceContext: TraceContext
}

/** Returns the expected handling of a packet. */
export function createExpectedHandling(given: DiagnosisArguments): ExpectedHandling {
  const { result, from, traceContext } = given
  const { packet } = given.explanation
  const { plan, state, healthCheckNodePorts: healthChecks } = given.family
  const { mode } = result
  const compared = compareNode(given.state, result, given.family, given.report)
  const decision = decide(plan, packet)
  const others =
    from && 'servicePort' in decision ? createServiceAlternatives(result, from, decision.servicePort) : undefined
  return {
    plan,
    decision,
    mode,
    version: result.kubernetesVersion,
    healthChecks,
    loadFailure: from && findLoadFailure(result, decision, state, from),
    change: () => others?.changeFor(packet),
    podOf: (service, endpoint) => from && findPodName(from.input, service, endpoint),
    originOf: from ? createEndpointOrigins(from.input) : () => undefined,
    endpointGapOf: (service) => from && createEndpointGapFinder(from.input)(service, plan.family),
    ...createNodeLookups(from, plan.node.name),
    drift: compared.drift,
    compiledPaths: createLazyGetter(() => createTracer(state, traceContext)(packet)),
    rewrittenPaths: createLazyGetter(() => createTracer(compared.rewritten(), traceContext)(packet)),
    limitations: () => findLimitations({ mode, plan }, packet),
    betterModes: () => others?.betterModes(packet) ?? [],
  }
}

/** Returns functions that find other Nodes. */
function createNodeLookups(
  from: CompileArguments | undefined,
  own: string,
): Pick<ExpectedHandling, 'otherNodeWith' | 'hasOtherNodes'> {
  const names = createLazyGetter(() => indexNodeNames(itemsOfArgument('nodes', 'Node', from?.input.nodes ?? [])))
  return {
    otherNodeWith: (address) => {
      const name = names().get(address)
      return name === own ? undefined : name
    },
    hasOtherNodes: () => [...names().values()].some((name) => name !== own),
  }
}
