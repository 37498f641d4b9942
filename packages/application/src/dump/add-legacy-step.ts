import type { Diagnosis, DiagnosisCode } from '@kube-rules/analyzer/explain'
import type { TextSource } from '../cluster/text-source.js'

/** The warning of iptables-nft that the other back end has tables. */
const WARNING = /^[# ]*Warning: (ip6?tables)-legacy tables present/m

/** Diagnoses of packets that rules of the other back end may explain. */
const CODES: ReadonlySet<DiagnosisCode> = new Set(['incompleteDump', 'noRules'])

/** Adds a first step to a diagnosis of missing rules if iptables-nft warns that iptables-legacy has tables. */
export function addLegacyStep(diagnosis: Diagnosis, sources: readonly TextSource[]): Diagnosis {
  const tool = sources.map(({ text }) => WARNING.exec(text)?.[1]).find((each) => each !== undefined)
  if (tool === undefined || !CODES.has(diagnosis.code)) return diagnosis
  const command = `${tool}-legacy-save`
  const text = `The dump warns that the back end ${tool}-legacy has tables, and packets traverse them too: print them, as root on the node`
  return {
    ...diagnosis,
    summary: `${diagnosis.summary}; ${tool}-legacy has tables that the dump does not show`,
    steps: [{ text, command }, ...diagnosis.steps],
  }
}
