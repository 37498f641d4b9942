import { isUserspaceChain } from '@kube-rules/compiler/internal/targets/userspace/chain-names'
import { recognizeRule } from '../neighbors/recognize-rule.js'
import { dependsOnMissingTables } from '../program/missing-content.js'
import type { PathStep } from '../program/steps.js'
import type { TracePath } from '../trace/trace-paths.js'
import { formatOutcome } from './difference.js'

/**
 * Formats the outcome of a path. A rule of kube-proxy redirects packets to kube-proxy itself; a rule of another program
 * redirects them to a local port, where the process of that program listens if the rule belongs to a known program.
 */
export function formatPathOutcome({ outcome, steps }: Pick<TracePath, 'outcome' | 'steps'>): string {
  const step = steps.filter(changesDestination).at(-1)
  if (outcome.kind !== 'proxy' || step === undefined || isUserspaceChain(step.chain)) return formatOutcome(outcome)
  const recognized = recognizeRule(step, () => [])
  const process = recognized?.isLikely === false ? `, to the process of ${recognized.neighbor.name}` : ''
  return `${formatLocalPort(outcome.port)}${process}`
}

/** Returns `to local port 30080 of the node`. */
export function formatLocalPort(port: number): string {
  return `to local port ${port} of the node`
}

/** Reports whether a step changes the destination of packets, or redirects them to a process of the node. */
export function changesDestination({ rewrites, target }: PathStep): boolean {
  return rewrites === 'destination' || /^redirect\b/i.test(target)
}

/** Formats the outcome of a packet that no rule matches. A table that the dump does not show may still handle it. */
export function formatUnmatched(path: TracePath): string {
  return dependsOnMissingTables([path]) ? 'not handled by the rules in the dump' : 'not handled by kube-proxy'
}
