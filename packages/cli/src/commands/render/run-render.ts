import { type CompiledMode, type CompileResult, compile } from '@kube-rules/compiler'
import { type Diagnostic, DiagnosticsError, type IpFamily } from '@kube-rules/types'
import { type Cluster, loadCluster } from '../../cluster/load-cluster.js'
import type { Context } from '../../context.js'
import { InputError } from '../../errors.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments, refuseOperands } from '../../options/parse-arguments.js'
import { diagnosticLines } from '../../report/diagnostic-lines.js'
import { printMessages } from '../../report/print-message.js'
import type { renderOptions } from '../render.js'
import { chooseFamilies, countOthers } from './choose-families.js'
import { printJson, printText } from './print-result.js'

type Values = OptionValues<typeof renderOptions>

/** The work of `kube-rules render`. Standard output is written last, and only where everything went well. */
export async function runRender(context: Context, options: typeof renderOptions): Promise<number> {
  const { values, operands } = parseArguments(options, context.args)
  refuseOperands(operands)
  const cluster = await loadCluster(context, values)
  const families = chooseFamilies(values.family, values.output, cluster.services)
  const result = compileCluster(cluster, values, families)
  const diagnostics = [...cluster.diagnostics, ...result.diagnostics]
  if (values.strict) refuseErrors(diagnostics)
  const text = printResult(result, values, diagnostics)
  const notes = values.family === undefined ? omittedFamilyLines(families, cluster) : []
  await printMessages(context, [...diagnosticLines(diagnostics, ' (-o json shows all)'), ...notes])
  await context.stdout.write(text)
  return 0
}

function compileCluster(cluster: Cluster, values: Values, families: readonly IpFamily[]): CompileResult {
  const { mode, node: nodeName, 'kubernetes-version': kubernetesVersion } = values
  try {
    // The compiler itself refuses, by name, a mode it has no target for.
    return compile(cluster, { mode: mode as CompiledMode | undefined, nodeName, kubernetesVersion, families })
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    const message = 'nothing is printed, because the configuration is invalid'
    throw new InputError(message, [...cluster.diagnostics, ...error.diagnostics])
  }
}

function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new InputError(`nothing is printed, because of --strict and ${count(errors, 'error')}`, diagnostics)
}

function printResult(result: CompileResult, values: Values, diagnostics: readonly Diagnostic[]): string {
  const spelling = { style: values.style ?? 'restore', backend: values.backend ?? 'nft' } as const
  return values.output === 'json' ? printJson(result, spelling, diagnostics) : printText(result, spelling)
}

function omittedFamilyLines(families: readonly IpFamily[], { services }: Cluster): readonly string[] {
  const others = countOthers(families, services)
  if (others === 0) return []
  return [`warning: ${families.join()} rules only; --family both adds those of ${count(others, 'Service')}`]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
