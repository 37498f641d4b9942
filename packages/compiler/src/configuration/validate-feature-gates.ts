import { describe } from '../reading/findings.js'
import { GATES_OF_STAGE, isFeatureGate } from './feature-gates.js'
import { gateReleaseOf } from './features.js'
import { OTHER_FEATURE_GATES } from './other-feature-gates.js'
import type { Violation } from './violation.js'

/** Gates the version does not know, and stable ones that are switched off. Mirrors `featureGate.SetFromMap`. */
export function checkFeatureGates(gates: ReadonlyMap<string, boolean>, version: string): readonly Violation[] {
  return Array.from(gates, ([name, enabled]) => ({
    path: `featureGates.${name}`,
    field: 'featureGates',
    value: String(enabled),
    problem: gateProblem(name, enabled, version),
  })).filter(isViolation)
}

function gateProblem(name: string, enabled: boolean, version: string): string | undefined {
  const ofStage = name === GATES_OF_STAGE.alpha || name === GATES_OF_STAGE.beta
  if (ofStage || OTHER_FEATURE_GATES.has(name)) return undefined
  const release = isFeatureGate(name) ? gateReleaseOf(name, version) : undefined
  if (release === undefined) return `unrecognized feature gate: ${describe(name)}`
  if (release.stage !== 'stable' || enabled) return undefined
  return `cannot set feature gate ${name} to false, feature is locked to true`
}

function isViolation(found: Omit<Violation, 'problem'> & { readonly problem: string | undefined }): found is Violation {
  return found.problem !== undefined
}
