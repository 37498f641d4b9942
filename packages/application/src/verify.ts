import { type VerifyOptions, type VerifyReport, verify } from '@kube-rules/analyzer'
import { type Answer, printAnswer } from '@kube-rules/analyzer/explain'
import {
  answerBackEnds,
  answerNode,
  type FamilyReport,
  type NodeAnswerOptions,
  printReport,
} from '@kube-rules/analyzer/verify'
import { type View, viewOfCoverage } from '@kube-rules/analyzer/view'
import type { CompileResult, Dump } from '@kube-rules/compiler'
import { type CompiledMode, isDumpedByFamily, languageNames, languagesOf, modeNames } from '@kube-rules/compiler/tables'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { Cluster } from './cluster/read-cluster.js'
import type { BackEnd } from './dump/read-back-ends.js'
import { withSource } from './dump/with-source.js'
import { InputError } from './messages/errors.js'
import { countOthers, type FamilyChoice } from './print/choose-families.js'

/** Options for verifying a node. `input` is the compile input; it provides the age of the rules. */
export interface JudgeOptions extends VerifyOptions, NodeAnswerOptions {}

/**
 * Verifies and diagnoses a node. If the node has both iptables backends, the report is about the one that fits better.
 */
export function judgeNode(
  result: CompileResult,
  backEnds: readonly BackEnd[],
  { backend, complete, input }: JudgeOptions = {},
): Judged {
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
  const answers = [
    ...answerBackEnds(result, all, { input }),
    ...answerNode(result, best.dump, best.report, { input }),
  ].map((answer) => withSource(answer, sources))
  return { report: best.report, answers }
}

function driftCount({ families }: VerifyReport): number {
  return families.flatMap(({ drift }) => drift.flatMap((group) => group.drift)).length
}

/** The report about a node and its diagnoses. */
export interface Judged {
  readonly report: VerifyReport
  readonly answers: readonly Answer[]
}

/** Prints the text of `kube-rules verify`. */
export function printJudged({ report, answers }: Judged, comparedWith: string): string {
  return answers.map((answer) => `${printAnswer(answer)}\n`).join('') + printReport(report, comparedWith)
}

/**
 * Describes the state that a node was compared with, so that the user can check that its kube-proxy uses the same
 * configuration.
 */
export function comparedText({ mode, kubernetesVersion, families }: CompileResult, { configuration }: Cluster): string {
  const name = families[0]?.plan.node.name
  const node = name ? `node ${name}` : 'no node'
  const recipe = 'kubectl -n kube-system get cm kube-proxy -o json'
  const own = configuration === undefined ? `no KubeProxyConfiguration (${recipe})` : 'the KubeProxyConfiguration given'
  return `mode ${mode} of ${kubernetesVersion}, ${node}, ${own}`
}

/**
 * Returns the families to verify. The default is every family that was dumped or that is used by a Service address, so
 * that none is omitted silently.
 */
export function verifiedFamilies(choice: FamilyChoice, { services }: Cluster, dump: Dump): readonly IpFamily[] {
  if (choice !== undefined) return IP_FAMILIES.filter((family) => choice === 'both' || family === `IPv${choice}`)
  const isUsed = (family: IpFamily) =>
    languageNames().some((name) => isDumpedByFamily(name) && dump[family][name] !== undefined) ||
    countOthers(
      IP_FAMILIES.filter((other) => other !== family),
      services,
    ) > 0
  const used = IP_FAMILIES.filter(isUsed)
  return used.length > 0 ? used : IP_FAMILIES
}

/** Returns the lines of a view without trees. */
export function linesOf(view: View): readonly string[] {
  return view.map(({ label }) => label)
}

/**
 * Throws if no part of the node is verified; with `strict` if any part is not.
 *
 * @throws InputError
 */
export function refuseUnverified(report: VerifyReport, dump: Dump, strict = false): void {
  const { mode, families } = report
  const lines = linesOf(viewOfCoverage(report).filter(({ kind }) => kind === 'unverified'))
  if (strict && lines.length > 0) {
    throw new InputError('nothing is printed, because of --strict and what is not verified', [], lines)
  }
  const isUnverified = ({ unverified, drift }: FamilyReport) =>
    drift.length === 0 && languagesOf(mode).every((language) => unverified.some(({ part }) => part === language))
  if (!families.every(isUnverified)) return
  const other = modeNames().find((name) => name !== mode && isOfMode(dump, name))
  const hint = other === undefined ? '' : `, but of mode ${other}`
  throw new InputError(`the dump has nothing of mode ${mode}${hint}`, [], lines)
}

function isOfMode(dump: Dump, mode: CompiledMode): boolean {
  return languagesOf(mode).some((language) => IP_FAMILIES.some((family) => dump[family][language] !== undefined))
}
