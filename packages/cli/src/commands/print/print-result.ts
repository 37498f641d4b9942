import type { CompileResult, FamilyResult } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import { jsonDocument } from '../../report/json-document.js'
import { type SpellingOptions, spell, spellLanguages } from './spelling.js'

/** The rules of one family alone, or of several under a comment line each. */
export function printText({ families }: CompileResult, spelling: SpellingOptions): string {
  const isAlone = families.length === 1
  const texts = families.map((each) => {
    const text = spell(each, spelling)
    return isAlone ? text : `# ${each.family}\n${text}`
  })
  return texts.join('')
}

/** One JSON document; `docs/cli.md` describes its fields. */
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
