import { iptablesToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isDispatchChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { formatList } from '../../explain/format-list.js'
import { isInDefaultNodePorts } from '../../plan/default-node-ports.js'
import { dependsOnMissingTables, preferKnownPaths } from '../../program/missing-content.js'
import type { PathStep } from '../../program/steps.js'
import { isAssumedRule } from '../../targets/shared/assumed-rule.js'
import { lacksVirtualServers } from '../../trace/create-program.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import { formatForeignRule, isForeignRule } from '../foreign-rule.js'
import {
  createForeignRuleReference,
  formatForeignDecider,
  isUnmanagedInterface,
  sortByAssumedMatches,
} from '../foreign-rules.js'
import {
  createDiagnosisRule,
  formatOutcomes,
  formatPackets,
  type PacketDiagnosisContext,
} from '../packet-diagnosis-context.js'
import { createUnnamedService, findServiceOfPacket } from '../service-of-packet.js'
import { findAssumedBlock } from './assumed-block.js'
import { diagnoseByAssumedJump } from './assumed-jump.js'
import { describeMissingJump } from './missing-jump.js'
import { formatPacketsAtStart, WHOLE_DUMP_TEXT } from './words.js'

/**
 * Diagnoses a packet that no rule of a partial dump sends to an endpoint. Names what is missing in the dump, and the rule
 * of another program that may block the packet.
 */
export function diagnoseIncompleteDump(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { paths, state } = facts
  const known = sortByAssumedMatches(preferKnownPaths(paths))
  if (state.coverage === undefined || known.some(isAnswered)) return undefined
  const missing = findMissingPart(known, facts)
  if (missing === undefined) return undefined
  const block = findForeignBlock(known, facts) ?? (hasServiceStep(known) ? undefined : findAssumedBlock(facts))
  const about = {
    code: 'incompleteDump',
    steps: [wholeDumpStep(facts)],
    object: (findServiceOfPacket(facts) ?? createUnnamedService(facts)).object,
  } as const
  if (block !== undefined) {
    const { path, step } = block
    const fate = formatOutcomes([path], 'possible')
    return {
      ...about,
      summary: `${formatPacketsAtStart(facts)} ${fate} by ${formatForeignDecider(step, facts)}; it is unknown where they are sent: ${missing}`,
      cause: `if no earlier rule accepts them, ${formatForeignRule(step, facts)} applies to them`,
      ...createForeignRuleReference(step),
    }
  }
  const assumed = diagnoseByAssumedJump(facts)
  if (assumed !== undefined) return assumed
  const missingJump = describeMissingJump(facts)
  if (missingJump !== undefined) return { ...about, ...missingJump }
  const last = known.flatMap(({ steps }) => steps.filter(({ text }) => !isAssumedRule(text)).at(-1) ?? [])[0]
  return {
    ...about,
    summary: `It is unknown what happens to ${formatPackets(facts.packet)}: ${missing}${formatOtherAddresses(facts)}`,
    cause: 'the dump has only a part of the rules, and the missing part decides about these packets',
    ...(last === undefined
      ? {
          rule: facts.state.nftables === undefined ? 'nat/KUBE-SERVICES' : 'chain nat-prerouting',
          ruleStatus: 'not in the dump, or not all of it',
        }
      : createDiagnosisRule(last, 'the last rule in the dump that matches')),
  }
}

/** Reports whether the dump shows where the packet goes. */
function isAnswered({ outcome }: TracePath): boolean {
  return outcome.kind === 'delivered' || outcome.kind === 'proxy'
}

/**
 * Returns the missing part that decides about the packet: the nat table, else the chain that a rule sends the packet to,
 * else the part that may have further rules. Undefined if nothing is missing.
 */
function findMissingPart(known: readonly TracePath[], { paths, state }: PacketDiagnosisContext): string | undefined {
  const hasNat = state.iptables?.tables.some(({ name }) => name === 'nat') ?? true
  const ofTables = paths.filter((path) => dependsOnMissingTables([path]) && isStoppedByTables(path))
  const partial = known.flatMap((path) => findPartialChain(path, state) ?? [])
  const [reason] = [
    ...partial,
    ...(hasNat && !lacksVirtualServers(state) ? [] : ofTables),
    ...known,
    ...paths.filter((path) => !ofTables.includes(path)),
    ...paths,
  ]
    .map((each) =>
      typeof each === 'string' ? each : each.outcome.kind === 'unknown' ? each.outcome.reason : undefined,
    )
    .filter((each) => each !== undefined)
  return reason
}

/** Returns the reason for a path that leaves a partial chain of a Service. */
function findPartialChain({ outcome, steps }: TracePath, { coverage }: NodeState): string | undefined {
  const chain = steps.find(({ jumpsTo }) => isDispatchChain(jumpsTo))?.jumpsTo
  if (outcome.kind !== 'unmatched' || chain === undefined) return undefined
  const isWhole = createCoverageQueries(coverage).isComplete('iptables', 'nat', `nat/${chain}`)
  return isWhole ? undefined : `not all of chain nat/${chain} is in the dump`
}

function hasServiceStep(paths: readonly TracePath[]): boolean {
  return paths.some(({ steps }) =>
    steps.some(({ servicePort, jumpsTo }) => servicePort !== '' || isDispatchChain(jumpsTo)),
  )
}

/**
 * Lists the addresses where the dump has a node port, if it does not have it at the destination. For any other port,
 * describes that whole ipvs has no virtual server for the destination.
 */
function formatOtherAddresses({ packet, frontends, state }: PacketDiagnosisContext): string {
  const { destination, destinationPort, protocol } = packet
  const addresses = frontends().flatMap(({ port, protocol: of, address }) =>
    port === destinationPort && of === protocol && address !== undefined ? address : [],
  )
  if (addresses.includes(destination)) return ''
  if (isInDefaultNodePorts(destinationPort) && addresses.length > 0)
    return `; it has ${destinationPort}/${protocol} only at ${formatList([...new Set(addresses)])}`
  const isWhole = state.ipvs !== undefined && createCoverageQueries(state.coverage).isComplete('ipvs')
  return isWhole ? '; no virtual server has this address and port' : ''
}

/** Reports whether a path ends because of missing tables. */
function isStoppedByTables({ assumptions: [first, ...others] }: TracePath): boolean {
  return first?.value === false && others.length === 0
}

/** Returns the rule or policy of another program that blocks the packet. */
function findForeignBlock(
  known: readonly TracePath[],
  facts: PacketDiagnosisContext,
): { readonly path: TracePath; readonly step: PathStep } | undefined {
  for (const path of known) {
    const step = path.steps.at(-1)
    const isBlocked = path.outcome.kind === 'rejected' || path.outcome.kind === 'dropped'
    if (step !== undefined && isBlocked && isForeignRule(step, facts) && !isUnmanagedInterface(step))
      return { path, step }
  }
  return undefined
}

function wholeDumpStep({ state }: PacketDiagnosisContext): DiagnosisStep {
  const { iptables, ipvs, nftables, family } = state
  if (iptables === undefined || ipvs !== undefined || nftables !== undefined || lacksVirtualServers(state))
    return { text: WHOLE_DUMP_TEXT }
  return {
    text: 'Print all rules of the node, as root, and repeat kube-rules explain with them',
    command: `${iptablesToolOf(family)}-save`,
  }
}
