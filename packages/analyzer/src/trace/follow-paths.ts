import {
  createDestinationReadLog,
  haveEqualResults,
} from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import {
  areEqualExceptDestination,
  type DestinationRead,
  type DestinationReadLog,
  withDestinationOf,
} from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { isLocalityCondition } from '../dataplane/netfilter/locality.js'
import {
  type Assumption,
  type HandlerResult,
  type PathState,
  rebaseSteps,
  withVerdict,
} from '../dataplane/netfilter/path-state.js'

/** Follows a path over one section of the rules, such as the remaining hooks. Returns several paths if the path forks. */
export type PathFollower<B extends PathState> = (path: HandlerResult) => readonly B[]

/** Returns a copy of `representative` with the weight, assumptions, packet, steps and budget of `branch`. */
export type PathStateCopier<B extends PathState> = (representative: B, branch: PathState) => B

/**
 * Follows several paths with `follow`. After DNAT, the rules treat most endpoints alike, so many paths are equivalent.
 * Two paths are equivalent if they differ only in their destination, and if every read of the destination has the same
 * result for both paths. Only the first of several equivalent paths is followed. The other equivalent paths reuse its
 * result.
 */
export function followPaths<B extends PathState>(
  paths: readonly HandlerResult[],
  follow: PathFollower<B>,
  like: PathStateCopier<B>,
): readonly B[] {
  if (paths.length === 1) return follow(elementAt(paths, 0))
  const representatives: Representative<B>[] = []
  const ends: B[] = []
  for (const path of paths)
    for (const end of followByRepresentative(representatives, path, follow, like)) ends.push(end)
  return ends
}

/**
 * Follows a path. If an equivalent path has already been followed, copies its result. Otherwise follows the path rule
 * by rule, and may store the result for later equivalent paths.
 */
function followByRepresentative<B extends PathState>(
  representatives: Representative<B>[],
  path: HandlerResult,
  follow: PathFollower<B>,
  like: PathStateCopier<B>,
): readonly B[] {
  // Does not reuse results for packets from several sources, because each source may have a different result.
  if (path.assumptions.length > 0 || path.packet.equivalents !== undefined) return follow(path)
  const representative = findRepresentative(representatives, path)
  if (representative !== undefined) {
    path.budget.rules -= representative.rules
    return copyResults(representative, path, like)
  }
  if (representatives.length === MAX_REPRESENTATIVES) return follow(path)
  const made = followAsRepresentative(path, follow, like)
  if (made.isRepresentative) representatives.push(made)
  return made.ends
}

function findRepresentative<B>(
  representatives: readonly Representative<B>[],
  path: HandlerResult,
): Representative<B> | undefined {
  for (const representative of representatives) if (isRepresentativeOf(representative, path)) return representative
  return undefined
}

/**
 * The maximum number of representatives. The limit keeps comparisons fast, because each further path is compared with
 * all representatives.
 */
const MAX_REPRESENTATIVES = 8

/** A representative: a path that was followed, and its results. */
interface Representative<B> {
  readonly start: HandlerResult
  readonly ends: readonly B[]
  readonly questions: readonly DestinationRead[]
  /** The number of matching rules on the path. */
  readonly rules: number
}

/**
 * Follows a path as a possible representative. The path can represent other paths only if it has no random choices and
 * no assumptions about an address, and if its destination was not rewritten.
 */
function followAsRepresentative<B extends PathState>(
  start: HandlerResult,
  follow: PathFollower<B>,
  like: PathStateCopier<B>,
): Representative<B> & { readonly isRepresentative: boolean } {
  const { budget, weight, packet } = start
  const log = createDestinationReadLog(packet.destinationLog)
  const { rules } = budget
  const logged = follow(withVerdict(withLog(start, log), start.verdict))
  const ends = logged.map((end) => like(end, withLog(end, packet.destinationLog)))
  const isUniform = ends.every((end) => end.weight === weight && !end.assumptions.some(dependsOnAddress))
  return {
    start,
    ends,
    questions: log.queries,
    rules: rules - budget.rules,
    isRepresentative: isUniform && !log.isTranslated,
  }
}

function dependsOnAddress({ condition }: Assumption): boolean {
  return isLocalityCondition(condition)
}

function withLog(
  { weight, assumptions, packet, last, budget }: PathState,
  destinationLog: DestinationReadLog | undefined,
): PathState {
  const { destination, destinationPort } = packet
  const logged = withDestinationOf(packet, { destination, destinationPort, destinationLog })
  return { weight, assumptions, packet: logged, last, budget }
}

function isRepresentativeOf(
  { start, questions, rules }: Representative<unknown>,
  { packet, budget, verdict }: HandlerResult,
): boolean {
  return (
    verdict === start.verdict &&
    budget.rules >= rules &&
    areEqualExceptDestination(packet, start.packet) &&
    haveEqualResults(questions, packet)
  )
}

function copyResults<B extends PathState>(
  { start, ends }: Representative<B>,
  path: HandlerResult,
  like: PathStateCopier<B>,
): readonly B[] {
  const [only] = ends
  if (only !== undefined && ends.length === 1) return [like(only, copyResult(only, start, path))]
  return ends.map((end) => like(end, copyResult(end, start, path)))
}

/**
 * Returns a copy of the path `branch` with the same changes (steps, packet, assumptions) that the representative has
 * between `start` and `end`.
 */
function copyResult(end: PathState, start: PathState, { weight, packet, last, budget }: PathState): PathState {
  const packetToDestination = withDestinationOf(end.packet, packet)
  return {
    weight,
    assumptions: end.assumptions,
    packet: packetToDestination,
    last: rebaseSteps(start.last, end.last, last),
    budget,
  }
}
