import type { VerifyReport } from '@kube-rules/analyzer'
import type { NodeVerdict } from '@kube-rules/analyzer/verify'
import { caveatsView, coverageView } from '@kube-rules/analyzer/view'
import {
  assumeVersion,
  compileCluster,
  mergeClusterDiagnostics,
  noteAssumedVersion,
} from '@kube-rules/application/cluster'
import type { VerifyDocument } from '@kube-rules/application/documents'
import { addInterfaces, formatNodeSettings } from '@kube-rules/application/dump'
import { formatVerificationLines, InputError, printJsonDocument, UsageError } from '@kube-rules/application/messages'
import { printScript } from '@kube-rules/application/script'
import {
  assertVerified,
  chooseVerifiedFamilies,
  describeReference,
  listViewLabels,
  type NodeVerification,
  printVerification,
  verifyNode,
} from '@kube-rules/application/verify'
import type { Diagnostic, IpFamily } from '@kube-rules/types'
import type { CliContext } from '../../cli-context.js'
import { loadBackends } from '../../files/load-backends.js'
import { assertOneClusterInput, assertStdinReadOnce, loadCluster, withDumpedNode } from '../../files/load-cluster.js'
import { readLiveNode, writeCollectedFile } from '../../live/live-node.js'
import type { OptionValues } from '../../options/option.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, highlightChanges, printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { verifyOptions } from './verify-options.js'

type Values = OptionValues<typeof verifyOptions>

/** The exit code of each verdict. */
const EXIT_CODES: Readonly<Record<NodeVerdict, number>> = { noDrift: 0, drift: 1, notVerified: 3 }

/** Runs `kube-rules verify`. Standard output is written last. */
export async function runVerify(commandContext: CliContext): Promise<number> {
  const { values: given, operands } = parseArguments(verifyOptions, commandContext.args)
  assertNoOperands(operands)
  if (given.collectOnly !== undefined) return writeCollectedFile(commandContext, given, given.collectOnly)
  const { context, values } = await readLiveNode(commandContext, given)
  if (values.dump.length === 0) throw new UsageError('option --dump or --live is missing')
  if (values.script && values.output === 'json') throw new UsageError('option --script cannot be combined with -o json')
  assertOneClusterInput(values)
  assertStdinReadOnce([...values.filename, ...values.dump, values.config, values.host])
  const backEnds = await loadBackends(context, values.dump, {
    family: familyOfDump(values.family),
    mayBeEmpty: values.complete,
    strict: values.strict,
    node: values.node,
  })
  const { dump, sources } = backEnds[0]
  const objects = await loadCluster(context, withDumpedNode(values, backEnds[0]))
  const { cluster, notes: interfaceNotes } = addInterfaces(objects, sources)
  const notes = [...new Set(backEnds.flatMap((each) => each.notes)), ...interfaceNotes]
  const families = chooseVerifiedFamilies(values.family, cluster, dump)
  context.startPhase('computing rules')
  const assumed = assumeVersion(cluster, values, dump)
  const kubernetesVersion = assumed?.ofDump ?? values.kubernetesVersion
  const dumps = backEnds.map((each) => each.dump)
  const result = compileCluster(cluster, { ...values, kubernetesVersion }, families, { dumps })
  context.startPhase('comparing the node with the rules')
  const verified = verifyNode(result, backEnds, { ...values, input: cluster })
  const { report } = verified
  const diagnostics = mergeClusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) assertNoErrors(diagnostics)
  assertVerified(report, dump, values.strict)
  const comparedWith = describeReference(result, cluster)
  const text = printText(verified, diagnostics, comparedWith, values)
  const caveats = values.script
    ? listViewLabels(caveatsView(report, comparedWith)).map((line) => `warning: ${line}`)
    : []
  if (!values.anyway) rejectInconclusive(report, caveats)
  const plans = result.families.map(({ plan }) => plan)
  const messages = [
    ...formatVerificationLines(diagnostics, plans, ' (-o json shows all)'),
    ...listViewLabels(coverageView(report)),
    ...caveats,
  ]
  await printMessages(context, [
    ...messages,
    ...notes,
    ...[...noteAssumedVersion(assumed, result, report), ...verified.notes].map((text) => `note: ${text}`),
    ...formatNodeSettings(sources, result),
    ...cluster.notes,
  ])
  await writeIgnoringClosedPipe(context, isReport(values) ? highlightChanges(context, text) : text)
  return EXIT_CODES[report.verdict]
}

function isReport({ output, script }: Values): boolean {
  return output !== 'json' && !script
}

function familyOfDump(choice: Values['family']): IpFamily | undefined {
  return choice === '6' ? 'IPv6' : undefined
}

/**
 * Rejects a script with deletions if there are caveats. Deletions may remove rules that another configuration requires.
 * A script that only adds missing rules is harmless.
 */
function rejectInconclusive({ families }: VerifyReport, caveats: readonly string[]): void {
  const takesAway = families.some(({ drift }) =>
    drift.some((group) => group.drift.some(({ kind }) => kind !== 'missing')),
  )
  if (caveats.length === 0 || !takesAway) return
  throw new InputError('no script is printed because of this caveat; to print it anyway, use --anyway', [], caveats)
}

function printText(
  verified: NodeVerification,
  diagnostics: readonly Diagnostic[],
  comparedWith: string,
  { output, script }: Values,
): string {
  const { report, diagnoses } = verified
  if (output === 'json') return printJsonDocument<VerifyDocument>('verify', { ...report, diagnoses, diagnostics })
  if (script) return printScript(report.families.flatMap(({ repair }) => repair))
  return printVerification(verified, comparedWith)
}
