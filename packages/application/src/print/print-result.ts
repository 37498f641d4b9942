import { type LinePrinter, type PrintedLine, printLines } from '@kube-rules/analyzer/view'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'
import type { PrintDocument, PrintedFamily } from '../documents.js'
import { printJsonDocument } from '../messages/lines.js'
import { printFamily, printSubsystems, resolveTextFormat, type TextFormatOptions } from './text-format.js'

/**
 * Prints the rules of a result. If there are several families, a comment line with the family precedes the rules of
 * each family.
 */
export function printResultText({ families }: CompileResult, format: TextFormatOptions): string {
  const isAlone = families.length === 1
  const texts = families.map((each) => {
    const text = printFamily(each, format)
    return isAlone ? text : `# ${each.family}\n${text}`
  })
  return texts.join('')
}

/** A line of `printResultText`, with the metadata of `printLines`. */
export type TextLine = Omit<PrintedLine, 'subsystem'>

/** Returns the lines of `printResultText`, each with its owner and location; `linesOf` prints the lines of a state. */
export function printResultLines(
  { families }: Pick<CompileResult, 'families'>,
  format: TextFormatOptions,
  linesOf: LinePrinter = printLines,
): readonly TextLine[] {
  const [only, ...others] = families
  if (only !== undefined && others.length === 0) return linesOf(only.state, resolveTextFormat(only.state, format))
  return families.flatMap(({ family, state }): readonly TextLine[] => [
    { text: `# ${family}`, servicePort: '', location: '', rules: [] },
    ...linesOf(state, resolveTextFormat(state, format)),
  ])
}

/** Prints one JSON document; `docs/reference/cli/print.md` describes its fields. */
export function printResultJson(
  result: CompileResult,
  format: TextFormatOptions,
  diagnostics: readonly Diagnostic[],
  assumed: readonly AssumedValue[] = [],
): string {
  const families = result.families.map((each) => familyDocument(result, each, format))
  const { mode, kubernetesVersion } = result
  return printJsonDocument<PrintDocument>('print', { mode, kubernetesVersion, families, assumed, diagnostics })
}

function familyDocument(result: CompileResult, each: FamilyResult, format: TextFormatOptions): PrintedFamily {
  const { family, hostRequirements, healthCheckNodePorts, counts } = each
  const subsystems = printSubsystems(result, each, format)
  return { family, text: printFamily(each, format), subsystems, ...hostRequirements, healthCheckNodePorts, counts }
}
