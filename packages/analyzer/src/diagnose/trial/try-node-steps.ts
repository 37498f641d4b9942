import type { FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import { changeElement } from './change-elements.js'
import { rewriteRules } from './rewrite-rules.js'
import type { StepChange } from './step-change.js'
import { NO_STEP } from './try-steps.js'

/** A node that is verified again after changes. */
export interface NodeTrial {
  readonly mode: ProxyMode
  readonly family: FamilyResult
  readonly live: NodeState
  /** Verifies and diagnoses a changed state of the node. */
  readonly examine: (state: NodeState) => Examination
}

/** The problems of a state. */
export interface Examination {
  readonly diagnoses: readonly Diagnosis[]
  /** The number of resources that differ from the expected ones. */
  readonly differences: number
}

/**
 * Evaluates the steps of the diagnoses of a node: applies the change of each step, and verifies the node again. A step
 * is left out if its diagnosis remains. Changes of single elements do not affect each other, so they are applied
 * together.
 */
export function tryNodeSteps(diagnoses: readonly Diagnosis[], trial: NodeTrial): readonly Diagnosis[] {
  const { mode, family, live, examine } = trial
  const rewritten = createLazyGetter(() => examine(rewriteRules(live, mode, family)))
  const repaired = createLazyGetter(() => examine(changeElements(live, diagnoses)))
  return diagnoses.map((diagnosis) => {
    const steps = diagnosis.steps.flatMap((step) => tryStep(step, diagnosis, { rewritten, repaired }))
    return { ...diagnosis, steps: steps.length === 0 ? [NO_STEP] : steps }
  })
}

function changeElements(live: NodeState, diagnoses: readonly Diagnosis[]): NodeState {
  const changes = diagnoses.flatMap(({ steps }) => steps.flatMap(({ change }) => change ?? []))
  return changes.reduce(
    (state, change) => (isElementChange(change) ? (changeElement(state, change) ?? state) : state),
    live,
  )
}

function isElementChange(change: StepChange): change is Parameters<typeof changeElement>[1] {
  return change.kind === 'addSetEntry' || change.kind === 'setServerWeight'
}

interface Examinations {
  /** The node after kube-proxy wrote its rules again. */
  readonly rewritten: () => Examination
  /** The node after the changes of single elements. */
  readonly repaired: () => Examination
}

function tryStep(step: DiagnosisStep, diagnosis: Diagnosis, after: Examinations): readonly DiagnosisStep[] {
  if (step.change === undefined) return [step]
  const { diagnoses, differences } = isElementChange(step.change) ? after.repaired() : after.rewritten()
  const remains = diagnoses.some(({ code, summary }) => code === diagnosis.code && summary === diagnosis.summary)
  return remains ? [] : [{ ...step, outcome: formatRest(differences) }]
}

function formatRest(differences: number): string {
  if (differences === 0) return 'the rules of the node match the objects'
  const others = differences === 1 ? '1 other difference remains' : `${differences} other differences remain`
  return `this problem is gone; ${others}`
}
