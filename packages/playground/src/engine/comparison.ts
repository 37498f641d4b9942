import { type Difference, findRuleChanges, type RuleChange } from '@kube-rules/analyzer/compare'
import { toCompileInput, toCompileOptions } from '@kube-rules/application/cluster'
import { listModes, versionsOf } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { markTrafficLosses } from './change-severity.js'
import { compareResults } from './compare-results.js'
import { describeComparison, groupComparison, servicesOfComparisonGroups } from './comparison-groups.js'
import { diffLines } from './diff-lines.js'
import { createExampleFinder, createPacketFormatter } from './example-packets.js'
import { catchFailure } from './failure.js'
import type { CompiledRequest, PlaygroundCache } from './playground-cache.js'
import type { ComparisonResult } from './results.js'
import { printRequestLines } from './rules.js'

/** Compares the compiled rules with the rules of another mode or version of kube-proxy for the same objects. */
export function computeComparisonResult(question: PlaygroundRequest, memory: PlaygroundCache): ComparisonResult {
  const { against } = question
  if (against === '') return problemAnswer('')
  return catchFailure((): ComparisonResult => {
    const isMode = (listModes() as readonly string[]).includes(against)
    const ours = memory.compiled(question)
    const theirs = memory.compiled(question, isMode ? { mode: against } : { version: against })
    const names = isMode ? ([ours.result.mode, against] as const) : ([ours.result.kubernetesVersion, against] as const)
    const { view, text, differences } = compareResults(ours, theirs, names, [ours])
    // If two versions are compared, the sentences describe the change from the older to the newer version.
    const isReversed = !isMode && sortVersions(ours, theirs)[1] === ours
    const lines = markTrafficLosses(view, isReversed ? differences.map(reverse) : differences)
    const sides = isReversed ? ([theirs.result, ours.result] as const) : ([ours.result, theirs.result] as const)
    const findExample = createExampleFinder(...sides)
    const formatPacket = createPacketFormatter(ours.result)
    // The search traces packets, which takes too long for every difference of a large cluster.
    const groups = groupComparison(lines, (difference, isFirst) =>
      isFirst ? findExample(difference) : formatPacket(difference.packet),
    )
    return {
      problem: '',
      names,
      sentence: describeComparison(groups, ours.cluster.services.length, isReversed ? [names[1], names[0]] : names),
      groups,
      services: servicesOfComparisonGroups(groups),
      view: lines.flatMap(({ node, difference }) => (difference === undefined ? [node] : [])),
      text,
      ...(isMode ? NO_CHANGES : changesOfText(question, memory, sortVersions(ours, theirs))),
    }
  }, problemAnswer)
}

function reverse(difference: Difference): Difference {
  return { ...difference, a: difference.b, b: difference.a }
}

/** Returns the older version first. */
function sortVersions(...versions: [CompiledRequest, CompiledRequest]): readonly [CompiledRequest, CompiledRequest] {
  const order = versionsOf(versions[0].result.mode)
  return versions.toSorted(
    (a, b) => order.indexOf(a.result.kubernetesVersion) - order.indexOf(b.result.kubernetesVersion),
  ) as [CompiledRequest, CompiledRequest]
}

/** Returns the lines that differ between two versions, and the features that cause the differences. */
function changesOfText(
  question: PlaygroundRequest,
  memory: PlaygroundCache,
  [older, newer]: readonly [CompiledRequest, CompiledRequest],
): Pick<ComparisonResult, 'changes' | 'rules'> {
  const textOf = (compiled: CompiledRequest) =>
    printRequestLines(question, compiled, memory)
      .map(({ text }) => text)
      .join('\n')
  return { changes: causesOf(older, newer), rules: diffLines(textOf(older), textOf(newer)) }
}

/**
 * The comparison takes too long for larger clusters. It compiles every version between the two versions, and each
 * differing feature alone.
 */
const MOST_SERVICES = 50

function causesOf(older: CompiledRequest, newer: CompiledRequest): readonly RuleChange[] {
  const { cluster, values } = newer
  if (cluster.services.length > MOST_SERVICES) return []
  const options = toCompileOptions(cluster, values, IP_FAMILIES)
  return findRuleChanges(toCompileInput(cluster), options, [
    older.result.kubernetesVersion,
    newer.result.kubernetesVersion,
  ])
}

const NO_CHANGES = { changes: [] } as const

function problemAnswer(problem: string): ComparisonResult {
  return { problem, names: ['', ''], sentence: '', groups: [], services: [], view: [], text: '', ...NO_CHANGES }
}
