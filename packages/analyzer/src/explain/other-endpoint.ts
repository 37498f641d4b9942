import { joinHostPort } from '@kube-rules/types/internal/ip'
import { dependsOnMissingTables, preferKnownPaths } from '../program/missing-content.js'
import type { PathStep } from '../program/steps.js'
import { isAssumedRule } from '../targets/shared/assumed-rule.js'
import type { TracePath } from '../trace/trace-paths.js'
import { changesDestination } from './format-path-outcome.js'

/**
 * Describes a rule in the dump that sends packets of this destination to an address that the objects do not define.
 * Other content, which the dump does not show, may still prevent that.
 */
export function describeOtherEndpoint(paths: readonly TracePath[], expectedOutcome: string): string | undefined {
  const expected = expectedOutcome.split(', ')
  for (const { outcome, steps } of preferKnownPaths(paths)) {
    const step = steps.filter(changesDestination).at(-1)
    if (outcome.kind !== 'delivered' || step === undefined || isAssumedRule(step.text)) continue
    const address = joinHostPort(outcome.address, outcome.port)
    if (!expected.includes(address))
      return `${nameOfContainer(step)} sends packets to ${address}, which is not an endpoint`
  }
  return undefined
}

/** Virtual servers have no chain. */
function nameOfContainer({ chain }: PathStep): string {
  return chain === '' ? 'a virtual server' : `a rule of ${chain}`
}

/** Formats the outcome of a packet that no rule matches. A table that the dump does not show may still handle it. */
export function formatUnmatched(path: TracePath): string {
  return dependsOnMissingTables([path]) ? 'not handled by the rules in the dump' : 'not handled by kube-proxy'
}
