import { type LinePrinter, type PrintedLine, printedLines } from '@kube-rules/analyzer/view'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import { jsonDocument } from '../messages/lines.js'
import { type SpellingOptions, spell, spelledAs, spellLanguages } from './spelling.js'

/** Prints the rules of one family alone, or of several families under one comment line each. */
export function printText({ families }: CompileResult, spelling: SpellingOptions): string {
  const isAlone = families.length === 1
  const texts = families.map((each) => {
    const text = spell(each, spelling)
    return isAlone ? text : `# ${each.family}\n${text}`
  })
  return texts.join('')
}

/** A line of `printText`, with the metadata of `printedLines`. */
export type TextLine = Omit<PrintedLine, 'language'>

/** Returns the lines of `printText`, with the owner and label of each; `linesOf` prints them. */
export function textLines(
  { families }: Pick<CompileResult, 'families'>,
  spelling: SpellingOptions,
  linesOf: LinePrinter = printedLines,
): readonly TextLine[] {
  const [only, ...others] = families
  if (only !== undefined && others.length === 0) return linesOf(only.state, spelledAs(spelling))
  return families.flatMap(({ family, state }): readonly TextLine[] => [
    { text: `# ${family}`, servicePort: '', place: '', rules: [] },
    ...linesOf(state, spelledAs(spelling)),
  ])
}

/** Prints one JSON document; `docs/cli.md` describes its fields. */
export function printJson(
  result: CompileResult,
  spelling: SpellingOptions,
  diagnostics: readonly Diagnostic[],
): string {
  const families = result.families.map((each) => familyDocument(result, each, spelling))
  const { mode, kubernetesVersion } = result
  return jsonDocument({ mode, kubernetesVersion, families, diagnostics })
}

function familyDocument(result: CompileResult, each: FamilyResult, spelling: SpellingOptions): object {
  const { family, host, healthCheckNodePorts, counts } = each
  const languages = spellLanguages(result, each, spelling)
  return { family, text: spell(each, spelling), languages, ...host, healthCheckNodePorts, counts }
}
