import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { mapReplacements, type Replacement, replaceItems, replaceSorted } from '../internal/sorted-list.js'
import type { Mode, StateCounts } from '../targets/mode.js'
import { modeLimitation } from './mode-limitation.js'
import { byPortId, type PortPart, type PortRecord } from './service-record.js'

/** What a mode makes of all service ports of a family. */
export interface PortParts {
  readonly lowering: unknown
  /** One for each service port. */
  readonly parts: readonly unknown[]
  readonly counts: StateCounts
  /** The service ports of which there is something to say: a few of many. */
  readonly reporting: readonly PortRecord[]
  /** What took the place of earlier parts, where that is known. */
  readonly changes?:
    | { readonly parts: readonly unknown[]; readonly replacements: readonly Replacement<unknown>[] }
    | undefined
}

/** Changes to a list of service ports whose parts are known. */
export interface PortChanges {
  readonly before: PortParts
  readonly removed: readonly PortRecord[]
  readonly replacements: readonly Replacement<PortRecord>[]
}

export function lowerPorts(mode: Mode, ports: readonly PortRecord[], family: IpFamily, lowering: unknown): PortParts {
  const lowered = ports.map((port) => lowerPort(mode, port, family, lowering))
  return {
    lowering,
    parts: lowered.map(({ part }) => part),
    counts: lowered.reduce((total, { counts }) => addCounts(total, counts, 1), { chains: 0, rules: 0 }),
    reporting: ports.filter(hasSomethingToReport),
  }
}

/** The same as for the whole list, at the cost of what changed. */
export function lowerChangedPorts(
  mode: Mode,
  { before, removed, replacements }: PortChanges,
  family: IpFamily,
): PortParts {
  const { lowering } = before
  const added = replacements.flatMap((replacement) => replacement.added)
  const changed = mapReplacements(replacements, (port) => lowerPort(mode, port, family, lowering).part)
  const counts = removed.reduce((total, port) => addCounts(total, port.lowered?.counts, -1), before.counts)
  return {
    lowering,
    parts: replaceItems(before.parts, changed),
    counts: added.reduce((total, port) => addCounts(total, port.lowered?.counts, 1), counts),
    reporting: replaceSorted(
      before.reporting,
      removed.filter(hasSomethingToReport),
      added.filter(hasSomethingToReport),
      byPortId,
    ),
    changes: { parts: before.parts, replacements: changed },
  }
}

/** What there is to say of the service ports. */
export function portDiagnostics({ reporting }: PortParts): readonly Diagnostic[] {
  return [
    ...reporting.flatMap(({ conflicts }) => conflicts),
    ...reporting.flatMap(({ lowered }) => lowered?.limitations ?? []),
  ]
}

function hasSomethingToReport({ conflicts, lowered }: PortRecord): boolean {
  return conflicts.length > 0 || (lowered?.limitations.length ?? 0) > 0
}

function addCounts(total: StateCounts, counts: StateCounts | undefined, sign: 1 | -1): StateCounts {
  if (counts === undefined) return total
  return { chains: total.chains + sign * counts.chains, rules: total.rules + sign * counts.rules }
}

function lowerPort(mode: Mode, port: PortRecord, family: IpFamily, lowering: unknown): PortPart {
  const known = port.lowered
  if (known !== undefined && known.lowering === lowering) return known
  const part = mode.lowerService(port.plan, lowering)
  const counts = mode.inspectPart(part)
  const found = mode.limitationsOf(port.plan, lowering)
  const limitations = found.length === 0 ? NONE : found.map((each) => modeLimitation(port.plan, family, each))
  port.lowered = { lowering, part, counts, limitations }
  return port.lowered
}

const NONE: readonly Diagnostic[] = []
