import { parseObjectReference } from '@kube-rules/types/internal/diagnostic'
import { checkDiagnosis } from '../arguments/check-results.js'
import type { Diagnosis, DiagnosisStep } from '../diagnose/diagnosis.js'
import { buildView, createViewDraft, type ViewDraft } from './draft.js'
import { parseRuleReference } from './references.js'
import type { View } from './view.js'

/**
 * Returns the view of a diagnosis: its summary, and below it the cause, the numbered steps, and the rule with its
 * location.
 */
export function diagnosisView(diagnosis: Diagnosis): View {
  checkDiagnosis('diagnosis', diagnosis)
  const { summary, cause, steps, object, rule, ruleStatus, location } = diagnosis
  const about = { objects: [parseObjectReference(object)], rules: [parseRuleReference(rule)] }
  const place = location === undefined ? '' : `${formatLocation(location)}, `
  return buildView([
    createViewDraft('diagnosis', summary, {
      ...about,
      severity: 'warning',
      children: [
        createViewDraft('cause', `why: ${cause}`, about),
        createViewDraft('steps', 'do:', {
          objects: about.objects,
          children: steps.map((step, index) => stepDraft(step, index + 1, about.objects)),
        }),
        createViewDraft('rule', `rule: ${place}${ruleStatus}: ${rule}`, about),
      ],
    }),
  ])
}

/**
 * Returns the line of a diagnosis step, with its number and text. The command, the outcome and the impact are separate
 * lines below it.
 */
function stepDraft(
  { text, command, outcome, impact }: DiagnosisStep,
  number: number,
  objects: ViewDraft['objects'],
): ViewDraft {
  return createViewDraft('action', `${number}. ${text}${command === undefined ? '' : ':'}`, {
    objects,
    children: [
      ...(command === undefined ? [] : [createViewDraft('command', command, { objects })]),
      ...(outcome === undefined ? [] : [createViewDraft('trial', `then: ${outcome}`, { objects })]),
      ...(impact === undefined ? [] : [createViewDraft('impact', `impact: ${impact}`, { objects })]),
    ],
  })
}

/** Returns `line 17 of node.dump`. */
function formatLocation(source: string): string {
  const [, file, line] = /^(.*):(\d+)$/s.exec(source) ?? []
  return line === undefined ? source : `line ${line} of ${file}`
}
