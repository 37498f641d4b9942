import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import { belongsToKubeProxy } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { isKubeletChain, isSharedWithKubelet } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { isPolicyText } from '../neighbors/recognize-rule.js'
import type { PathStep } from '../program/steps.js'
import type { PacketDiagnosisContext } from './packet-diagnosis-context.js'

/** The service port of the packet: text `default/web:http` and object `Service default/web`. */
export interface DiagnosedService {
  readonly text: string
  readonly object: string
  readonly namespace: string
  readonly name: string
}

/** Reports whether a rule is of another program, in any table of iptables or nftables. */
export function isForeignRule(step: PathStep, { neighborOf }: PacketDiagnosisContext): boolean {
  // kube-router and the kubelet also create chains named KUBE-….
  return neighborOf(step)?.isLikely === false || !isInKubernetesChain(step)
}

/**
 * Reports whether a step is in a chain of kube-proxy or the kubelet, or of ipvs, which has no chains.
 *
 * @throws DiagnosticsError if the argument is not a step.
 */
export function isInKubernetesChain(step: PathStep): boolean {
  checkShape('step', step, { table: 'text', chain: 'text' }, 'a step of a path')
  const { table, chain } = step
  if (table.startsWith('nftables ')) return table.endsWith(' kube-proxy')
  return !table.startsWith('iptables ') || isKubernetesChain(`${table.slice('iptables '.length)}/${chain}`)
}

function isKubernetesChain(id: string): boolean {
  const chain = id.slice(id.indexOf('/') + 1)
  return belongsToKubeProxy(id) || isKubeletChain(id) || isSharedWithKubelet(chain)
}

/**
 * Formats the position of a rule: `rule 3 of FORWARD`, or, for nftables, `a rule of chain forward in table inet
 * filter`.
 */
export function formatRuleName(step: PathStep, facts: PacketDiagnosisContext): string {
  if (step.table.startsWith('nftables ')) return `a rule of ${formatChain(step)}`
  return `rule ${findRulePosition(step, facts)} of ${step.chain}`
}

/** Formats the program that a rule belongs to: `Calico`, `another program`. */
export function formatOwner(
  step: PathStep,
  { neighborOf }: PacketDiagnosisContext,
  unknown = 'another program',
): string {
  const recognized = neighborOf(step)
  if (recognized === undefined) return unknown
  const { name } = recognized.neighbor
  return recognized.isLikely ? `another program (probably ${name})` : name
}

/** Formats a rule with its owner: `rule 3 of FORWARD, which is not kube-proxy's,`. */
export function formatForeignRule(step: PathStep, facts: PacketDiagnosisContext): string {
  const recognized = facts.neighborOf(step)
  const rule = isPolicy(step) ? `the policy of ${formatChain(step)}` : formatRuleName(step, facts)
  if (recognized === undefined) return `${rule}, which is not kube-proxy's,`
  const probably = recognized.isLikely ? 'probably ' : ''
  return isPolicy(step)
    ? `${rule}, which ${recognized.neighbor.name} ${probably}sets,`
    : `${rule}, which ${probably}belongs to ${recognized.neighbor.name},`
}

/** Reports whether a step is the policy of a chain instead of a rule. */
export function isPolicy({ text }: PathStep): boolean {
  return isPolicyText(text)
}

/** Formats a chain: `FORWARD`, `chain forward in table inet filter`. */
export function formatChain({ table, chain }: PathStep): string {
  return table.startsWith('nftables ') ? `chain ${chain} in table ${table.slice('nftables '.length)}` : chain
}

/** Returns the position of the rule, from 1 as in iptables. */
export function findRulePosition(step: PathStep, { rulesOf }: PacketDiagnosisContext): number {
  return rulesOf(step).findIndex(({ text }) => text === step.text) + 1
}

/** Returns the first rule after `entry` in the same chain that jumps to a kube-proxy chain. */
export function findLaterJump(entry: PathStep, facts: PacketDiagnosisContext): ChainPosition | undefined {
  const rules = facts.rulesOf(entry)
  const from = findRulePosition(entry, facts)
  const expected = entry.chain === 'POSTROUTING' ? 'KUBE-POSTROUTING' : 'KUBE-SERVICES'
  const index = rules.findIndex(({ jumpsTo }, at) => at >= from && jumpsTo === expected)
  const found = rules[index]
  return found === undefined ? undefined : { chain: found.jumpsTo, index: index + 1 }
}

/** A chain, with the position of the rule in a built-in chain that jumps to it. */
export interface ChainPosition {
  readonly chain: string
  readonly index: number
}
