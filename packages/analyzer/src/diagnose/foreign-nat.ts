import { changesDestination, formatLocalPort } from '../explain/format-path-outcome.js'
import type { Neighbor } from '../neighbors/neighbor.js'
import type { PathStep } from '../program/steps.js'
import type { TracePath } from '../trace/trace-paths.js'
import { isCertain } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { formatForeignRule, formatOwner, isForeignRule } from './foreign-rule.js'
import {
  createDiagnosisRule,
  formatPackets,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createUnnamedService, findServiceOfPacket } from './service-of-packet.js'

/**
 * Diagnoses a rule of another program that keeps the rules of kube-proxy from changing the destination of a packet.
 * Either the rule changes the destination first, or the kernel does not track the packet because of the rule.
 */
export function diagnoseForeignNat(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected } = facts
  if (expected !== undefined && !('servicePort' in expected.decision)) return undefined
  const service = findServiceOfPacket(facts)
  // The rules of a Service do not apply to untracked packets, so a dump without these rules is sufficient.
  const named = service ?? (expected === undefined ? createUnnamedService(facts) : undefined)
  for (const path of facts.paths) {
    const diagnosis = (service && translatedFirst(path, service, facts)) ?? (named && untracked(path, named, facts))
    if (diagnosis !== undefined) return diagnosis
  }
  return undefined
}

interface OfService {
  readonly object: string
  readonly text: string
}

function translatedFirst(
  path: TracePath,
  { object, text }: OfService,
  facts: PacketDiagnosisContext,
): Diagnosis | undefined {
  const { steps, outcome } = path
  const step = steps.find(changesDestination)
  if (step === undefined || !isForeignRule(step, facts)) return undefined
  const neighbor = facts.neighborOf(step)?.neighbor
  if (neighbor?.serves !== undefined && !(neighbor.isOfPods === true && facts.hasServiceRules()))
    return servedByNeighbor(step, neighbor, object, facts)
  const target = outcome.kind === 'proxy' ? formatLocalPort(outcome.port) : `to ${step.target.split(' ').at(-1)}`
  return {
    code: 'translatedFirst',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${isCertain(path, facts) ? 'go' : 'may go'} ${target} instead of an endpoint: ${formatOwner(step, facts)} changes their destination`,
    ),
    cause: `${formatForeignRule(step, facts)} applies before the rules of ${object}, and the first change of a destination counts`,
    steps: neighbor === undefined ? exclusionSteps(text, facts) : [remedyOf(neighbor)],
    object,
    ...createDiagnosisRule(step),
  }
}

function exclusionSteps(service: string, facts: PacketDiagnosisContext): readonly DiagnosisStep[] {
  return [
    {
      text: `Find out which program owns the rule, and configure it to exclude packets to ${service} (${describeDestination(facts)})`,
    },
    { text: 'If a service mesh or another proxy owns the rule and serves the Service itself, do nothing' },
  ]
}

function remedyOf({ name, isOfPods, remedy }: Neighbor): DiagnosisStep {
  if (isOfPods !== true) return remedy
  return {
    text: `Find out what wrote rules of ${name} on the node, and remove them: ${name} needs them only in the network namespaces of pods`,
  }
}

function untracked(path: TracePath, { object }: OfService, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { steps, outcome } = path
  const step = steps.find(({ target }) => UNTRACKED.test(target))
  if (step === undefined || !isForeignRule(step, facts) || outcome.kind === 'delivered') return undefined
  const neighbor = facts.neighborOf(step)?.neighbor
  if (neighbor?.serves !== undefined) return servedByNeighbor(step, neighbor, object, facts)
  return {
    code: 'untracked',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${isCertain(path, facts) ? 'keep' : 'may keep'} their destination: ${formatOwner(step, facts)} excludes them from connection tracking`,
    ),
    cause: `${formatForeignRule(step, facts)} excludes them, and the kernel changes addresses of tracked packets only, so the rules of ${object} do not apply`,
    steps: [
      {
        text: `${neighbor === undefined ? 'Find out which program owns the rule, and configure it' : `Configure ${neighbor.name}`} to track packets to addresses of Services, such as ${describeDestination(facts)}`,
      },
    ],
    object,
    ...createDiagnosisRule(step),
  }
}

/** Describes packets that a known program serves itself, as it should. */
function servedByNeighbor(
  step: PathStep,
  { name, serves, effect, remedy }: Neighbor,
  object: string,
  facts: PacketDiagnosisContext,
): Diagnosis {
  return {
    code: 'servedByNeighbor',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} are ${facts.neighborOf(step)?.isLikely === true ? 'probably ' : ''}not for kube-proxy: ${serves}. This is normal`,
    ),
    cause: `${formatForeignRule(step, facts)} applies before the rules of ${object}; ${name} ${effect}`,
    steps: [{ text: `Do nothing: this is how ${name} works` }, remedy],
    object,
    ...createDiagnosisRule(step),
  }
}

const UNTRACKED = /^(?:NOTRACK$|CT\b.*--notrack\b|notrack$)/

function describeDestination({ packet }: PacketDiagnosisContext): string {
  return `${packet.destination}, port ${packet.destinationPort}/${packet.protocol}`
}
