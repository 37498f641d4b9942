import type { TracePath } from '@kube-rules/analyzer'
import { traceContextFor } from '@kube-rules/analyzer/explain'
import { concatViews, diagnosisView, explanationView, printLines, type RuleReference } from '@kube-rules/analyzer/view'
import { type Cluster, toCompileInput, toCompileOptions } from '@kube-rules/application/cluster'
import { readCurrentBackend } from '@kube-rules/application/dump'
import {
  createNodeFromCluster,
  createNodeFromDump,
  createPacketsToDestination,
  type DiagnosedPacket,
  type ExplainedNode,
  explainPackets,
  parseDestination,
  printDiagnosedPackets,
} from '@kube-rules/application/explain'
import { InputError } from '@kube-rules/application/messages'
import type { TextLine } from '@kube-rules/application/print'
import { IP_FAMILIES } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { type FactAnswers, parseAnswers } from '../question/fact-answers.js'
import { type PacketText, parsePacketText } from '../question/packet-text.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { completePacketText } from './complete-packet-text.js'
import { catchFailure } from './failure.js'
import { keepPossiblePaths, listFacts, shortenCondition } from './packet-facts.js'
import { rewordMessage, rewordView } from './page-words.js'
import type { PlaygroundCache } from './playground-cache.js'
import type { FormattedPath, PacketResult, PacketSides } from './results.js'
import { findRuleLineNumbers } from './rule-line-numbers.js'
import { printRequestLines } from './rules.js'
import { describeEnds, describeResult } from './sentence.js'

/**
 * Traces the packet in the packet box. The result contains one sentence, the paths, and the explanation that the
 * command prints.
 */
export function computePacketResult(question: PlaygroundRequest, memory: PlaygroundCache): PacketResult {
  if (question.packet.trim() === '') return problemAnswer('')
  const namespace = question.namespace || undefined
  const objects = objectsOf(question, memory)
  const read = parsePacketText(completePacketText(question.packet, objects), namespace)
  if (!read.ok) return problemAnswer(read.problem)
  return catchFailure(() => {
    const isLive = question.through === 'dump' && question.dump.trim() !== ''
    const node = isLive ? dumpedNode(question, memory) : compiledNode(question, memory)
    const explanation = explainPacket(read.value, node, question)
    if (explanation === undefined) return problemAnswer('this is not a valid packet')
    const answer = inWords(explanation, parseAnswers(question.answers))
    const lines = isLive ? linesOfDump(node) : printRequestLines(question, memory.compiled(question), memory)
    return {
      ...answer,
      sides: sidesOf(answer, read.value, question, memory),
      isLive,
      lines: findRuleLineNumbers(lines, [...answer.diagnoses, ...answer.view], rulesOfPaths(answer.paths)),
    }
  }, problemAnswer)
}

/** Returns the rules of all steps, because the view leaves out steps without an effect. */
function rulesOfPaths(paths: readonly FormattedPath[]): readonly RuleReference[] {
  return paths.flatMap(({ steps }) =>
    steps.map(({ table, chain, text }) => {
      const [subsystem, name] = table.split(' ')
      return { location: subsystem === 'iptables' ? `${name}/${chain}` : '', text }
    }),
  )
}

function explainPacket(
  { from, to }: PacketText,
  node: ExplainedNode,
  { namespace, established }: Pick<PlaygroundRequest, 'namespace' | 'established'>,
): DiagnosedPacket | undefined {
  const [packet] = createPacketsToDestination(parseDestination(to, namespace || undefined), node, from)
  return packet && explainPackets([packet], node, { established })[0]
}

/** Returns the outcomes through the objects and through the dump; undefined if they are the same, or one is missing. */
function sidesOf(
  answer: WordedAnswer,
  text: PacketText,
  question: PlaygroundRequest,
  memory: PlaygroundCache,
): PacketSides | undefined {
  if (question.objects.trim() === '' || question.dump.trim() === '') return undefined
  const isLive = question.through === 'dump'
  try {
    const other = explainPacket(text, isLive ? compiledNode(question, memory) : dumpedNode(question, memory), question)
    if (other === undefined) return undefined
    const { paths, servicePort } = inWords(other, parseAnswers(question.answers))
    const [own, others] = [describeEnds(answer.paths, answer.servicePort), describeEnds(paths, servicePort)]
    if (own === others) return undefined
    return isLive ? { dump: own, objects: others } : { objects: own, dump: others }
  } catch (error) {
    // The text of the other side may be incomplete, which its own pane reports.
    if (error instanceof InputError) return undefined
    throw error
  }
}

type KnownObjects = Pick<Cluster, 'services' | 'nodes'>

const NO_OBJECTS: KnownObjects = { services: [], nodes: [] }

/** Returns the objects, or none if they cannot be read. */
function objectsOf(question: PlaygroundRequest, memory: PlaygroundCache): KnownObjects {
  try {
    return memory.compiled(question).cluster
  } catch (error) {
    if (error instanceof InputError) return NO_OBJECTS
    throw error
  }
}

/** Returns a node with the compiled rules as its state, like the command with `-f` and without a dump. */
function compiledNode(question: PlaygroundRequest, memory: PlaygroundCache): ExplainedNode {
  const { cluster, values, result } = memory.compiled(question)
  return {
    families: result.families.map(({ family, plan, state }) => ({
      family,
      plan,
      state,
      compiled: state,
      traceContext: traceContextFor(plan),
    })),
    compiledFrom: {
      result,
      from: { input: toCompileInput(cluster), options: toCompileOptions(cluster, values, IP_FAMILIES) },
    },
    sources: [],
    nodes: cluster.nodes,
    services: cluster.services,
    diagnostics: [],
    assumed: cluster.assumed,
    caveats: [],
    notes: [],
  }
}

function dumpedNode(question: PlaygroundRequest, memory: PlaygroundCache): ExplainedNode {
  const live = readCurrentBackend([{ name: 'dump', text: question.dump }])
  if (question.objects.trim() === '') return createNodeFromDump(live, undefined)
  const { cluster, values } = memory.compiled(question)
  return createNodeFromCluster(cluster, values, live)
}

/** Returns the rules of the node as a dump, in the format of the tools. */
function linesOfDump({ families }: ExplainedNode): readonly TextLine[] {
  return families.flatMap(({ state }) => printLines(state, { format: 'save' }))
}

/** Maximum number of paths to draw and list. */
const MOST_PATHS = 100

type WordedAnswer = Omit<PacketResult, 'lines' | 'isLive' | 'sides'>

function inWords(explanation: DiagnosedPacket, answers: FactAnswers): WordedAnswer {
  const { packet, affinitySeconds } = explanation
  const possible = keepPossiblePaths(explanation.paths, answers)
  const all = sortPaths(possible)
  const paths = all.slice(0, MOST_PATHS).map((path) => ({ ...pathInWords(path), steps: path.steps }))
  const servicePort = ownerOf(all.slice(0, MOST_PATHS))
  // The diagnoses are about lost packets, also about those that the known facts exclude.
  const isLost = answers.size === 0 || possible.some(({ outcome }) => outcome.kind !== 'delivered')
  return {
    problem: '',
    sentence: describeResult(packet, all.map(pathInWords), { servicePort, affinitySeconds }),
    facts: listFacts(explanation.paths, possible, answers),
    servicePort,
    packet,
    paths,
    morePaths: all.length - paths.length,
    diagnoses: isLost ? rewordView(concatViews(explanation.diagnoses.map(diagnosisView))) : [],
    view: explanationView({ ...explanation, paths: possible }),
    text: printDiagnosedPackets([explanation]),
  }
}

/** Sorts paths by probability. Of paths that depend on unknown facts, those that lose the packet are first. */
function sortPaths(paths: readonly TracePath[]): readonly TracePath[] {
  const isLost = ({ outcome: { kind }, assumptions }: TracePath) =>
    assumptions.length > 0 && (kind === 'dropped' || kind === 'rejected')
  return [...paths].sort((a, b) => Number(isLost(b)) - Number(isLost(a)) || b.probability - a.probability)
}

/** Returns the only service port on the paths. Empty if there is no service port, or more than one. */
function ownerOf(paths: readonly TracePath[]): string {
  const owners = new Set(paths.flatMap(({ steps }) => steps.map(({ servicePort }) => servicePort)))
  owners.delete('')
  const [owner = ''] = owners
  return owners.size === 1 ? owner : ''
}

function pathInWords({ weight, probability, outcome, assumptions }: TracePath): FormattedPath {
  const isDelivered = outcome.kind === 'delivered'
  return {
    weight,
    probability,
    kind: outcome.kind,
    endpoint: isDelivered ? joinHostPort(outcome.address, outcome.port) : '',
    masqueraded: isDelivered && outcome.masqueraded,
    outcome: wordsOf(outcome),
    conditions: assumptions.map(({ condition, value }) => `${value ? 'if' : 'unless'} ${shortenCondition(condition)}`),
    steps: [],
  }
}

function wordsOf(outcome: TracePath['outcome']): string {
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

function problemAnswer(problem: string): PacketResult {
  const nothing = {
    sentence: '',
    facts: [],
    servicePort: '',
    paths: [],
    morePaths: 0,
    diagnoses: [],
    view: [],
    text: '',
  }
  return { problem: rewordMessage(problem), ...nothing, lines: {}, isLive: false }
}
