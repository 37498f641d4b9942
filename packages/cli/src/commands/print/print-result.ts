import type { CompileResult, FamilyResult, IpvsModeState } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import { type Spelling, spell, spellParts } from './spelling.js'

/** The rules of one family alone, or of several under a comment line each. */
export function printText(result: CompileResult, spelling: Spelling): string {
  const isAlone = result.families.length === 1
  const texts = result.families.map(({ family }) => {
    const text = spell(result, family, spelling)
    return isAlone ? text : `# ${family}\n${text}`
  })
  return texts.join('')
}

/** One JSON document; `docs/cli.md` describes its fields. */
export function printJson(result: CompileResult, spelling: Spelling, diagnostics: readonly Diagnostic[]): string {
  const families = familyDocuments(result, spelling)
  return `${JSON.stringify({ schemaVersion: 1, mode: result.mode, families, diagnostics }, null, 2)}\n`
}

function familyDocuments(result: CompileResult, spelling: Spelling): readonly object[] {
  if (result.mode === 'iptables') return result.families.map((each) => familyDocument(result, each, spelling))
  return result.families.map((each) => {
    const parts = spellParts(result, each.family, spelling)
    return familyDocument(result, each, spelling, { parts, ...kernelSettings(each.state) })
  })
}

function familyDocument(result: CompileResult, familyResult: FamilyResult, spelling: Spelling, more = {}): object {
  const { family, healthCheckNodePorts, counts } = familyResult
  return { family, text: spell(result, family, spelling), ...more, healthCheckNodePorts, counts }
}

/** What mode ipvs needs of the kernel beside rules. */
function kernelSettings({ sysctls, kernelModules, timeouts }: IpvsModeState): object {
  return { sysctls, kernelModules, timeouts }
}
