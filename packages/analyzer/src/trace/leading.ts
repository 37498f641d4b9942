import { type Branch, type Departed, depart, stepsLike } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { answersAlike, nothingLogged } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import {
  areAlikeBesideDestination,
  type DestinationLog,
  type DestinationQuestion,
  withDestinationOf,
} from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'

/** Leads a way over some part of where it goes, which may make it several. */
export type Lead<B extends Branch> = (way: Departed) => readonly B[]

/** A `B` of this branch which is in all else as the model is. */
export type Like<B extends Branch> = (model: B, branch: Branch) => B

/**
 * Leads several ways as `lead` does one. Endpoints are mostly alike to what comes behind their translation: of ways that differ in
 * nothing but their destinations, and whose destinations give the same answers to all that is asked of them, the first is led, and
 * the others are given what has come of it.
 */
export function leadAll<B extends Branch>(ways: readonly Departed[], lead: Lead<B>, like: Like<B>): readonly B[] {
  if (ways.length === 1) return lead(ways[0] as Departed)
  const models: Model<B>[] = []
  const ends: B[] = []
  for (const way of ways) for (const end of ledByModel(models, way, lead, like)) ends.push(end)
  return ends
}

/** Leads a way as one of the models, or by itself, which may make it a model. */
function ledByModel<B extends Branch>(models: Model<B>[], way: Departed, lead: Lead<B>, like: Like<B>): readonly B[] {
  // Of packets of several sources each may get another answer.
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

/** Ways that are all different from one another would otherwise be compared with all of them. */
const MOST_MODELS = 8

/** What has come of a way. */
interface Model<B> {
  readonly start: Departed
  readonly ends: readonly B[]
  readonly questions: readonly DestinationQuestion[]
  /** How many rules were applied. */
  readonly rules: number
}

/** Whether it tells of others depends on whether all was told of it, and whether it kept its destination. */
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

/** The way of `branch` if it goes from `start` to `end`. */
function ledLike(end: Branch, start: Branch, { weight, assumptions, packet, last, effort }: Branch): Branch {
  const led = withDestinationOf(end.packet, packet)
  return { weight, assumptions, packet: led, last: stepsLike(start.last, end.last, last), effort }
}
