import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { mapReplacements, type Replacement, replaceItems, replaceSorted } from '../internal/sorted-list.js'
import type { StateCounts, Target } from '../targets/target.js'
import { modeLimitation } from './mode-limitation.js'
import { byPortId, type Lowered, type PortRecord } from './service-record.js'

/** What a mode makes of all service ports of a family. */
export interface LoweredPorts<Lowering, Part> {
  readonly lowering: Lowering
  /** One for each service port. */
  readonly parts: readonly Part[]
  readonly counts: StateCounts
  /** The service ports of which there is something to say: a few of many. */
  readonly notable: readonly PortRecord<Lowering, Part>[]
  /** What took the place of earlier parts, where that is known. */
  readonly changes?:
    | { readonly parts: readonly Part[]; readonly replacements: readonly Replacement<Part>[] }
    | undefined
}

/** Changes to a list of service ports whose parts are known. */
export interface PortChanges<Lowering, Part> {
  readonly before: LoweredPorts<Lowering, Part>
  readonly removed: readonly PortRecord<Lowering, Part>[]
  readonly replacements: readonly Replacement<PortRecord<Lowering, Part>>[]
}

type AnyTarget<Lowering, Part> = Pick<Target<never, Lowering, Part>, 'lowerService' | 'inspectPart' | 'limitationsOf'>

export function lowerPorts<Lowering, Part>(
  target: AnyTarget<Lowering, Part>,
  ports: readonly PortRecord<Lowering, Part>[],
  family: IpFamily,
  lowering: Lowering,
): LoweredPorts<Lowering, Part> {
  const lowered = ports.map((port) => lowerPort(target, port, family, lowering))
  return {
    lowering,
    parts: lowered.map(({ part }) => part),
    counts: lowered.reduce((total, { counts }) => addCounts(total, counts, 1), { chains: 0, rules: 0 }),
    notable: ports.filter(isNotable),
  }
}

/** The same as for the whole list, at the cost of what changed. */
export function lowerChangedPorts<Lowering, Part>(
  target: AnyTarget<Lowering, Part>,
  { before, removed, replacements }: PortChanges<Lowering, Part>,
  family: IpFamily,
): LoweredPorts<Lowering, Part> {
  const { lowering } = before
  const added = replacements.flatMap((replacement) => replacement.added)
  const changed = mapReplacements(replacements, (port) => lowerPort(target, port, family, lowering).part)
  const counts = removed.reduce((total, port) => addCounts(total, port.lowered?.counts, -1), before.counts)
  return {
    lowering,
    parts: replaceItems(before.parts, changed),
    counts: added.reduce((total, port) => addCounts(total, port.lowered?.counts, 1), counts),
    notable: replaceSorted(before.notable, removed.filter(isNotable), added.filter(isNotable), byPortId),
    changes: { parts: before.parts, replacements: changed },
  }
}

/** What there is to say of the service ports. */
export function portDiagnostics({ notable }: LoweredPorts<unknown, unknown>): readonly Diagnostic[] {
  return [
    ...notable.flatMap(({ conflicts }) => conflicts),
    ...notable.flatMap(({ lowered }) => lowered?.limitations ?? []),
  ]
}

function isNotable({ conflicts, lowered }: PortRecord<unknown, unknown>): boolean {
  return conflicts.length > 0 || (lowered?.limitations.length ?? 0) > 0
}

function addCounts(total: StateCounts, counts: StateCounts | undefined, sign: 1 | -1): StateCounts {
  if (counts === undefined) return total
  return { chains: total.chains + sign * counts.chains, rules: total.rules + sign * counts.rules }
}

function lowerPort<Lowering, Part>(
  target: AnyTarget<Lowering, Part>,
  port: PortRecord<Lowering, Part>,
  family: IpFamily,
  lowering: Lowering,
): Lowered<Lowering, Part> {
  if (port.lowered?.lowering === lowering) return port.lowered
  const part = target.lowerService(port.plan, lowering)
  const counts = target.inspectPart(part)
  const found = target.limitationsOf(port.plan, lowering)
  const limitations = found.length === 0 ? NONE : found.map((each) => modeLimitation(port.plan, family, each))
  port.lowered = { lowering, part, counts, limitations }
  return port.lowered
}

const NONE: readonly Diagnostic[] = []
