import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { findExclusiveModes } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { createExampleSource } from '../explain/example-source.js'
import { createSourceContext } from '../explain/explain.js'
import { frontendsOfPlan } from '../explain/frontends-of-plan.js'
import { ORIGINS } from '../explain/reachability.js'
import { createTracer } from '../trace/trace.js'
import { traceContextFor } from '../trace/trace-context.js'
import { annotateOwners } from '../verify/annotate-owners.js'
import type { DriftGroup } from '../verify/report.js'
import { verify } from '../verify/verify.js'
import type { Diagnosis } from './diagnosis.js'
import { diagnoseEmptiedTable } from './emptied-table.js'
import { diagnoseIpvsServers } from './ipvs/real-servers.js'
import type { LastEndpointChanges } from './last-changes.js'
import { diagnoseLeftovers } from './leftovers.js'
import { diagnoseMissingJumps } from './missing-jumps.js'
import type { NodeDiagnosisContext } from './node-diagnosis-context.js'
import { diagnoseStaleRules } from './stale-rules.js'
import type { Examination } from './trial/try-node-steps.js'
import { diagnoseUndeclaredChain } from './undeclared-chain.js'

/** The expected state of one family of a node. */
export interface ExpectedNode {
  readonly mode: ProxyMode
  readonly compiled: FamilyResult
  readonly changes: LastEndpointChanges
}

/** Diagnoses one family of a node. `live` is its state, annotated with owners. The steps are not tried yet. */
export function diagnoseState(
  live: NodeState,
  drift: readonly DriftGroup[],
  { mode, compiled: { plan }, changes }: ExpectedNode,
): readonly Diagnosis[] {
  const paths = createLazyGetter(() => pathsTo(live, plan))
  return diagnoseNodeFacts({
    mode,
    plan,
    servicePorts: new Map(plan.services.map((service) => [formatServicePort(service.id), service])),
    live,
    drift,
    changes,
    exclusiveModesOf: findExclusiveModes,
    pathsTo: (service) => paths()(service),
  })
}

/** Verifies and diagnoses a changed state of one family. */
export function examineState(live: NodeState, desired: CompileResult, expected: ExpectedNode): Examination {
  const { compiled } = expected
  const dump = { IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' }, [live.family]: live } as const
  const drift = verify({ ...desired, families: [compiled] }, dump).families.flatMap((each) => each.drift)
  return {
    diagnoses: diagnoseState(annotateOwners(live, compiled.state), drift, expected),
    differences: drift.reduce((sum, group) => sum + group.drift.length, 0),
  }
}

/** Returns a function that traces packets to a service port from a pod, from the node and from outside. */
function pathsTo(live: NodeState, plan: Plan): NodeDiagnosisContext['pathsTo'] {
  const traceContext = traceContextFor(plan)
  const facts = createSourceContext(live, traceContext, plan)
  const trace = createTracer(live, traceContext)
  const sources = ORIGINS.flatMap((origin) => createExampleSource(origin, facts) ?? [])
  return (service) => {
    const ofService = { ...plan, services: [service] }
    return frontendsOfPlan(ofService).flatMap(({ protocol, address, port }) =>
      sources.flatMap((source) => {
        const packet = { ...source, protocol, destination: address, destinationPort: port }
        const isAccepted = decide(ofService, packet).kind === 'endpoints'
        const to = formatDestination({ address, port, protocol })
        return trace(packet).map((path) => ({ ...path, to, isAccepted }))
      }),
    )
  }
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
