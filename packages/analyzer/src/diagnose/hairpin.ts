import { formatEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Diagnosis, DiagnosisCode } from './diagnosis.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatService,
  type NamedEntry,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createRestartStep, formatRootHint, prependCondition, VERIFY_STEP } from './remedies.js'

/**
 * Diagnoses hairpin traffic without masquerading: a packet that returns to the pod that sent it, with the address of
 * the pod as source.
 */
export function diagnoseHairpin({
  packet,
  paths,
  reason,
  expected,
  missingLoopBack,
}: PacketDiagnosisContext): Diagnosis | undefined {
  const path = paths.find(
    ({ outcome }) => outcome.kind === 'delivered' && outcome.address === packet.source && !outcome.masqueraded,
  )
  const step = path && findEndpointStep(path)
  if (path?.outcome.kind !== 'delivered' || step === undefined || expected?.decision.kind !== 'endpoints')
    return undefined
  // Packets of the node are skipped: the node itself is then the endpoint and needs no reply path. Mode limitations are
  // reported separately.
  if (packet.origin === 'node' || reason?.divergence !== 'drift') return undefined
  const { servicePort } = expected.decision
  const { address, port } = path.outcome
  const lacked = missingLoopBack(address, port, packet.protocol)
  const about = { code: 'hairpinNotMasqueraded', plan: expected.plan, servicePort, address } as const
  if (lacked !== undefined) return diagnoseMissingLoopBack(about, lacked)
  return {
    ...describeHairpinEffect(about),
    cause: `the node has to change the source address in this case, and no rule does so for ${joinHostPort(address, port)}`,
    steps: [createRestartStep(expected.plan), VERIFY_STEP],
    ...createDiagnosisRule(step, 'sends it to itself'),
  }
}

/** Hairpin traffic of a pod: its packet to a Service returns to the pod itself, with the address of the pod as source. */
interface HairpinPacket {
  readonly code: DiagnosisCode
  readonly plan: Plan
  readonly servicePort: ServicePortId
  /** The address of the pod. */
  readonly address: string
}

/** Describes the effect of hairpin traffic without masquerading. Diagnoses of packets and of nodes use the same text. */
function describeHairpinEffect({
  code,
  plan,
  servicePort,
  address,
}: HairpinPacket): Pick<Diagnosis, 'code' | 'summary' | 'object'> {
  const object = formatService(servicePort)
  return {
    code,
    summary: prefixWithNode(plan, `pod ${address} gets no reply if ${object} selects the pod itself`),
    object,
  }
}

/** Reports whether ipvs mode uses this set to masquerade hairpin traffic. */
export function isLoopBackSet(name: string): boolean {
  return /^KUBE-(?:6-)?LOOP-BACK$/.test(name)
}

/** Reports a missing entry of a set. */
export function diagnoseMissingLoopBack(about: HairpinPacket, { set, entry }: NamedEntry): Diagnosis {
  const restart = createRestartStep(about.plan)
  return {
    ...describeHairpinEffect(about),
    cause: `the node has to change the source address in this case, but the ipset ${set}, which lists the pods that need it, does not contain this pod`,
    steps: [
      {
        text: `Add the entry ${formatRootHint(about.plan)}`,
        command: `ipset add ${set} ${entry}`,
        change: { kind: 'addSetEntry', set, entry },
      },
      { ...restart, text: prependCondition('If it disappears again', restart.text) },
    ],
    rule: `ipset ${set} ${entry}`,
    ruleStatus: 'missing',
  }
}

/** Returns the entry that the loop-back set of the node should contain for the endpoint, if it is missing there. */
export function findMissingLoopBack(
  { ipset }: NodeState,
  address: string,
  port: number,
  protocol: Protocol,
): NamedEntry | undefined {
  const set = ipset?.sets.find(({ name }) => isLoopBackSet(name))
  const entry = `${address},${protocol.toLowerCase()}:${port},${address}`
  const isThere = set?.entries.some((each) => formatEntry(each) === entry)
  return set === undefined || isThere ? undefined : { set: set.name, entry }
}
