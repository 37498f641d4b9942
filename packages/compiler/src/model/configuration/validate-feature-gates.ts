import { describeValue } from '../reading/diagnostic-collector.js'
import { isFeatureGate, STAGE_GATES } from './feature-gates.js'
import { type Features, featureGateReleaseOf } from './features.js'
import { isOtherFeatureGate, lockedValueOf } from './other-feature-gates.js'
import type { Violation } from './violation.js'

/**
 * Reports unknown gates and changed locked gates. Unknown gates are reported only if the gates of the version are
 * known. Mirrors `featureGate.SetFromMap`.
 */
export function checkFeatureGates(
  gates: ReadonlyMap<string, boolean>,
  version: string,
  { featureGatesKnown }: Features,
): readonly Violation[] {
  return Array.from(gates, ([name, enabled]) => ({
    path: `featureGates.${name}`,
    field: 'featureGates',
    value: String(enabled),
    problem: (featureGatesKnown ? unknownGate(name, version) : undefined) ?? lockedGate(name, enabled, version),
  })).filter(isViolation)
}

function unknownGate(name: string, version: string): string | undefined {
  const ofStage = name === STAGE_GATES.alpha || name === STAGE_GATES.beta
  if (ofStage || isOtherFeatureGate(name, version)) return undefined
  const release = isFeatureGate(name) ? featureGateReleaseOf(name, version) : undefined
  const isUnknown = release === undefined || release.stage === 'removed'
  return isUnknown ? `unrecognized feature gate: ${describeValue(name)}` : undefined
}

function lockedGate(name: string, enabled: boolean, version: string): string | undefined {
  const isStable = isFeatureGate(name) && featureGateReleaseOf(name, version)?.stage === 'stable'
  const locked = isStable ? true : lockedValueOf(name, version)
  if (locked === undefined || enabled === locked) return undefined
  return `cannot set feature gate ${name} to ${enabled}, feature is locked to ${locked}`
}

function isViolation(
  gateProblem: Omit<Violation, 'problem'> & { readonly problem: string | undefined },
): gateProblem is Violation {
  return gateProblem.problem !== undefined
}
