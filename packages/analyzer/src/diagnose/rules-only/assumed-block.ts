import type { Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { chainsWithOwnersOf, jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Packet } from '@kube-rules/types'
import { createExampleSource } from '../../explain/example-source.js'
import { createSourceContext } from '../../explain/explain.js'
import type { PathStep } from '../../program/steps.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { isForeignRule } from '../foreign-rule.js'
import { isUnmanagedInterface } from '../foreign-rules.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { dependsOnNoMatch } from './words.js'

/** A rule or policy of another program that ends a path. */
export interface ForeignBlock {
  readonly path: TracePath
  readonly step: PathStep
}

/**
 * Returns the rule or policy of another program in table filter that blocks the packet if the chains that the dump does
 * not have accept nothing. If the dump does not have the nat table, a packet of an external client may be sent to a pod.
 */
export function findAssumedBlock(facts: PacketDiagnosisContext): ForeignBlock | undefined {
  const { packet, state, traceIn } = facts
  const { iptables, family } = state
  const filter = iptables?.tables.find(({ name }) => name === 'filter')
  if (filter === undefined) return undefined
  const known = { family, iptables: { family, tables: [withoutMissingChains(filter)] } }
  for (const each of [packet, ...(hasNat(facts) ? [] : toExamplePod(facts))]) {
    for (const path of traceIn(known, each)) {
      const step = path.steps.at(-1)
      const isBlocked = path.outcome.kind === 'rejected' || path.outcome.kind === 'dropped'
      if (step !== undefined && isBlocked && dependsOnNoMatch(path) && isForeign(step, facts)) return { path, step }
    }
  }
  return undefined
}

function isForeign(step: PathStep, facts: PacketDiagnosisContext): boolean {
  return isForeignRule(step, facts) && !isUnmanagedInterface(step)
}

function hasNat({ state }: PacketDiagnosisContext): boolean {
  return state.iptables?.tables.some(({ name }) => name === 'nat') === true
}

/** Returns the packet of an external client with a pod as its destination. */
function toExamplePod({ packet, state }: PacketDiagnosisContext): readonly Packet[] {
  if (packet.origin !== 'outside') return []
  const pod = createExampleSource('pod', createSourceContext(state, {}))
  return pod === undefined ? [] : [{ ...packet, destination: pod.source }]
}

/** Removes the jumps to chains that the table does not have. */
function withoutMissingChains(table: Table): Table {
  const chains = chainsWithOwnersOf(table)
  const isKnown = (rule: Rule) => {
    const target = jumpTargetOf(rule)
    return target === undefined || chains.has(target) || isBuiltInChain(table.name, target)
  }
  return {
    ...table,
    jumps: table.jumps.filter(isKnown),
    blocks: table.blocks.map((block) => ({ ...block, rules: block.rules.filter(isKnown) })),
  }
}
