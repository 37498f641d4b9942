import type { Way } from '@kube-rules/analyzer'
import { surroundingsOf } from '@kube-rules/analyzer/explain'
import { joinViews, printedLines, viewOfAnswer, viewOfExplanation } from '@kube-rules/analyzer/view'
import { compileOptions } from '@kube-rules/application/cluster'
import { readMainBackEnd } from '@kube-rules/application/dump'
import {
  type Answered,
  type ExplainedNode,
  type ExplainedPacket,
  explainPackets,
  nodeOfCluster,
  packetsTo,
  printAnswered,
  readDestination,
} from '@kube-rules/application/explain'
import type { TextLine } from '@kube-rules/application/print'
import { IP_FAMILIES, joinHostPort } from '@kube-rules/types'
import { readPacket } from '../question/packet-text.js'
import type { Question } from '../question/question.js'
import type { PacketAnswer, WayInWords } from './answers.js'
import { answerOr } from './failure.js'
import { linesOfRules } from './lines-of-rules.js'
import type { Memory } from './memory.js'
import { printedFor } from './rules.js'
import { sentenceOf } from './sentence.js'

/** Traces the packet of the packet box. The result has one sentence, the paths, and the explanation of the command. */
export function answerPacket(question: Question, memory: Memory): PacketAnswer {
  if (question.packet.trim() === '') return problemAnswer('')
  const namespace = question.namespace || undefined
  const read = readPacket(question.packet, namespace)
  if (!read.ok) return problemAnswer(read.problem)
  const { from, to } = read.value
  return answerOr(() => {
    const isLive = question.through === 'dump' && question.dump.trim() !== ''
    const node = isLive ? dumpedNode(question, memory) : compiledNode(question, memory)
    const [packet] = packetsTo(readDestination(to, namespace), node, from)
    const [explanation] = packet === undefined ? [] : explainPackets([packet], node, question)
    if (packet === undefined || explanation === undefined) return problemAnswer('no packet can be made of this')
    const answer = inWords(explanation, packet)
    const lines = isLive ? linesOfDump(node) : printedFor(question, memory.compiled(question), memory)
    return { ...answer, isLive, lines: linesOfRules(lines, [...answer.answers, ...answer.view]) }
  }, problemAnswer)
}

/** Builds the node from compiled results, as the command does for `-f` alone. */
function compiledNode(question: Question, memory: Memory): ExplainedNode {
  const { cluster, values, result } = memory.compiled(question)
  return {
    families: result.families.map(({ family, plan, state }) => ({
      family,
      plan,
      state,
      compiled: state,
      surroundings: surroundingsOf(plan),
    })),
    compiledFrom: { result, from: { input: cluster, options: compileOptions(cluster, values, IP_FAMILIES) } },
    sources: [],
    nodes: cluster.nodes,
    services: cluster.services,
    diagnostics: [],
    doubts: [],
    notes: [],
  }
}

function dumpedNode(question: Question, memory: Memory): ExplainedNode {
  const { cluster, values } = memory.compiled(question)
  return nodeOfCluster(cluster, values, readMainBackEnd([{ name: 'dump', text: question.dump }]))
}

/** The dump of the node, as its tools print it. */
function linesOfDump({ families }: ExplainedNode): readonly TextLine[] {
  return families.flatMap(({ state }) => printedLines(state, { spelling: 'save' }))
}

/** Maximum number of paths to draw and list. */
const MOST_WAYS = 100

function inWords(explanation: Answered, { packet }: ExplainedPacket): Omit<PacketAnswer, 'lines' | 'isLive'> {
  const all = [...explanation.ways].sort((a, b) => b.probability - a.probability)
  const ways = all.slice(0, MOST_WAYS).map((way) => ({ ...wayInWords(way), steps: way.steps }))
  const servicePort = ownerOf(all.slice(0, MOST_WAYS))
  return {
    problem: '',
    sentence: sentenceOf(packet, all.map(wayInWords), servicePort),
    servicePort,
    packet,
    ways,
    moreWays: all.length - ways.length,
    answers: joinViews(explanation.answers.map(viewOfAnswer)),
    view: viewOfExplanation(explanation),
    text: printAnswered([explanation]),
  }
}

/** Returns the only service port on the paths; empty if there are several or none. */
function ownerOf(ways: readonly Way[]): string {
  const owners = new Set(ways.flatMap(({ steps }) => steps.map(({ owner }) => owner)))
  owners.delete('')
  const [owner = ''] = owners
  return owners.size === 1 ? owner : ''
}

function wayInWords({ weight, probability, outcome, assumptions }: Way): WayInWords {
  const isDelivered = outcome.kind === 'delivered'
  return {
    weight,
    probability,
    kind: outcome.kind,
    endpoint: isDelivered ? joinHostPort(outcome.address, outcome.port) : '',
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
      return `cannot be determined: ${outcome.reason}`
    default:
      return outcome.kind
  }
}

function problemAnswer(problem: string): PacketAnswer {
  const nothing = { sentence: '', servicePort: '', ways: [], moreWays: 0, answers: [], view: [], text: '' }
  return { problem, ...nothing, lines: {}, isLive: false }
}
