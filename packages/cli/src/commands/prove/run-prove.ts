import { prove } from '@kube-rules/analyzer'
import { compileCluster, mergeClusterDiagnostics } from '@kube-rules/application/cluster'
import { formatVerificationLines } from '@kube-rules/application/messages'
import { exitCodeOfProofs, printProofs, printProofsJson } from '@kube-rules/application/prove'
import { IP_FAMILIES } from '@kube-rules/types'
import type { CliContext } from '../../cli-context.js'
import { assertStdinReadOnce, loadCluster } from '../../files/load-cluster.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { proveOptions } from './prove-options.js'

/** Runs `kube-rules prove`. Standard output is written last. */
export async function runProve(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(proveOptions, context.args)
  assertNoOperands(operands)
  assertStdinReadOnce([...values.filename, values.config, values.host])
  const cluster = await loadCluster(context, values)
  const { family: choice } = values
  const families = IP_FAMILIES.filter(
    (family) => choice === undefined || choice === 'both' || family === `IPv${choice}`,
  )
  context.startPhase('computing rules')
  const result = compileCluster(cluster, values, families)
  const diagnostics = mergeClusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) assertNoErrors(diagnostics)
  context.startPhase('proving')
  const proofs = prove(result)
  const { mode, kubernetesVersion } = result
  const background = { mode, kubernetesVersion, diagnostics, assumed: cluster.assumed, notRead: cluster.unread }
  const text = values.output === 'json' ? printProofsJson(proofs, background) : printProofs(proofs, background)
  const plans = result.families.map(({ plan }) => plan)
  await printMessages(context, [
    ...formatVerificationLines(diagnostics, plans, ' (-o json shows all)'),
    ...cluster.notes,
  ])
  await writeIgnoringClosedPipe(context, text)
  return exitCodeOfProofs(proofs, cluster.unread)
}
