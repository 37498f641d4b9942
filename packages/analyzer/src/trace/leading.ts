import { type Branch, type Departed, depart, stepsLike } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { answersAlike, nothingLogged } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import {
  areAlikeBesideDestination,
  type DestinationLog,
  type DestinationQuestion,
  withDestinationOf,
} from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'

/** Follows a path over one section, and may fork it. */
export type Lead<B extends Branch> = (way: Departed) => readonly B[]

/** Returns a copy of `model` with the path state of `branch`. */
export type Like<B extends Branch> = (model: B, branch: Branch) => B

/**
 * Follows several paths like `lead` follows one. Endpoints are mostly equivalent for rules after DNAT. Among paths that
 * differ only in their destinations, with equal results for all reads of these, the first is followed, and the rest
 * reuse its result.
 */
export function leadAll<B extends Branch>(ways: readonly Departed[], lead: Lead<B>, like: Like<B>): readonly B[] {
  if (ways.length === 1) return lead(ways[0] as Departed)
  const models: Model<B>[] = []
  const ends: B[] = []
  for (const way of ways) for (const end of ledByModel(models, way, lead, like)) ends.push(end)
  return ends
}

/** Follows a path by reusing a representative, or individually, which may make it a representative. */
function ledByModel<B extends Branch>(models: Model<B>[], way: Departed, lead: Lead<B>, like: Like<B>): readonly B[] {
  // Packets of several sources may have different results.
  if (way.assumptions.length > 0 || way.packet.alike !== undefined) return lead(way)
  const model = models.find((each) => isModelOf(each, way))
  if (model !== undefined) {
    way.effort.rules -= model.rules
    return model.ends.map((end) => like(end, ledLike(end, model.start, way)))
  }
  if (models.length === MOST_MODELS) return lead(way)
  const made = leadAsModel(way, lead, like)
  if (made.isModel) models.push(made)
  return made.ends
}

/** The maximum number of representatives; without a limit, distinct paths would be compared with all of them. */
const MOST_MODELS = 8

/** A representative: the result of a path. */
interface Model<B> {
  readonly start: Departed
  readonly ends: readonly B[]
  readonly questions: readonly DestinationQuestion[]
  /** The number of matching rules. */
  readonly rules: number
}

/** A path can represent others only if it has no assumptions and its destination was not rewritten. */
function leadAsModel<B extends Branch>(
  start: Departed,
  lead: Lead<B>,
  like: Like<B>,
): Model<B> & { readonly isModel: boolean } {
  const { effort, weight, packet } = start
  const log = nothingLogged(packet.destinationLog)
  const { rules, questions } = effort
  const logged = lead(depart(withLog(start, log), start.departure))
  const ends = logged.map((end) => like(end, withLog(end, packet.destinationLog)))
  const isSure = ends.every((end) => end.assumptions.length === 0 && end.weight === weight)
  return {
    start,
    ends,
    questions: log.questions,
    rules: rules - effort.rules,
    isModel: isSure && effort.questions === questions && !log.isTranslated,
  }
}

function withLog(
  { weight, assumptions, packet, last, effort }: Branch,
  destinationLog: DestinationLog | undefined,
): Branch {
  const { destination, destinationPort } = packet
  const logged = withDestinationOf(packet, { destination, destinationPort, destinationLog })
  return { weight, assumptions, packet: logged, last, effort }
}

function isModelOf({ start, questions, rules }: Model<Branch>, { packet, effort, departure }: Departed): boolean {
  return (
    departure === start.departure &&
    effort.rules >= rules &&
    areAlikeBesideDestination(packet, start.packet) &&
    answersAlike(questions, packet)
  )
}

/** Returns the path of `branch` with the result of a representative from `start` to `end`. */
function ledLike(end: Branch, start: Branch, { weight, assumptions, packet, last, effort }: Branch): Branch {
  const led = withDestinationOf(end.packet, packet)
  return { weight, assumptions, packet: led, last: stepsLike(start.last, end.last, last), effort }
}
