import { clusterDiagnostics, compileCluster } from '@kube-rules/application/cluster'
import { diagnosticLines } from '@kube-rules/application/messages'
import {
  chooseFamilies,
  omittedFamilyLines,
  printJson,
  printText,
  rejectContradiction,
  rejectForMode,
} from '@kube-rules/application/print'
import type { CompileResult } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import type { Context } from '../../context.js'
import { loadCluster } from '../../files/load-cluster.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments, rejectOperands } from '../../options/parse-arguments.js'
import { printMessages, rejectErrors } from '../../report.js'
import { printOptions } from './print-options.js'

type Values = OptionValues<typeof printOptions>

/** Runs `kube-rules print`. Standard output is written last, and only on success. */
export async function runPrint(context: Context): Promise<number> {
  const { values, operands } = parseArguments(printOptions, context.args)
  rejectOperands(operands)
  rejectContradiction(values)
  const cluster = await loadCluster(context, values)
  const families = chooseFamilies(values.family, values.output, cluster.services)
  const result = compileCluster(cluster, values, families)
  rejectForMode(values, result.mode)
  const diagnostics = clusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) rejectErrors(diagnostics)
  const text = printResult(result, values, diagnostics)
  const notes = values.family === undefined ? omittedFamilyLines(families, cluster.services) : []
  await printMessages(context, [...diagnosticLines(diagnostics, ' (-o json shows all)'), ...notes, ...cluster.notes])
  await context.stdout.write(text)
  return 0
}

function printResult(result: CompileResult, values: Values, diagnostics: readonly Diagnostic[]): string {
  return values.output === 'json' ? printJson(result, values, diagnostics) : printText(result, values)
}
