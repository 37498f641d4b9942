import { type Explanation, explain, traceAllFrontends, type VerifyReport } from '@kube-rules/analyzer'
import {
  annotateOwners,
  createExampleSource,
  createSourceContext,
  type Diagnosis,
  type DiagnosisCode,
  diagnosePacket,
  listFrontends,
  type TracedFrontend,
  traceContextFor,
} from '@kube-rules/analyzer/explain'
import type { CompileResult, Dump } from '@kube-rules/compiler'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatCount } from '../messages/lines.js'

/** The packets to Services that have another outcome than the objects define, although there is no drift. */
export interface LostPackets {
  /** One diagnosis for each rule or setting that decides about packets. */
  readonly diagnoses: readonly Diagnosis[]
  /** Notes without a `note: ` prefix: packets without a diagnosis, and frontends that were not traced. */
  readonly notes: readonly string[]
}

/** The maximum number of frontends that are traced in one family. */
const MAX_FRONTENDS = 2000

/**
 * Traces packets from a pod, from the node and from outside to every frontend of a node without drift, and diagnoses
 * packets with another outcome than the objects define: a rule of another program or a setting of the node decides
 * about them, or the chains of two service ports have one name. Looks only at families without drift, because drift is
 * diagnosed first.
 */
export function findLostPackets(result: CompileResult, dump: Dump, report: VerifyReport): LostPackets {
  if (report.verdict === 'notVerified') return { diagnoses: [], notes: [] }
  const lost = result.families.flatMap((compiled) => {
    const familyReport = report.families.find(({ family }) => family === compiled.family)
    if (familyReport === undefined || familyReport.drift.length > 0 || familyReport.caveats.length > 0) return []
    return lostInFamily(result, compiled, dump)
  })
  return { diagnoses: groupByRule(lost.flatMap((each) => each.diagnosed)), notes: lost.flatMap((each) => each.notes) }
}

interface DiagnosedFrontend {
  readonly frontend: TracedFrontend
  readonly diagnosis: Diagnosis
}

interface LostInFamily {
  readonly diagnosed: readonly DiagnosedFrontend[]
  readonly notes: readonly string[]
}

function lostInFamily(
  result: CompileResult,
  { family, plan: wholePlan, state: compiled }: CompileResult['families'][number],
  dump: Dump,
): LostInFamily {
  const state = annotateOwners(dump[family], compiled)
  const traceContext = traceContextFor(wholePlan)
  const all = listFrontends(state, { plan: wholePlan, ...traceContext })
  const plan = { ...wholePlan, services: firstServices(wholePlan.services) }
  const rows = traceAllFrontends(state, { plan, compiled, ...traceContext })
  const facts = createSourceContext(state, traceContext, wholePlan)
  const sharesChains = result.diagnostics.some(({ code }) => code === 'structure')
  const lost = rows.flatMap(({ frontend, reason = {} }) =>
    Object.entries(reason).flatMap(([origin, { divergence }]) => {
      const isLost = divergence === 'drift' || (sharesChains && divergence === 'modeLimitation')
      const source = isLost ? createExampleSource(origin as keyof typeof reason, facts) : undefined
      if (source === undefined) return []
      const { protocol, address: destination, port: destinationPort } = frontend
      const packet = { ...source, protocol, destination, destinationPort }
      return { frontend, explanation: explain(state, packet, { plan: wholePlan, compiled, ...traceContext }) }
    }),
  )
  const groups = groupByDecidingRules(lost)
  const tried = groups.map((group, index) => ({
    frontends: group.map(({ frontend }) => frontend),
    diagnoses: group
      .slice(0, index < MAX_RULES ? 1 : 0)
      .flatMap(({ explanation }) => diagnosePacket(explanation, state, { result, ...traceContext })),
  }))
  const unknown = new Set(
    tried.flatMap(({ frontends, diagnoses }) => (diagnoses.length === 0 ? frontends.map(formatDestination) : [])),
  )
  return {
    diagnosed: tried.flatMap(({ frontends, diagnoses }) =>
      diagnoses
        .filter(({ code }) => !ARRIVING.has(code))
        .flatMap((diagnosis) => frontends.map((frontend) => ({ frontend, diagnosis }))),
    ),
    notes: [
      ...notesOn(unknown),
      ...(rows.length === all.length
        ? []
        : [`only packets to ${rows.length} of ${formatCount(all.length, 'frontend')} were traced`]),
    ],
  }
}

interface LostPacket {
  readonly frontend: TracedFrontend
  readonly explanation: Explanation
}

/**
 * The maximum number of rules that are diagnosed in one family, because a diagnosis verifies the node again. Notes list
 * the packets of further rules, as they list packets without a diagnosis.
 */
const MAX_RULES = 20

/** Groups packets by the last rules on their paths. One diagnosis explains all packets of a group. */
function groupByDecidingRules(packets: readonly LostPacket[]): readonly (readonly LostPacket[])[] {
  const groups = new Map<string, LostPacket[]>()
  for (const packet of packets) {
    const rules = decidingRulesOf(packet)
    const group = groups.get(rules)
    if (group === undefined) groups.set(rules, [packet])
    else group.push(packet)
  }
  return [...groups.values()]
}

/** Returns the last rule on each path of a packet, as text. */
function decidingRulesOf({ explanation }: LostPacket): string {
  const ends = explanation.paths.map(({ outcome, steps }) => {
    const last = steps.at(-1)
    return [outcome.kind, last?.table, last?.chain, last?.text].join(' ')
  })
  return ends.join('\n')
}

/** Returns notes about packets without a diagnosis. */
function notesOn(destinations: ReadonlySet<string>): readonly string[] {
  const notes = Array.from(
    destinations,
    (to) =>
      `packets to ${to} have another outcome than the objects define; to see it, run kube-rules explain ${to.toLowerCase()} with the same objects and --dump`,
  )
  const more = notes.length - MAX_NOTES
  return more <= 0
    ? notes
    : [
        ...notes.slice(0, MAX_NOTES),
        `packets to ${formatCount(more, 'more frontend')} have another outcome than the objects define`,
      ]
}

/** Diagnoses of packets that are not lost: they arrive, although not as kube-proxy intends, or the mode limits them. */
const ARRIVING: ReadonlySet<DiagnosisCode> = new Set<DiagnosisCode>([
  'servedByNeighbor',
  'sourceTakenFirst',
  'limitedByMode',
])

/** The maximum number of notes about single frontends. */
const MAX_NOTES = 10

/** Returns the first services, so that their frontends do not exceed the maximum. */
function firstServices<Service extends { readonly frontends: readonly unknown[] }>(
  services: readonly Service[],
): readonly Service[] {
  let count = 0
  const end = services.findIndex(({ frontends }) => {
    count += frontends.length
    return count > MAX_FRONTENDS
  })
  return end < 0 ? services : services.slice(0, end)
}

/**
 * Keeps the first diagnosis of each rule, or of each Service that shares chains, with the number of other frontends that
 * it decides about.
 */
function groupByRule(diagnosed: readonly DiagnosedFrontend[]): readonly Diagnosis[] {
  const groups = new Map<string, { readonly diagnosis: Diagnosis; readonly frontends: Set<string> }>()
  for (const { diagnosis, frontend } of diagnosed) {
    const { code, object, ruleStatus, rule } = diagnosis
    const key = code === 'sharedChain' ? object : `${code} ${ruleStatus} ${rule}`
    const group = groups.get(key) ?? { diagnosis, frontends: new Set() }
    group.frontends.add(formatDestination(frontend))
    groups.set(key, group)
  }
  return Array.from(groups.values(), ({ diagnosis, frontends: { size } }) =>
    size === 1
      ? diagnosis
      : {
          ...diagnosis,
          cause: `${diagnosis.cause}; the same applies to packets to ${formatCount(size - 1, 'other frontend')}`,
        },
  )
}

/** Returns `10.96.0.1:80/TCP`. */
function formatDestination({ address, port, protocol }: TracedFrontend): string {
  return `${joinHostPort(address, port)}/${protocol}`
}
