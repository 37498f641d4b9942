import { type CompileResult, type Dump, type VerifyReport, verify } from '@kube-rules/compiler'
import { type Answer, printAnswer } from '@kube-rules/compiler/explain'
import { type CompiledMode, isDumpedByFamily, languageNames, languagesOf, modeNames } from '@kube-rules/compiler/tables'
import {
  answerBackEnds,
  answerNode,
  type FamilyReport,
  type NodeVerdict,
  printReport,
} from '@kube-rules/compiler/verify'
import { type View, viewOfCoverage, viewOfDoubts } from '@kube-rules/compiler/view'
import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { loadBackEnds } from '../../cluster/back-ends.js'
import { clusterDiagnostics } from '../../cluster/cluster-diagnostics.js'
import { compileCluster } from '../../cluster/compile-cluster.js'
import { type Cluster, loadCluster, requireOneStdin } from '../../cluster/load-cluster.js'
import type { Context } from '../../context.js'
import { InputError, UsageError } from '../../errors.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments, refuseOperands } from '../../options/parse-arguments.js'
import { paintChanges } from '../../report/color.js'
import { judgingLines } from '../../report/diagnostic-lines.js'
import { jsonDocument } from '../../report/json-document.js'
import { printMessages } from '../../report/print-message.js'
import { printScript } from '../../report/print-script.js'
import { refuseErrors } from '../../report/refuse-errors.js'
import { writeToWhoListens } from '../../report/write-to-who-listens.js'
import { countOthers } from '../print/choose-families.js'
import { verifyOptions } from './verify-options.js'

type Values = OptionValues<typeof verifyOptions>

/** The exit code of each verdict. */
const EXIT_CODES: Readonly<Record<NodeVerdict, number>> = { noDrift: 0, drift: 1, notVerified: 3 }

/** The work of `kube-rules verify`. Standard output is written last. */
export async function runVerify(context: Context): Promise<number> {
  const { values, operands } = parseArguments(verifyOptions, context.args)
  refuseOperands(operands)
  if (values.dump.length === 0) throw new UsageError('option --dump is missing')
  if (values.script && values.output === 'json') throw new UsageError('option --script is text; it has no -o json')
  requireOneStdin([...values.filename, ...values.dump, values.config, values.host])
  const cluster = await loadCluster(context, values)
  const backEnds = await loadBackEnds(context, values.dump, {
    family: familyOfDump(values.family),
    mayBeEmpty: values.complete,
    strict: values.strict,
  })
  const { dump } = backEnds[0]
  const notes = [...new Set(backEnds.flatMap((each) => each.notes))]
  const families = familiesOf(values.family, cluster, dump)
  const result = compileCluster(cluster, values, families, { dump })
  const { report, answers } = judge(result, backEnds, values)
  const diagnostics = clusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) refuseErrors(diagnostics)
  refuseUnverified(report, dump, values.strict)
  const comparedWith = comparedText(result, cluster)
  const text = printText({ report, answers }, diagnostics, comparedWith, values)
  const doubts = values.script ? linesOf(viewOfDoubts(report, comparedWith)).map((line) => `warning: ${line}`) : []
  if (!values.anyway) refuseDoubtful(report, doubts)
  const plans = result.families.map(({ plan }) => plan)
  const messages = [
    ...judgingLines(diagnostics, plans, ' (-o json shows all)'),
    ...linesOf(viewOfCoverage(report)),
    ...doubts,
  ]
  await printMessages(context, [...messages, ...notes, ...cluster.notes])
  await writeToWhoListens(context, isReport(values) ? paintChanges(context, text) : text)
  return EXIT_CODES[report.verdict]
}

/** What a node was compared with, for whoever doubts that it is what its kube-proxy has. */
function comparedText({ mode, kubernetesVersion, families }: CompileResult, { configuration }: Cluster): string {
  const name = families[0]?.plan.node.name
  const node = name ? `node ${name}` : 'no node'
  const recipe = 'kubectl -n kube-system get cm kube-proxy -o json'
  const own = configuration === undefined ? `no KubeProxyConfiguration (${recipe})` : 'the KubeProxyConfiguration given'
  return `mode ${mode} of ${kubernetesVersion}, ${node}, ${own}`
}

function isReport({ output, script }: Values): boolean {
  return output !== 'json' && !script
}

function familyOfDump(choice: Values['family']): IpFamily | undefined {
  return choice === '6' ? 'IPv6' : undefined
}

/** Without a choice those that were dumped or of which a Service has an address, so that none is left out unsaid. */
function familiesOf(choice: Values['family'], { services }: Cluster, dump: Dump): readonly IpFamily[] {
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

function linesOf(view: View): readonly string[] {
  return view.map(({ label }) => label)
}

function refuseUnverified(report: VerifyReport, dump: Dump, strict: boolean): void {
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

/** A script that puts in what is missing does no harm. One that takes away may take away what another configuration asks for. */
function refuseDoubtful({ families }: VerifyReport, doubts: readonly string[]): void {
  const takesAway = families.some(({ drift }) =>
    drift.some((group) => group.drift.some(({ kind }) => kind !== 'missing')),
  )
  if (doubts.length === 0 || !takesAway) return
  throw new InputError('no script is printed, because of this doubt; --anyway prints it', [], doubts)
}

function isOfMode(dump: Dump, mode: CompiledMode): boolean {
  return languagesOf(mode).some((language) => IP_FAMILIES.some((family) => dump[family][language] !== undefined))
}

/** What there is to say of a node; of one with both back ends of iptables the report of the one that fits better. */
function judge(
  result: CompileResult,
  backEnds: Awaited<ReturnType<typeof loadBackEnds>>,
  { backend, complete }: Values,
): Judged {
  const [first, ...others] = backEnds.map(({ name, dump }) => ({
    name,
    dump,
    report: verify(result, dump, { backend, complete }),
  }))
  if (first === undefined) throw new Error('a node has a back end')
  const best = others.reduce((a, b) => (driftCount(b.report) < driftCount(a.report) ? b : a), first)
  const answers = [...answerBackEnds(result, [first, ...others]), ...answerNode(result, best.dump, best.report)]
  return { report: best.report, answers }
}

function driftCount({ families }: VerifyReport): number {
  return families.flatMap(({ drift }) => drift.flatMap((group) => group.drift)).length
}

interface Judged {
  readonly report: VerifyReport
  readonly answers: readonly Answer[]
}

function printText(
  { report, answers }: Judged,
  diagnostics: readonly Diagnostic[],
  comparedWith: string,
  { output, script }: Values,
): string {
  if (output === 'json') return jsonDocument({ ...report, answers, diagnostics })
  if (script) return printScript(report.families.flatMap(({ repair }) => repair))
  return answers.map((answer) => `${printAnswer(answer)}\n`).join('') + printReport(report, comparedWith)
}
