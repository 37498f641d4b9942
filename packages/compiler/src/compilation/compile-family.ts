import type { Diagnostic } from '@kube-rules/types'
import type { FamilyResult } from '../compile.js'
import { sameValue } from '../diff/resource.js'
import { findAddressConflicts } from '../model/conflicts.js'
import type { HealthCheckNodePort } from '../model/health-checks.js'
import type { NodeOfFamily } from '../model/resolve-node.js'
import { planFrame } from '../plan/build-plan.js'
import type { PlanFrame } from '../plan/plan.js'
import type { StateCounts, Target } from '../targets/target.js'
import { modeLimitations } from './mode-limitations.js'
import type { Lowered, PortRecord } from './service-record.js'

/** What one family comes to. */
export interface FamilyCompilation<State, Lowering, Part> {
  /** In the plan's order. */
  readonly ports: readonly PortRecord<Lowering, Part>[]
  readonly lowering: Lowering
  readonly addressConflicts: readonly Diagnostic[]
  readonly diagnostics: readonly Diagnostic[]
  readonly result: FamilyResult<State>
}

/** Takes from `previous` what is the same: all of it where the service ports are the identical list. */
export function compileFamily<State, Lowering, Part>(
  target: Target<State, Lowering, Part>,
  { family, node, settings }: NodeOfFamily,
  ports: readonly PortRecord<Lowering, Part>[],
  healthCheckNodePorts: readonly HealthCheckNodePort[],
  previous: FamilyCompilation<State, Lowering, Part> | undefined,
): FamilyCompilation<State, Lowering, Part> {
  const services = ports.map(({ plan }) => plan)
  const frame = planFrame(family, { node, settings }, services)
  const lowering = kept(target.lowering(frame, settings), previous?.lowering)
  const lowered = lowerPorts(target, ports, frame, lowering)
  const state = target.assemble(lowered.parts, frame, settings, previous?.result.state)
  const inspection = target.inspectState(state)
  const addressConflicts = addressConflictsOf(ports, previous)
  return {
    ports,
    lowering,
    addressConflicts,
    diagnostics: [...addressConflicts, ...inspection.diagnostics, ...lowered.diagnostics],
    result: {
      family,
      plan: { ...frame, services },
      state,
      healthCheckNodePorts: kept(healthCheckNodePorts, previous?.result.healthCheckNodePorts),
      counts: {
        servicePorts: ports.length,
        endpoints: frame.endpointCount,
        chains: lowered.chains + inspection.counts.chains,
        rules: lowered.rules + inspection.counts.rules,
      },
    },
  }
}

interface LoweredPorts<Part> extends StateCounts {
  readonly parts: readonly Part[]
  readonly diagnostics: readonly Diagnostic[]
}

/** One pass over all service ports: most of them have been lowered before and have nothing to report. */
function lowerPorts<State, Lowering, Part>(
  target: Target<State, Lowering, Part>,
  ports: readonly PortRecord<Lowering, Part>[],
  frame: PlanFrame,
  lowering: Lowering,
): LoweredPorts<Part> {
  const parts: Part[] = []
  const diagnostics: Diagnostic[] = []
  let chains = 0
  let rules = 0
  for (const port of ports) {
    const { part, counts, limitations } = lowerPort(target, port, frame, lowering)
    parts.push(part)
    chains += counts.chains
    rules += counts.rules
    if (port.conflicts.length > 0) diagnostics.push(...port.conflicts)
    if (limitations.length > 0) diagnostics.push(...limitations)
  }
  return { parts, diagnostics, chains, rules }
}

/** The value before, where the two are equal: then what was made with it is still good. */
function kept<T>(value: T, before: T | undefined): T {
  return before !== undefined && sameValue(value, before) ? before : value
}

function lowerPort<State, Lowering, Part>(
  target: Target<State, Lowering, Part>,
  port: PortRecord<Lowering, Part>,
  frame: PlanFrame,
  lowering: Lowering,
): Lowered<Lowering, Part> {
  if (port.lowered?.lowering === lowering) return port.lowered
  const part = target.lowerService(port.plan, lowering)
  const counts = target.inspectPart(part)
  const limitations = modeLimitations(target.limitationsOf, port.plan, frame)
  port.lowered = { lowering, part, counts, limitations }
  return port.lowered
}

/** Looks at all claims only where some of them are others than before. */
function addressConflictsOf<State, Lowering, Part>(
  ports: readonly PortRecord<Lowering, Part>[],
  previous: FamilyCompilation<State, Lowering, Part> | undefined,
): readonly Diagnostic[] {
  if (previous !== undefined && sameClaims(ports, previous.ports)) return previous.addressConflicts
  return findAddressConflicts(ports.map(({ claims }) => claims))
}

function sameClaims(
  ports: readonly PortRecord<unknown, unknown>[],
  before: readonly PortRecord<unknown, unknown>[],
): boolean {
  return (
    ports.length === before.length &&
    ports.every((port, index) => port === before[index] || sameValue(port.claims, before[index]?.claims))
  )
}
