import { type Cluster, compileCluster, mergeClusterDiagnostics } from '@kube-rules/application/cluster'
import { formatDiagnosticLines, UsageError } from '@kube-rules/application/messages'
import {
  assertFormatSupported,
  assertOptionsApplicable,
  chooseFamilies,
  formatOmittedFamilyWarning,
  printNodeScript,
  printResultJson,
  printResultText,
  type TextFormatOptions,
} from '@kube-rules/application/print'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { CliContext } from '../../cli-context.js'
import { loadCluster } from '../../files/load-cluster.js'
import type { OptionValues } from '../../options/option.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, printMessages } from '../../report.js'
import { printOptions } from './print-options.js'

type Values = OptionValues<typeof printOptions>

/** Runs `kube-rules print`. Standard output is written last, and only on success. */
export async function runPrint(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(printOptions, context.args)
  assertNoOperands(operands)
  const isScript = values.format === 'script'
  if (isScript) rejectForScript(values)
  const format = readFormat(values)
  const cluster = await loadCluster(context, values)
  const families = isScript && values.family === undefined ? IP_FAMILIES : familiesOf(values, cluster)
  context.startPhase('computing rules')
  const result = compileCluster(cluster, values, families)
  assertOptionsApplicable(format, result.mode)
  const diagnostics = mergeClusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) assertNoErrors(diagnostics)
  context.startPhase('printing')
  const text = isScript
    ? printNodeScript(result, values.backend)
    : values.output === 'json'
      ? printResultJson(result, format, diagnostics, cluster.assumed)
      : printResultText(result, format)
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

/** Rejects `--subsystem` and `-o json` for `--format script`. A script is always text and covers all subsystems. */
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
  assertFormatSupported(read)
  return read
}
