import { type CompileResult, type FamilyResult, type RenderOptions, render } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'

/** How `render` is to spell the rules. */
export type Spelling = Omit<RenderOptions, 'family'>

/** The rules of one family alone, or of several under a comment line each. */
export function printText(result: CompileResult, spelling: Spelling): string {
  const isAlone = result.families.length === 1
  const texts = result.families.map(({ family }) => {
    const text = render(result, { ...spelling, family })
    return isAlone ? text : `# ${family}\n${text}`
  })
  return texts.join('')
}

/** One JSON document; `docs/cli.md` describes its fields. */
export function printJson(result: CompileResult, spelling: Spelling, diagnostics: readonly Diagnostic[]): string {
  const families = result.families.map((family) => familyDocument(result, family, spelling))
  return `${JSON.stringify({ schemaVersion: 1, mode: result.mode, families, diagnostics }, null, 2)}\n`
}

function familyDocument(result: CompileResult, familyResult: FamilyResult, spelling: Spelling): object {
  const { family, healthCheckNodePorts, counts } = familyResult
  return { family, text: render(result, { ...spelling, family }), healthCheckNodePorts, counts }
}
