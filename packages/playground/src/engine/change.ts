import { compileCluster } from '@kube-rules/application/cluster'
import { printScript } from '@kube-rules/application/script'
import { diff, toCommands } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { type ChangeGroup, groupChanges } from './change-groups.js'
import { markTrafficLosses, type TrafficLine } from './change-severity.js'
import { type ComparisonOutput, compareResults } from './compare-results.js'
import { diffLines } from './diff-lines.js'
import { createExampleFinder } from './example-packets.js'
import { catchFailure } from './failure.js'
import { findObjectChanges, type ObjectChange, type ObjectChanges } from './object-changes.js'
import type { CompiledRequest, PlaygroundCache } from './playground-cache.js'
import type { ChangeResult } from './results.js'
import { printRequestLines } from './rules.js'

/** Computes the effect of an edit on packets, and the commands that a node needs to run. */
export function computeChangeResult(question: PlaygroundRequest, memory: PlaygroundCache): ChangeResult {
  if (question.before.trim() === '') return problemAnswer('')
  return catchFailure(() => {
    const before = memory.compiled(question, { which: 'before', alongside: question.objects })
    const after = memory.compiled(question, { alongside: question.before })
    const whole = compare(before, after)
    const traffic = markTrafficLosses(whole.view, whole.differences)
    const steps = stepsBetween(before, after)
    return {
      problem: '',
      groups: steps.flatMap((step) =>
        groupsOfStep(step, steps.length === 1 ? whole : compare(step.before, step.after), question, memory),
      ),
      edits: diffLines(question.before, question.objects),
      traffic: traffic.filter(isAboutAll).map(({ node }) => node),
      trafficText: whole.text,
      runs: printScript(toCommands(diff(before.result, after.result))),
    }
  }, problemAnswer)
}

function compare(before: CompiledRequest, after: CompiledRequest): ComparisonOutput {
  return compareResults(before, after, ['old', 'new'], [before, after])
}

function isAboutAll({ node }: TrafficLine): boolean {
  return node.objects.length === 0
}

/** A part of an edit, compiled alone. */
interface EditStep {
  readonly before: CompiledRequest
  readonly after: CompiledRequest
  readonly changes: ObjectChanges
}

/**
 * Separates the edits of Services from those of other objects, so that no effect of a configuration is attributed to a
 * Service. The rules between both steps have the new Nodes and configuration, and the old Services.
 */
function stepsBetween(before: CompiledRequest, after: CompiledRequest): readonly EditStep[] {
  const { changes, newNames } = findObjectChanges(before.cluster, after.cluster)
  const isOfService = ({ object }: ObjectChange) => object.startsWith('Service ')
  const [own, others] = [changes.filter(isOfService), changes.filter((each) => !isOfService(each))]
  if (own.length === 0 || others.length === 0) return [{ before, after, changes: { changes, newNames } }]
  const { services, endpointSlices, endpoints } = before.cluster
  const cluster = { ...after.cluster, services, endpointSlices, endpoints }
  const result = compileCluster(cluster, after.values, IP_FAMILIES, { previous: before.result })
  const between = { ...after, cluster, result }
  return [
    { before: between, after, changes: { changes: own, newNames } },
    { before, after: between, changes: { changes: others, newNames: new Map() } },
  ]
}

function groupsOfStep(
  { before, after, changes }: EditStep,
  { view, differences }: ComparisonOutput,
  question: PlaygroundRequest,
  memory: PlaygroundCache,
): readonly ChangeGroup[] {
  return groupChanges(
    changes,
    markTrafficLosses(view, differences).filter((line) => !isAboutAll(line)),
    [printRequestLines(question, before, memory), printRequestLines(question, after, memory)],
    createExampleFinder(before.result, after.result),
  )
}

function problemAnswer(problem: string): ChangeResult {
  return { problem, groups: [], edits: [], traffic: [], trafficText: '', runs: '' }
}
