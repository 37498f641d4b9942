import type { IpFamily } from '@kube-rules/types'
import { replaceSorted } from '../internal/sorted-list.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { CompileContext, ContextWithOrigin } from './compile-context.js'
import type { FamilySession } from './family-session.js'
import { forkFamily, forkPorts, type LoweredPorts, portsWith, rebasePorts } from './fork-family.js'
import { byGroupKey, type PortRecord, type ServiceRecord, serviceRecords } from './service-record.js'
import { recordAt, replaceReporting, type Session, type SessionResult } from './session.js'

/**
 * What is known of a cluster on one node, as what is otherwise than on another node (`base`): sessions hold many long
 * lists.
 */
export interface Fork extends ContextWithOrigin {
  readonly base: Session
  /** Of every Service that may be otherwise, in code-unit order of `namespace/name`. */
  readonly records: readonly ForkedRecord[]
  /** What is lowered otherwise in each of the families. */
  readonly own: readonly LoweredPorts[]
}

/** A record and that of the same objects on the other node, which may be the same. */
interface ForkedRecord {
  readonly like: ServiceRecord
  readonly record: ServiceRecord
}

/**
 * The fork for another node than that of `base`, where Services with these `keys` may come to something else: at their
 * cost. What an `earlier` one of the same node has made of the identical objects is taken from there.
 */
export function fork(base: Session, found: ContextWithOrigin, keys: readonly string[], earlier?: Fork): Fork {
  const { context, origin } = found
  const known = earlier !== undefined && earlier.context === context ? earlier : undefined
  const records = recordsOf(base, context, keys, known)
  const own = base.families.map((family, index) => {
    const node = context.families[index] ?? family.node
    return forkPorts(family, node, portsOf(records, node.family), known?.own[index])
  })
  return { base, context, origin, records, own }
}

/** The same from a later session of the other node, in which none of the records has changed. */
export function rebase(earlier: Fork, base: Session): Fork {
  const { context, records } = earlier
  const own = base.families.map((family, index) => {
    const [from, known] = [earlier.base.families[index], earlier.own[index]]
    const node = context.families[index] ?? family.node
    const same = from && known && rebasePorts(from, family, node, known)
    return same ?? forkPorts(family, node, portsOf(records, node.family), known)
  })
  return { ...earlier, base, own }
}

/** What can be seen of the session a fork stands for. */
export function forkedResult({ base, context, records, own }: Fork): SessionResult {
  const families = base.families.map((family, index) => {
    const node = context.families[index] ?? family.node
    return forkFamily(family, node, own[index] as LoweredPorts, healthChecksOf(family, records))
  })
  return { context, diagnostics: base.diagnostics, families }
}

/** The session a fork stands for. */
export function sessionOfFork({ base, context, origin, records, own }: Fork): Session {
  const [before, after] = [records.map(({ like }) => like), records.map(({ record }) => record)]
  const families = base.families.map((family, index) => {
    const [node, ports] = [context.families[index] ?? family.node, own[index] as LoweredPorts]
    return { ...forkFamily(family, node, ports, healthChecksOf(family, records)), ...portsWith(family, ports) }
  })
  return {
    ...{ context, origin, families, lists: base.lists, objects: base.objects, diagnostics: base.diagnostics },
    records: replaceSorted(base.records, before, after, byGroupKey),
    reporting: replaceReporting(base.reporting, before, after),
  }
}

/** The health checks of the other node with those of this one in the places of those of the same Services. */
function healthChecksOf(
  { result: { family, healthCheckNodePorts } }: FamilySession,
  records: readonly ForkedRecord[],
): readonly HealthCheckNodePort[] {
  const own = records.flatMap(({ like, record }) => {
    const [before, after] = [like.families[family]?.healthCheck, record.families[family]?.healthCheck]
    return after === undefined || after === before ? [] : [after]
  })
  if (own.length === 0) return healthCheckNodePorts
  const list = healthCheckNodePorts.slice()
  for (const each of own) {
    list[list.findIndex(({ namespace, name }) => namespace === each.namespace && name === each.name)] = each
  }
  return list
}

function recordsOf(
  base: Session,
  context: CompileContext,
  keys: readonly string[],
  earlier: Fork | undefined,
): readonly ForkedRecord[] {
  const known = new Map(earlier?.records.map(({ record }) => [record.group.key, record]))
  const recordOf = serviceRecords(context)
  return keys.flatMap((key) => {
    const [like, before] = [recordAt(base, key), known.get(key)]
    if (like === undefined) return []
    return [{ like, record: before?.group === like.group ? before : recordOf(like.group, before, like) }]
  })
}

/** The service ports that are not the same on both nodes; those of one Service are at the same places. */
function portsOf(records: readonly ForkedRecord[], family: IpFamily): readonly PortRecord[] {
  return records.flatMap(({ like, record }) => {
    const others = like.families[family]?.ports
    return record.families[family]?.ports.filter((port, index) => port !== others?.[index]) ?? []
  })
}
