import { type Cluster, compileCluster, mergeClusterDiagnostics } from '@kube-rules/application/cluster'
import { formatDiagnosticLines, UsageError } from '@kube-rules/application/messages'
import {
  chooseFamilies,
  formatOmittedFamilyWarning,
  printJson,
  printNodeScript,
  printText,
  rejectInapplicableOptions,
  rejectMismatchedFormat,
  type TextFormatOptions,
} from '@kube-rules/application/print'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
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
  const isScript = values.format === 'script'
  if (isScript) rejectForScript(values)
  const format = readFormat(values)
  const cluster = await loadCluster(context, values)
  const families = isScript && values.family === undefined ? IP_FAMILIES : familiesOf(values, cluster)
  context.startPhase('computing rules')
  const result = compileCluster(cluster, values, families)
  rejectInapplicableOptions(format, result.mode)
  const diagnostics = mergeClusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) rejectErrors(diagnostics)
  context.startPhase('printing')
  const text = isScript
    ? printNodeScript(result, values.backend)
    : values.output === 'json'
      ? printJson(result, format, diagnostics, cluster.assumed)
      : printText(result, format)
  const notes = values.family === undefined ? formatOmittedFamilyWarning(families, cluster.services) : []
  await printMessages(context, [
    ...formatDiagnosticLines(diagnostics, ' (-o json shows all)'),
    ...notes,
    ...cluster.notes,
  ])
  await context.stdout.write(text)
  return 0
}

function familiesOf({ family, output }: Values, { services }: Cluster): readonly IpFamily[] {
  return chooseFamilies(family, output, services)
}

/** Rejects `--subsystem` and `-o json`, because a script always covers all subsystems and is text. */
function rejectForScript({ subsystem, output }: Values): void {
  if (subsystem !== undefined) throw new UsageError('options --format script and --subsystem cannot be combined')
  if (output === 'json') throw new UsageError('option --format script cannot be combined with -o json')
}

/** Returns the text format. Rejects options of a listing if the format is not a listing. */
function readFormat({ subsystem, format, backend, ...values }: Values): TextFormatOptions {
  const { verbose, lineNumbers, names, protocolNumbers } = values
  const listingOptions = Object.entries({
    verbose,
    'line-numbers': lineNumbers,
    names,
    'protocol-numbers': protocolNumbers,
  })
  const [first] = listingOptions.find(([, isGiven]) => isGiven) ?? []
  if (first !== undefined && format !== 'listing') throw new UsageError(`option --${first} is for --format listing`)
  if (format === 'script') return {}
  const read = { subsystem, format, backend, listing: { verbose, lineNumbers, names, protocolNumbers } }
  rejectMismatchedFormat(read)
  return read
}
