import { type Dump, type VerifyReport, verify } from '@kube-rules/compiler'
import { isDumpedByFamily, languageNames, languagesOf } from '@kube-rules/compiler/tables'
import type { FamilyReport } from '@kube-rules/compiler/verify'
import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { clusterDiagnostics } from '../../cluster/cluster-diagnostics.js'
import { compileCluster } from '../../cluster/compile-cluster.js'
import { type Cluster, loadCluster, requireOneStdin } from '../../cluster/load-cluster.js'
import { loadDump } from '../../cluster/load-dump.js'
import type { Context } from '../../context.js'
import { InputError, UsageError } from '../../errors.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments, refuseOperands } from '../../options/parse-arguments.js'
import { paintChanges } from '../../report/color.js'
import { diagnosticLines } from '../../report/diagnostic-lines.js'
import { printMessages } from '../../report/print-message.js'
import { refuseErrors } from '../../report/refuse-errors.js'
import { writeToWhoListens } from '../../report/write-to-who-listens.js'
import { printRuns } from '../diff/print-runs.js'
import { countOthers } from '../print/choose-families.js'
import { coverageLines, printReport } from './print-report.js'
import { verifyOptions } from './verify-options.js'

type Values = OptionValues<typeof verifyOptions>

/** The work of `kube-rules verify`: 0 where there is no drift, else 1. Standard output is written last. */
export async function runVerify(context: Context): Promise<number> {
  const { values, operands } = parseArguments(verifyOptions, context.args)
  refuseOperands(operands)
  if (values.dump.length === 0) throw new UsageError('option --dump is missing')
  if (values.script && values.output === 'json') throw new UsageError('option --script is text; it has no -o json')
  requireOneStdin([...values.filename, ...values.dump, values.config, values.host])
  const cluster = await loadCluster(context, values)
  const dump = await loadDump(context, values.dump, familyOfDump(values.family))
  const families = familiesOf(values.family, cluster, dump)
  const result = compileCluster(cluster, values, families)
  const report = verify(result, dump, { backend: values.backend })
  const diagnostics = clusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) refuseErrors(diagnostics)
  refuseUnverified(report, values.strict)
  const text = printText(report, diagnostics, values)
  await printMessages(context, [
    ...diagnosticLines(diagnostics, ' (-o json shows all)'),
    ...coverageLines(report),
    ...cluster.notes,
  ])
  await writeToWhoListens(context, isReport(values) ? paintChanges(context, text) : text)
  return report.families.some(({ drift }) => drift.length > 0) ? 1 : 0
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

function refuseUnverified({ mode, families }: VerifyReport, strict: boolean): void {
  const lines = coverageLines({ mode, families: families.map((family) => ({ ...family, otherChains: [] })) })
  if (strict && lines.length > 0) {
    throw new InputError('nothing is printed, because of --strict and what is not verified', [], lines)
  }
  const isUnverified = ({ unverified, drift }: FamilyReport) =>
    drift.length === 0 && languagesOf(mode).every((language) => unverified.some(({ part }) => part === language))
  if (families.every(isUnverified)) throw new InputError(`the dump has nothing of mode ${mode}`, [], lines)
}

function printText(report: VerifyReport, diagnostics: readonly Diagnostic[], { output, script }: Values): string {
  if (output === 'json') return `${JSON.stringify({ schemaVersion: 1, ...report, diagnostics }, null, 2)}\n`
  return script ? printRuns(report.families.flatMap(({ repair }) => repair)) : printReport(report)
}
