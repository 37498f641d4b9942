import { clusterDiagnostics, compileCluster } from '@kube-rules/application/cluster'
import { diagnosticLines, UsageError } from '@kube-rules/application/messages'
import {
  chooseFamilies,
  omittedFamilyLines,
  printJson,
  printText,
  rejectContradiction,
  rejectForMode,
  type TextFormatOptions,
} from '@kube-rules/application/print'
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
  const format = readFormat(values)
  const cluster = await loadCluster(context, values)
  const families = chooseFamilies(values.family, values.output, cluster.services)
  const result = compileCluster(cluster, values, families)
  rejectForMode(format, result.mode)
  const diagnostics = clusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) rejectErrors(diagnostics)
  const text =
    values.output === 'json' ? printJson(result, format, diagnostics, cluster.assumed) : printText(result, format)
  const notes = values.family === undefined ? omittedFamilyLines(families, cluster.services) : []
  await printMessages(context, [...diagnosticLines(diagnostics, ' (-o json shows all)'), ...notes, ...cluster.notes])
  await context.stdout.write(text)
  return 0
}

/** Returns the text format. The options of a listing need the format. */
function readFormat({ subsystem, format, backend, ...values }: Values): TextFormatOptions {
  const { verbose, lineNumbers, names, protocolNumbers } = values
  const given = Object.entries({ verbose, 'line-numbers': lineNumbers, names, 'protocol-numbers': protocolNumbers })
  const [first] = given.find(([, isGiven]) => isGiven) ?? []
  if (first !== undefined && format !== 'listing') throw new UsageError(`option --${first} is for --format listing`)
  const read = { subsystem, format, backend, listing: { verbose, lineNumbers, names, protocolNumbers } }
  rejectContradiction(read)
  return read
}
