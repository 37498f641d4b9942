import type { IpFamily } from '@kube-rules/types'
import { replaceSorted } from '../internal/sorted-list.js'
import type { CompileContext, ContextWithOrigin } from './compile-context.js'
import { forkFamily, forkPorts, type LoweredPorts } from './family-session.js'
import { byGroupKey, type PortRecord, type ServiceRecord, serviceRecords } from './service-record.js'
import { healthChecksOf, recordAt, replaceReporting, type Session } from './session.js'

/**
 * What is known of a cluster on one node, as what is otherwise than on another node (`base`): sessions hold many long
 * lists.
 */
export interface Fork extends ContextWithOrigin {
  readonly base: Session
  /** Of every Service that may be otherwise, in code-unit order of `namespace/name`. */
  readonly records: readonly ServiceRecord[]
  /** What is lowered otherwise in each of the families. */
  readonly own: readonly LoweredPorts[]
}

/**
 * The fork for another node than that of `base`, where Services with these `keys` may come to something else: at their
 * cost. What an `earlier` one of the same node has made of the identical objects is taken from there.
 */
export function fork(base: Session, found: ContextWithOrigin, keys: readonly string[], earlier?: Fork): Fork {
  const { context, origin } = found
  const known = earlier !== undefined && earlier.context === context ? earlier : undefined
  const records = recordsOf(base, context, keys, known)
  const differing = differingRecords(base, records)
  const own = base.families.map((family, index) => {
    const node = context.families[index] ?? family.node
    return forkPorts(family, node, portsOf(differing, node.family), known?.own[index])
  })
  return { base, context, origin, records, own }
}

/** The session a fork stands for. */
export function sessionOfFork({ base, context, origin, records, own }: Fork): Session {
  const differing = differingRecords(base, records)
  const [removed, added] = [differing.map(({ like }) => like), differing.map(({ record }) => record)]
  const reporting = replaceReporting(base.reporting, removed, added)
  const families = base.families.map((family, index) => {
    const node = context.families[index] ?? family.node
    return forkFamily(family, node, own[index] as LoweredPorts, healthChecksOf(reporting, node.family))
  })
  const { lists, objects } = base
  return {
    context,
    origin,
    lists,
    objects,
    records: replaceSorted(base.records, removed, added, byGroupKey),
    reporting,
    families,
  }
}

function recordsOf(
  base: Session,
  context: CompileContext,
  keys: readonly string[],
  earlier: Fork | undefined,
): readonly ServiceRecord[] {
  const known = new Map(earlier?.records.map((record) => [record.group.key, record]))
  const recordOf = serviceRecords(context)
  return keys.flatMap((key) => {
    const [like, before] = [recordAt(base, key), known.get(key)]
    if (like === undefined) return []
    return before?.group === like.group ? before : recordOf(like.group, before, like)
  })
}

/** A record and that of the same objects on the other node. */
interface DifferingRecord {
  readonly like: ServiceRecord
  readonly record: ServiceRecord
}

function differingRecords(base: Session, records: readonly ServiceRecord[]): readonly DifferingRecord[] {
  return records.flatMap((record) => {
    const like = recordAt(base, record.group.key)
    return like === undefined || like === record ? [] : [{ like, record }]
  })
}

/** The service ports that are not the same on both nodes; those of one Service are at the same places. */
function portsOf(records: readonly DifferingRecord[], family: IpFamily): readonly PortRecord[] {
  return records.flatMap(({ like, record }) => {
    const others = like.families[family]?.ports
    return record.families[family]?.ports.filter((port, index) => port !== others?.[index]) ?? []
  })
}
