import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { findDivergence, formatOutcomesOfPaths, omitMasquerading } from '../../explain/difference.js'
import { formatList } from '../../explain/format-list.js'
import { preferKnownPaths } from '../../program/missing-content.js'
import { createTracer } from '../../trace/trace.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import { formatOutcomes } from '../packet-diagnosis-context.js'
import { applyStepChanges, type ChangedNode, type PacketTrial } from './node-trial.js'
import { describeSideEffects } from './side-effects.js'
import type { StepChange } from './step-change.js'

/**
 * Evaluates the steps of a diagnosis: applies the change of each step, and traces the packet again. Steps without
 * the expected outcome are left out. The remaining steps get this outcome and their side effects.
 */
export function tryDiagnosisSteps(diagnosis: Diagnosis, trial: PacketTrial): Diagnosis {
  if (diagnosis.code === 'invalidRules') return { ...diagnosis, steps: diagnosis.steps.map(addLoadOutcome) }
  const steps = groupSteps(diagnosis.steps).flatMap((group) => trySteps(group, diagnosis, trial))
  const [first, ...others] = steps
  return { ...diagnosis, steps: first === undefined ? [NO_STEP] : [asFirstStep(first), ...others] }
}

/** Returns a permanent fix as an instruction of its own, because the steps before it are left out. */
function asFirstStep(step: DiagnosisStep): DiagnosisStep {
  const [, first = '', rest = ''] = PERMANENT_FIX.exec(step.text) ?? []
  return first === '' ? step : { ...step, text: `${first.toUpperCase()}${rest}` }
}

const PERMANENT_FIX = /^For a permanent fix(?: on every node)?, (.)(.*)$/

/** Adds the outcome of another version, which was compiled to find out whether its rules load. */
function addLoadOutcome(step: DiagnosisStep): DiagnosisStep {
  return step.change === undefined ? step : { ...step, outcome: 'kube-proxy can load its rules' }
}

/** The step of a diagnosis if no step has the expected outcome. */
export const NO_STEP: DiagnosisStep = {
  text: 'No single step has the expected outcome, because another problem affects the packets after this one; run kube-rules verify with the same objects and --dump to list all problems of the node',
}

/** Groups inserted rules, because each of them accepts only some of the packets. Any other step is a group of its own. */
function groupSteps(steps: readonly DiagnosisStep[]): readonly (readonly DiagnosisStep[])[] {
  const groups: DiagnosisStep[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    const isInserted = (each: DiagnosisStep | undefined) => each?.change?.kind === 'insertRule'
    if (last !== undefined && isInserted(step) && isInserted(last[0])) last.push(step)
    else groups.push([step])
  }
  return groups
}

function trySteps(steps: readonly DiagnosisStep[], diagnosis: Diagnosis, trial: PacketTrial): readonly DiagnosisStep[] {
  const changes = steps.flatMap(({ change }) => change ?? [])
  if (changes.length === 0) return steps
  const after = applyStepChanges(trial, changes)
  // A change that cannot be tried is no longer data: it is an instruction to check.
  if (after === undefined) return steps.map(({ change: _, ...step }) => step)
  const packet = redirect(trial.packet, changes)
  const paths = preferKnownPaths(after.trace(packet))
  if (!isWanted(diagnosis, { packet, paths, after, changes }, trial)) return []
  const outcome = describeOutcome(packet, paths, trial)
  const effects = describeSideEffects(changes, after, trial)
  return steps.map((step, index) =>
    index < steps.length - 1 ? step : { ...step, outcome, impact: joinImpacts(step.impact, effects) },
  )
}

function joinImpacts(impact: string | undefined, effects: string): string | undefined {
  return effects === '' ? impact : [...(impact === undefined ? [] : [impact]), effects].join('; ')
}

/** Returns the packet that clients send after changes: to the address of the change, if it has one. */
function redirect(packet: Packet, changes: readonly StepChange[]): Packet {
  const change = changes.find(({ kind }) => kind === 'useAddress')
  return change?.kind === 'useAddress'
    ? { ...packet, destination: change.address, destinationPort: change.port }
    : packet
}

interface Result {
  readonly packet: Packet
  readonly paths: readonly TracePath[]
  readonly after: ChangedNode
  readonly changes: readonly StepChange[]
}

/**
 * Reports whether changes have the expected outcome: the one that the objects then define, apart from masquerading,
 * and another one than before. If the rules are written again, it may also be that of the rules of kube-proxy. If the
 * source address is the problem, it has to stay. Without objects, the packet has to reach an endpoint that can reply.
 */
function isWanted({ code }: Diagnosis, { packet, paths, after, changes }: Result, trial: PacketTrial): boolean {
  if (code === 'sourceTakenFirst') return paths.every((path) => isDelivered(path) && !isMasqueradedByKubeProxy(path))
  const isSame = outcomeKeys(paths) === outcomeKeys(trial.paths)
  const { objects } = trial
  if (objects === undefined || after.plan === undefined)
    return !isSame && paths.every((path) => isAnswered(path, packet))
  const isRewritten = changes.every(({ kind }) => kind === 'rewriteRules')
  const compiled = isRewritten ? () => createTracer(objects.family.state, trial.traceContext)(packet) : undefined
  const divergence = findDivergence(decide(after.plan, packet), paths, compiled)
  if (isSame || divergence === undefined) return !isSame
  return divergence.kind === 'modeLimitation' || isSameApartFromMasquerading(divergence.expected, paths)
}

/** Returns the distinct outcomes with their probabilities, including whether an unmatched packet is to the node. */
function outcomeKeys(paths: readonly TracePath[]): string {
  return [...new Set(paths.map(({ outcome, weight }) => JSON.stringify({ outcome, weight })))].sort().join()
}

function isDelivered({ outcome }: TracePath): boolean {
  return outcome.kind === 'delivered'
}

/** Reports whether a packet reaches an endpoint, which is not its sender, or does not see itself as the sender. */
function isAnswered({ outcome }: TracePath, { source }: Packet): boolean {
  return outcome.kind === 'delivered' && (outcome.masqueraded || outcome.address !== source)
}

function isMasqueradedByKubeProxy({ steps }: TracePath): boolean {
  return steps.some(({ chain, target }) => chain === 'KUBE-POSTROUTING' && target.startsWith('MASQUERADE'))
}

function isSameApartFromMasquerading(expected: readonly string[], paths: readonly TracePath[]): boolean {
  return omitMasquerading(expected).join() === omitMasquerading(formatOutcomesOfPaths(paths)).join()
}

/** Describes the outcome of a tried step: `the packets reach 10.244.1.5:8080`, with masquerading if only it changes. */
function describeOutcome(
  packet: Packet,
  paths: readonly TracePath[],
  { packet: given, state, paths: untried }: PacketTrial,
): string {
  const isRedirected = packet.destination !== given.destination
  const subject = isRedirected
    ? `packets to ${joinHostPort(packet.destination, packet.destinationPort)}`
    : 'the packets'
  const limit = state.coverage === undefined ? '' : ', unless a rule that is not in the dump changes this'
  const isUnmatched = paths.every(({ outcome }) => outcome.kind === 'unmatched')
  const isOfNode = paths.every(({ outcome }) => outcome.kind === 'unmatched' && outcome.to === 'node')
  const unmatched = isOfNode ? 'reach the node itself' : 'leave the node to their destination'
  const outcome = isUnmatched ? unmatched : formatOutcomes(paths)
  const [ends, before] = [paths, untried].map((each) => formatList(formatOutcomesOfPaths(each)))
  const isSameButSource = outcome === formatOutcomes(untried) && ends !== before && paths.every(isDelivered)
  return `${subject} ${isSameButSource ? `reach ${ends}` : outcome}${limit}`
}
