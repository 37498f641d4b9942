import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Outcome } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { MISSING_CONTENT_CONDITION } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis } from '../diagnosis.js'
import { formatOwner } from '../foreign-rule.js'
import { createDiagnosisRule, findEndpointStep, type PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { createUnnamedService, findServiceOfRules } from '../service-of-packet.js'
import { diagnoseBlockingRule } from './blocked-by-rule.js'
import { formatPacketsAtStart, WHOLE_DUMP_TEXT } from './words.js'

/**
 * Diagnoses a packet by a chain that it reaches only by a rule that the dump does not show: a chain of kube-proxy that
 * rejects packets, or a chain that sends packets to a hostPort.
 */
export function diagnoseByAssumedJump(facts: PacketDiagnosisContext): Diagnosis | undefined {
  return rejectionDiagnosis(facts) ?? hostPortDiagnosis(facts)
}

/** Jumps from built-in chains that the dump may not show. */
interface AssumedJumps {
  readonly name: TableName
  readonly targets: readonly string[]
  readonly hooks: readonly Hook[]
}

/** The chains of table filter that reject packets to Services without endpoints. */
const REJECTING: AssumedJumps = {
  name: 'filter',
  targets: ['KUBE-SERVICES', 'KUBE-EXTERNAL-SERVICES'],
  hooks: ['INPUT', 'FORWARD', 'OUTPUT'],
}

/** Diagnoses a rejecting rule, unless the dump sends the packet to a Service chain: then its rules may have changed. */
function rejectionDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (facts.paths.some(({ steps }) => steps.some(({ jumpsTo }) => /^KUBE-(?:SVC|SVL|EXT|XLB|FW)-/.test(jumpsTo))))
    return undefined
  const path = traceChains(REJECTING, ({ kind }) => kind === 'rejected' || kind === 'dropped', facts)
  if (path === undefined) return undefined
  return diagnoseBlockingRule(path, { ...facts, paths: [path] })
}

/** The chains of table nat that send packets to the hostPorts of pods. */
const HOST_PORTS: AssumedJumps = {
  name: 'nat',
  targets: ['CNI-HOSTPORT-DNAT', 'KUBE-HOSTPORTS'],
  hooks: ['PREROUTING', 'OUTPUT'],
}

function hostPortDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const path = traceChains(HOST_PORTS, ({ kind }) => kind === 'delivered', facts)
  const step = path && findEndpointStep(path)
  const first = path?.steps[0]
  if (path?.outcome.kind !== 'delivered' || step === undefined || first === undefined) return undefined
  const { address, port } = path.outcome
  const hook = facts.packet.origin === 'node' ? 'OUTPUT' : 'PREROUTING'
  return {
    code: 'incompleteDump',
    summary: `${formatPacketsAtStart(facts)} may reach ${joinHostPort(address, port)} by a rule of ${formatOwner(step, facts, 'a hostPort')}: the dump does not show whether ${hook} jumps to ${first.jumpsTo}`,
    cause: `if no Service has this port of the node, and ${hook} jumps to ${first.jumpsTo}, its rules change the destination of the packets`,
    steps: [{ text: WHOLE_DUMP_TEXT }],
    object: (findServiceOfRules(facts) ?? createUnnamedService(facts)).object,
    ...createDiagnosisRule(step),
  }
}

/**
 * Returns the path of the packet with an outcome through chains of one table, as if the built-in chains jumped there.
 * The path depends on this assumption, and at most on the addresses of the node.
 */
function traceChains(
  { name, targets, hooks }: AssumedJumps,
  isWanted: (outcome: Outcome) => boolean,
  { state: { iptables, family }, traceIn }: PacketDiagnosisContext,
): TracePath | undefined {
  const table = iptables?.tables.find((each) => each.name === name)
  if (table === undefined) return undefined
  const chains = chainsWithOwnersOf(table)
  const jumps = hooks.flatMap((chain) =>
    targets
      .filter((target) => chains.has(target))
      .map((target) => ({ chain, matches: [], target: { kind: 'jump', chain: target } as const })),
  )
  const path = traceIn({ family, iptables: { family, tables: [{ ...table, jumps, policies: [] }] } }).find(
    ({ outcome, assumptions }) =>
      isWanted(outcome) && assumptions.every(({ condition }) => condition.endsWith(' is an address of the node')),
  )
  const assumption = { condition: MISSING_CONTENT_CONDITION, value: true }
  return path && { ...path, assumptions: [...path.assumptions, assumption] }
}
