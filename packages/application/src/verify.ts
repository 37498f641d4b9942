import { type VerifyOptions, type VerifyReport, verify } from '@kube-rules/analyzer'
import { type Diagnosis, printDiagnosis } from '@kube-rules/analyzer/explain'
import {
  type DiagnoseNodeOptions,
  diagnoseBackends,
  diagnoseNode,
  type FamilyReport,
  printReport,
} from '@kube-rules/analyzer/verify'
import { coverageView, type View } from '@kube-rules/analyzer/view'
import type { CompileResult, Dump, NodeState } from '@kube-rules/compiler'
import { isDumpedByFamily, listModes, listSubsystems, type ProxyMode, subsystemsOf } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Cluster } from './cluster/read-cluster.js'
import { createDumpLocator } from './dump/dump-locator.js'
import type { BackendDump } from './dump/read-backends.js'
import { InputError } from './messages/errors.js'
import { countOmittedServices, type FamilyChoice } from './print/choose-families.js'
import { findLostPackets } from './verify/find-lost-packets.js'

/**
 * Options for verifying a node. `input` is the compile input; the change times of its EndpointSlices show the age of
 * the rules.
 */
export interface VerifyNodeOptions extends VerifyOptions, DiagnoseNodeOptions {}

/**
 * Verifies and diagnoses a node. If the node has both iptables backends, the report is about the backend with less
 * drift.
 */
export function verifyNode(
  result: CompileResult,
  backEnds: readonly BackendDump[],
  { backend, complete, input }: VerifyNodeOptions = {},
): NodeVerification {
  const [first, ...others] = backEnds.map(({ name, backend: held, dump, sources }) => ({
    name,
    backend: held,
    dump,
    sources,
    report: verify(result, dump, { backend, complete }),
  }))
  if (first === undefined) throw new Error('a node has a back end')
  const best = others.reduce((a, b) => (driftCount(b.report) < driftCount(a.report) ? b : a), first)
  const all = [first, ...others]
  const sources = [...new Set([best, ...all].flatMap((each) => each.sources))]
  const ofBackends = diagnoseBackends(result, all, { input })
  const lost = findLostPackets(result, best.dump, best.report)
  const addLocation = createDumpLocator(sources)
  const ofNode = diagnoseNode(result, best.dump, best.report, { input })
  const diagnoses = [...ofBackends, ...ofNode, ...lost.diagnoses].map(addLocation)
  const isDrift = ofBackends.length > 0 || best.report.verdict === 'drift'
  return {
    report: { ...best.report, verdict: isDrift ? 'drift' : best.report.verdict },
    fittingDump: best.name,
    diagnoses,
    notes: lost.notes,
  }
}

function driftCount({ families }: VerifyReport): number {
  return families.flatMap(({ drift }) => drift.flatMap((group) => group.drift)).length
}

/** The report about a node and its diagnoses. */
export interface NodeVerification {
  /** The report about the backend with less drift. The verdict is also `drift` if both backends have rules for Services. */
  readonly report: VerifyReport
  /** The name of the dump that the report is about. */
  readonly fittingDump: string
  readonly diagnoses: readonly Diagnosis[]
  /** Notes about packets to Services, without a `note: ` prefix. */
  readonly notes: readonly string[]
}

/** Prints the text of `kube-rules verify`. */
export function printVerification({ report, fittingDump, diagnoses }: NodeVerification, comparedWith: string): string {
  const hasDrift = report.families.some(({ drift }) => drift.length > 0)
  const text =
    report.verdict === 'drift' && !hasDrift
      ? `no drift in ${fittingDump}, but the other back end has rules of kube-proxy too\n`
      : printReport(report, comparedWith)
  return diagnoses.map((diagnosis) => `${printDiagnosis(diagnosis)}\n`).join('') + text
}

/**
 * Describes the expected state that a node was compared with. The user can then check that kube-proxy on the node uses
 * the same configuration.
 */
export function describeReference(
  { mode, kubernetesVersion, families }: CompileResult,
  { configuration }: Cluster,
): string {
  const name = families[0]?.plan.node.name
  const node = name ? `node ${name}` : 'no node'
  const recipe = 'kubectl -n kube-system get cm kube-proxy -o json'
  const own = configuration === undefined ? `no KubeProxyConfiguration (${recipe})` : 'the KubeProxyConfiguration given'
  return `${mode} mode of ${kubernetesVersion}, ${node}, ${own}`
}

/**
 * Returns the families to verify. By default, these are all families that the dump contains or that a Service address
 * belongs to, so that no used family is omitted silently.
 */
export function chooseVerifiedFamilies(choice: FamilyChoice, { services }: Cluster, dump: Dump): readonly IpFamily[] {
  if (choice !== undefined) return IP_FAMILIES.filter((family) => choice === 'both' || family === `IPv${choice}`)
  const isUsed = (family: IpFamily) =>
    listSubsystems().some((name) => isDumpedByFamily(name) && dump[family][name] !== undefined) ||
    countOmittedServices(
      IP_FAMILIES.filter((other) => other !== family),
      services,
    ) > 0
  const used = IP_FAMILIES.filter(isUsed)
  return used.length > 0 ? used : IP_FAMILIES
}

/** Returns the label of each top-level line of a view. */
export function listViewLabels(view: View): readonly string[] {
  return view.map(({ label }) => label)
}

/**
 * Throws if no part of the node is verified. With `strict`, throws if any part is not verified.
 *
 * @throws InputError
 */
export function assertVerified(report: VerifyReport, dump: Dump, strict = false): void {
  const { mode, families } = report
  const lines = listViewLabels(coverageView(report).filter(({ kind }) => kind === 'unverified'))
  if (strict && lines.length > 0) {
    throw new InputError('nothing is printed, because --strict requires that all rules are verified', [], lines)
  }
  const isUnverified = ({ family, unverified, drift }: FamilyReport) =>
    drift.length === 0 &&
    !(isOfMode(dump[family], mode) && hasWholeParts(dump[family])) &&
    subsystemsOf(mode).every((subsystem) => unverified.some(({ part }) => part === subsystem))
  if (!families.every(isUnverified)) return
  const verified = families.map(({ family }) => family)
  const present = familiesOfMode(dump, mode)
  if (present.length > 0 && present.every((family) => !verified.includes(family))) {
    throw new InputError(
      `the dump has no ${verified.join(' or ')} rules, but ${present.join(' and ')} rules`,
      [],
      lines,
    )
  }
  if (present.length > 0) throw new InputError('no part of the dump is complete, so nothing is verified', [], lines)
  const other = listModes().find((name) => name !== mode && familiesOfMode(dump, name).length > 0)
  const hint = other === undefined ? '' : `, but of ${other} mode`
  throw new InputError(`the dump has no rules of ${mode} mode${hint}`, [], lines)
}

/** Reports whether a partial dump shows at least one chain, set or server completely. */
function hasWholeParts({ coverage }: NodeState): boolean {
  return coverage !== undefined && coverage.complete.length > 0
}

/** Returns the families with any content of the subsystems of a mode in a dump. */
function familiesOfMode(dump: Dump, mode: ProxyMode): readonly IpFamily[] {
  return IP_FAMILIES.filter((family) => isOfMode(dump[family], mode))
}

function isOfMode(state: NodeState, mode: ProxyMode): boolean {
  return subsystemsOf(mode).some((subsystem) => state[subsystem] !== undefined)
}
