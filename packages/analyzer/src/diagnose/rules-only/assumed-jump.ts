import type { Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { isDispatchChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { TO_LOCAL_MATCH } from '@kube-rules/compiler/internal/targets/shared/match'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { MISSING_CONTENT_CONDITION } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis } from '../diagnosis.js'
import { formatOwner } from '../foreign-rule.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatPackets,
  type PacketDiagnosisContext,
} from '../packet-diagnosis-context.js'
import { createUnnamedService, findFrontend, findServiceOfRules } from '../service-of-packet.js'
import { diagnoseBlockingRule } from './blocked-by-rule.js'
import { dependsOnNoMatch, formatPacketsAtStart, WHOLE_DUMP_TEXT } from './words.js'

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
  readonly targets: RegExp
  readonly hooks: readonly Hook[]
  readonly matches: Rule['matches']
}

/**
 * The chains of table filter that reject packets to Services without endpoints, and in ipvs mode to unknown ports of
 * Services. A dump may not show their addresses on kube-ipvs0.
 */
const REJECTING: AssumedJumps = {
  name: 'filter',
  targets: /^KUBE-(?:(?:EXTERNAL-)?SERVICES|IPVS-FILTER)$/,
  hooks: ['INPUT', 'FORWARD', 'OUTPUT'],
  matches: [],
}

/** Diagnoses a rejecting rule, unless the dump sends the packet to a Service chain: then its rules may have changed. */
function rejectionDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (facts.paths.some(({ steps }) => steps.some(({ jumpsTo }) => isDispatchChain(jumpsTo)))) return undefined
  const path = traceChains(REJECTING, facts).find(({ outcome: { kind } }) => kind === 'rejected' || kind === 'dropped')
  if (path === undefined) return undefined
  const assumption = { condition: MISSING_CONTENT_CONDITION, value: true }
  const assumed = { ...path, assumptions: [...path.assumptions, assumption] }
  return diagnoseBlockingRule(assumed, { ...facts, paths: [assumed] })
}

/** The chains of table nat that send packets to the hostPorts of pods. The jumps there match addresses of the node. */
const HOST_PORTS: AssumedJumps = {
  name: 'nat',
  targets: /^(?:CNI-HOSTPORT-DNAT|CNI-DN-[0-9a-f]+|KUBE-HOSTPORTS)$/,
  hooks: ['PREROUTING', 'OUTPUT'],
  matches: [TO_LOCAL_MATCH],
}

/** Diagnoses a rule for a hostPort, unless the dump has a Service at the destination. */
function hostPortDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  if (findFrontend(facts) !== undefined) return undefined
  const path = traceChains(HOST_PORTS, facts).find(({ steps }) => steps.length > 0)
  const step = path && findEndpointStep(path)
  const chain = path?.steps[0]?.jumpsTo ?? ''
  if (path === undefined || step === undefined) return undefined
  const owner = formatOwner(step, facts, 'a hostPort')
  const about = {
    code: 'incompleteDump',
    steps: [{ text: WHOLE_DUMP_TEXT }],
    object: (findServiceOfRules(facts) ?? createUnnamedService(facts)).object,
    ...createDiagnosisRule(step),
  } as const
  const { outcome } = path
  if (outcome.kind === 'delivered') {
    return {
      ...about,
      summary: `${formatPacketsAtStart(facts)} may reach ${joinHostPort(outcome.address, outcome.port)} by a rule of ${owner}: no rule in the dump jumps to chain ${chain}`,
      cause: `if no Service has this port of the node, and a rule jumps to ${chain}, its rules change the destination of the packets`,
    }
  }
  if (!isMissingChain(step.jumpsTo, facts)) return undefined
  return {
    ...about,
    summary: `It is unknown where ${formatPackets(facts.packet)} go: a rule of ${owner} sends them to chain ${step.jumpsTo}, which is missing in the dump`,
    cause: 'if no Service has this port of the node, the missing chain changes the destination of the packets',
  }
}

function isMissingChain(chain: string, { state }: PacketDiagnosisContext): boolean {
  const nat = state.iptables?.tables.find(({ name }) => name === HOST_PORTS.name)
  return chain !== '' && nat !== undefined && !chainsWithOwnersOf(nat).has(chain)
}

/**
 * Returns the paths of the packet through chains of one table, as if the built-in chains jumped there. They depend on
 * this assumption, and at most on rules that do not match and on the addresses of the node.
 */
function traceChains(
  { name, targets, hooks, matches }: AssumedJumps,
  { state: { iptables, ipset, family }, traceIn }: PacketDiagnosisContext,
): readonly TracePath[] {
  const table = iptables?.tables.find((each) => each.name === name)
  if (table === undefined) return []
  const chains = [...chainsWithOwnersOf(table).keys()].filter((chain) => targets.test(chain))
  const jumps = hooks.flatMap((hook) =>
    chains.map((chain) => ({ chain: hook, matches, target: { kind: 'jump', chain } as const })),
  )
  return traceIn({ family, ipset, iptables: { family, tables: [{ ...table, jumps, policies: [] }] } }).filter(
    dependsOnNoMatch,
  )
}
