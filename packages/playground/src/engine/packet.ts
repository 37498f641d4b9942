import { explain, type NodeState, type Packet, type Surroundings, type Way } from '@kube-rules/compiler'
import {
  answerPacket as answersTo,
  attribute,
  nodePortAddress,
  printAnswer,
  printExplanation,
  sampleSource,
  sourceFacts,
  sourceOf,
  surroundingsOf,
  surveyedFrontends,
} from '@kube-rules/compiler/explain'
import type { Plan } from '@kube-rules/compiler/plan'
import { joinViews, viewOfAnswer, viewOfExplanation } from '@kube-rules/compiler/view'
import { familyOf, type IpFamily, joinHostPort, type Protocol } from '@kube-rules/types'
import { type AddressText, type PacketText, readPacket, type ServiceText } from '../question/packet-text.js'
import type { Question } from '../question/question.js'
import type { PacketAnswer, WayInWords } from './answers.js'
import { dumpLines } from './dump.js'
import { linesOfRules } from './lines-of-rules.js'
import type { Compiled, Memory } from './memory.js'
import { printedFor } from './rules.js'
import { sentenceOf } from './sentence.js'

/** What becomes of the packet of the box: in one sentence, as ways, and as the command explains it. */
export async function answerPacket(question: Question, memory: Memory): Promise<PacketAnswer> {
  if (question.packet.trim() === '') return problemAnswer('')
  const read = readPacket(question.packet)
  if (!read.ok) return problemAnswer(read.problem)
  const isLive = question.through === 'dump' && question.dump.trim() !== ''
  const dump = isLive ? memory.dump(question.dump) : undefined
  if (dump?.ok === false) return problemAnswer('nothing in the dump can be read')
  const compiled = await memory.compiled(question, { dump: dump?.value })
  if (!compiled.ok) return problemAnswer('there are no rules: see what is wrong with the objects')
  const families = compiled.value.result.families.map(({ family, plan, state }): ExplainedFamily => ({
    family,
    plan,
    compiled: state,
    state: dump?.ok ? attribute(dump.value[family], state) : state,
    surroundings: surroundingsOf(plan),
  }))
  const found = packetOf(read.value, families)
  if ('problem' in found) return problemAnswer(found.problem)
  const answer = explained(found, compiled.value)
  const lines = dump?.ok ? dumpLines(dump.value, compiled.value.result) : printedFor(question, compiled.value)
  return { ...answer, isLive, lines: linesOfRules(lines, [...answer.answers, ...answer.view]) }
}

/** What there is to go through of one family, and what should happen. */
interface ExplainedFamily {
  readonly family: IpFamily
  readonly state: NodeState
  readonly compiled: NodeState
  readonly plan: Plan
  readonly surroundings: Surroundings
}

interface FoundPacket {
  readonly packet: Packet
  readonly through: ExplainedFamily
}

function explained({ packet, through }: FoundPacket, { cluster, result, from }: Compiled): Omit<PacketAnswer, 'lines' | 'isLive'> {
  const { state, plan, compiled, surroundings } = through
  const explanation = explain(state, packet, { plan, compiled, nodes: cluster.nodes, ...surroundings })
  const answers = answersTo(explanation, state, { result, from, ...surroundings })
  const all = [...explanation.ways].sort((a, b) => b.probability - a.probability)
  const ways = all.slice(0, MOST_WAYS).map(wayInWords)
  const servicePort = ownerOf(explanation.ways)
  return {
    problem: '',
    sentence: sentenceOf(packet, all.length > MOST_WAYS ? all.map(wayWithoutSteps) : ways, servicePort),
    servicePort,
    packet,
    ways,
    moreWays: all.length - ways.length,
    answers: joinViews(answers.map(viewOfAnswer)),
    view: viewOfExplanation(explanation),
    text: answers.map(printAnswer).join('') + printExplanation(explanation),
  }
}

/** So many ways are drawn and listed. */
const MOST_WAYS = 100

function ownerOf(ways: readonly Way[]): string {
  const owners = new Set(ways.slice(0, MOST_WAYS).flatMap(({ steps }) => steps.map(({ owner }) => owner)))
  owners.delete('')
  const [owner] = owners
  return owners.size === 1 ? (owner ?? '') : ''
}

function wayInWords(way: Way): WayInWords {
  return { ...wayWithoutSteps(way), steps: way.steps }
}

function wayWithoutSteps({ weight, probability, outcome, assumptions }: Way): WayInWords {
  const isDelivered = outcome.kind === 'delivered'
  const endpoint = isDelivered ? joinHostPort(outcome.address, outcome.port) : ''
  return {
    weight,
    probability,
    kind: outcome.kind,
    endpoint,
    masqueraded: isDelivered && outcome.masqueraded,
    outcome: wordsOf(outcome),
    given: assumptions.map(({ what, holds }) => `${holds ? 'if' : 'unless'} ${what}`),
    steps: [],
  }
}

function wordsOf(outcome: Way['outcome']): string {
  switch (outcome.kind) {
    case 'delivered':
      return `${joinHostPort(outcome.address, outcome.port)}${outcome.masqueraded ? ', masqueraded' : ''}`
    case 'proxy':
      return `to the proxy, at port ${outcome.port}`
    case 'unknown':
      return `cannot be told: ${outcome.reason}`
    default:
      return outcome.kind
  }
}

type Found = FoundPacket | { readonly problem: string }

/** Where the packet goes to on this node, and a source that fits where it comes from. */
function packetOf({ from, to }: PacketText, families: readonly ExplainedFamily[]): Found {
  const wanted = typeof from === 'string' ? undefined : from.family
  const place = 'service' in to ? placeOfService(to, families, wanted) : placeOf(to, families, wanted)
  if ('problem' in place) return place
  const through = families.find(({ family }) => family === familyOf(place.address))
  if (through === undefined) return { problem: `there are no rules of ${familyOf(place.address)}` }
  if (wanted !== undefined && wanted !== through.family) {
    return { problem: `the source is of ${wanted}, and the destination of ${through.family}` }
  }
  const facts = sourceFacts(through.state, through.surroundings, through.plan)
  const source = typeof from === 'string' ? sampleSource(from, facts) : sourceOf(from.address, facts)
  if (source === undefined) return { problem: 'no address of the node is known; give an address as the source' }
  const { address, port, protocol } = place
  return { packet: { ...source, protocol, destination: address, destinationPort: port }, through }
}

interface Place {
  readonly address: string
  readonly port: number
  readonly protocol: Protocol
}

/** A port of the node is looked for on the first of its addresses that serves node ports. */
function placeOf({ address, port, protocol }: AddressText, families: readonly ExplainedFamily[], wanted: IpFamily | undefined): Place | { readonly problem: string } {
  if (address !== undefined) return { address, port, protocol }
  const own = families
    .filter(({ family }) => wanted === undefined || family === wanted)
    .flatMap(({ surroundings, plan }) => nodePortAddress(surroundings, plan) ?? [])
  if (own[0] === undefined) return { problem: 'no address of the node is known that serves node ports' }
  return { address: own[0], port, protocol }
}

/** The first address of the Service, its cluster IP where it has one. */
function placeOfService({ service, port, protocol }: ServiceText, families: readonly ExplainedFamily[], wanted: IpFamily | undefined): Place | { readonly problem: string } {
  const frontends = families
    .filter(({ family }) => wanted === undefined || family === wanted)
    .flatMap(({ state, plan }) => surveyedFrontends(state, { plan }))
    .filter(({ owner }) => new RegExp(`^${service}(?::|/)`).test(owner))
  const fitting = frontends.filter(
    (each) =>
      (protocol === undefined || each.protocol === protocol) &&
      (port === undefined || String(each.port) === port || each.owner.startsWith(`${service}:${port}/`)),
  )
  const found = fitting.find(({ kind }) => kind === 'clusterIP') ?? fitting[0]
  if (found !== undefined) return found
  return { problem: frontends.length === 0 ? `there are no rules for ${service}` : `${service} has no such port` }
}

function problemAnswer(problem: string): PacketAnswer {
  return { problem, sentence: '', servicePort: '', ways: [], moreWays: 0, answers: [], view: [], text: '', lines: {}, isLive: false }
}
