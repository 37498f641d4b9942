import { iptablesToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IptablesBackend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { FamilyReport } from '../verify/report.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { formatAge, type LastEndpointChanges, toUnixSeconds } from './last-changes.js'
import { parseDriftEffect, userDefinedChainsOf } from './node-diagnosis-context.js'
import { formatService, prefixWithNode } from './packet-diagnosis-context.js'
import { formatRootHint } from './remedies.js'

/** The state of one iptables backend in one family, with its report. */
export interface BackendReport {
  /** The name for the user. */
  readonly name: string
  /** The backend itself; absent if unknown. */
  readonly backend?: IptablesBackend | undefined
  readonly live: NodeState
  readonly report: FamilyReport
}

/**
 * Reports that both iptables backends contain kube-proxy rules. The backend that matches the plan better is assumed to
 * be in use.
 */
export function diagnoseBothBackends(
  backEnds: readonly BackendReport[],
  plan: Plan,
  changes: LastEndpointChanges,
): Diagnosis | undefined {
  const [best, worst] = backEnds.filter(({ live }) => holdsServices(live)).sort(byDrift)
  if (best === undefined || worst === undefined) return undefined
  const { services } = plan
  const names = backEnds.map(({ name }) => name)
  const group = worst.report.drift.find(({ servicePort }) => servicePort !== '')
  const service = services.find(({ id }) => group === undefined || formatServicePort(id) === group.servicePort)
  const place = group?.drift.find(({ kind }) => kind === 'extra')?.location ?? group?.drift[0]?.location
  const object = service && formatService(service.id)
  const differs = place !== undefined
  if (object === undefined) return undefined
  const ids = services.map(({ id }) => id)
  const lacked = lackedChange(worst, ids, changes)
  const age = lacked && ageBetween(lacked.time, newestChange(best, ids, changes))
  const fit = isFit(best)
    ? `the rules in ${best.name} match the objects`
    : `the rules in ${best.name} are closer to the objects`
  const since = lacked === undefined ? '' : `, changed at ${lacked.time}`
  return {
    code: 'bothBackends',
    summary: prefixWithNode(
      plan,
      `two sets of kube-proxy rules apply to each packet: those in ${names.join(' and those in ')}${age === undefined ? '' : `; the rules in ${worst.name} are at least ${age} older`}`,
    ),
    cause: `iptables stores its rules in one of two places, called legacy and nft, and kube-proxy updates only one of them; ${fit}; the rules in ${worst.name} ${formatDifference(worst)} (${object}${differs ? `${since}), so connections may go to wrong endpoints` : ', for example)'}`,
    steps: removeSteps(worst, plan),
    object,
    rule: place ?? 'nat/KUBE-SERVICES',
    ruleStatus: differs ? 'different' : 'in both',
  }
}

/** Steps that remove all chains and rules with kube-proxy names from a backend, and nothing else. */
function removeSteps({ name, backend }: BackendReport, plan: Plan): readonly DiagnosisStep[] {
  const tool = iptablesToolOf(plan.family)
  const remove = (each: IptablesBackend, text: string): readonly DiagnosisStep[] => {
    const backup = `${tool}-${each}.backup`
    const other = each === 'legacy' ? 'nft' : 'legacy'
    return [
      { text: `${text}, ${formatRootHint(plan)}`, command: `${tool}-${each}-save > ${backup}` },
      {
        text: 'Restore the saved rules, except the rules of kube-proxy',
        command: `grep -v KUBE- ${backup} | ${tool}-${each}-restore`,
        impact: `rules of other programs stay, and Services use the rules in ${other}; to undo it: ${tool}-${each}-restore < ${backup}`,
      },
    ]
  }
  const check = {
    text: 'To check, repeat this kube-rules command with new dumps (kube-rules collect prints the commands): only one may contain rules of kube-proxy; then check the other nodes',
  }
  if (backend !== undefined)
    return [...remove(backend, `Save the rules of ${tool}-${backend}, which ${name} shows`), check]
  return [
    { text: `Find out whether ${tool}-legacy-save or ${tool}-nft-save prints the rules of ${name}` },
    ...remove('legacy', `If it is ${tool}-legacy-save, save these rules`),
    ...remove('nft', `If it is ${tool}-nft-save, save these rules`),
    check,
  ]
}

function holdsServices({ iptables }: NodeState): boolean {
  return (
    iptables?.tables.some((table) => table.name === 'nat' && userDefinedChainsOf(table).includes('KUBE-SERVICES')) ??
    false
  )
}

function byDrift(a: BackendReport, b: BackendReport): number {
  return countOf(a) - countOf(b)
}

function countOf({ report }: BackendReport): number {
  return report.drift.reduce((sum, { drift }) => sum + drift.length, 0)
}

function isFit({ report }: BackendReport): boolean {
  return report.drift.length === 0
}

function formatDifference({ report }: BackendReport): string {
  const ports = report.drift.filter(({ servicePort }) => servicePort !== '').length
  return ports === 0
    ? 'are the same today'
    : `are out of date for ${ports === 1 ? '1 service port' : `${ports} service ports`}`
}

interface Change {
  readonly object: string
  readonly time: string
}

/**
 * Returns the first endpoint change that the rules of a backend do not reflect. The search covers service ports with
 * DNAT destinations that deviate from the plan.
 */
function lackedChange(
  { report }: BackendReport,
  ids: readonly ServicePortId[],
  changes: LastEndpointChanges,
): Change | undefined {
  const elsewhere = report.drift.filter(({ drift }) =>
    drift.some((each) => (parseDriftEffect(each, each.expected ?? each.found)?.sendsTo.length ?? 0) > 0),
  )
  const labels = new Set(elsewhere.map(({ servicePort }) => servicePort))
  return changesOf(
    ids.filter((id) => labels.has(formatServicePort(id))),
    changes,
  )[0]
}

/** Returns the latest endpoint change among the Services without drift in a backend. */
function newestChange(
  { report }: BackendReport,
  ids: readonly ServicePortId[],
  changes: LastEndpointChanges,
): Change | undefined {
  const drifting = new Set(report.drift.map(({ servicePort }) => servicePort))
  return changesOf(
    ids.filter((id) => !drifting.has(formatServicePort(id))),
    changes,
  ).at(-1)
}

/** Returns the changes in chronological order. */
function changesOf(ids: readonly ServicePortId[], changes: LastEndpointChanges): readonly Change[] {
  const changed = ids.flatMap((id): readonly Change[] => {
    const time = changes.get(`${id.namespace}/${id.name}`)
    return time === undefined ? [] : [{ object: formatService(id), time }]
  })
  return changed.sort((a, b) => (toUnixSeconds(a.time) ?? 0) - (toUnixSeconds(b.time) ?? 0))
}

function ageBetween(lacked: string, had: Change | undefined): string | undefined {
  return formatAge((toUnixSeconds(had?.time) ?? 0) - (toUnixSeconds(lacked) ?? 0))
}
