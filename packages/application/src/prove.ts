import type { Proof } from '@kube-rules/analyzer'
import { printComparison } from '@kube-rules/analyzer/compare'
import type { ProxyMode } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'
import { printUnread } from './compare.js'
import type { ProveDocument } from './documents.js'
import { printJsonDocument } from './messages/lines.js'

/** Inputs of a proof that are printed together with the proof. */
export interface ProofContext {
  readonly mode: ProxyMode
  readonly kubernetesVersion: string
  readonly diagnostics: readonly Diagnostic[]
  readonly assumed: readonly AssumedValue[]
  /** The subdirectories with manifests that were not read. */
  readonly notRead: readonly string[]
}

/** Prints proofs as text: one line for each family, followed by the counterexamples of this family. */
export function printProofs(proofs: readonly Proof[], context: ProofContext): string {
  const families = proofs.map((proof) => `${formatProof(proof, context)}\n${printFindings(proof)}`)
  return `${families.join('')}${printUnread(context.notRead)}`
}

/**
 * Formats a proof: `IPv4: rules of iptables mode, 1.36: proven for every packet, 170 classes; limitations of iptables
 * mode: loopbackGuarded (8)`.
 */
export function formatProof(
  { family, verdict, classes, limitations, counterexamples, inconclusive, notProven }: Proof,
  { mode, kubernetesVersion }: Pick<ProofContext, 'mode' | 'kubernetesVersion'>,
): string {
  const used = limitations.map(({ code, classes }) => `${code} (${classes})`).join(', ')
  const limits = used === '' ? '' : `; limitations of ${mode} mode: ${used}`
  const of = `rules of ${mode} mode, ${kubernetesVersion}`
  if (verdict === 'proven') return `${family}: ${of}: proven for every packet, ${classes} classes${limits}`
  if (verdict === 'refuted') {
    const counterexampleCount =
      counterexamples.length === 1 ? '1 counterexample' : `${counterexamples.length} counterexamples`
    return `${family}: ${of}: refuted, ${counterexampleCount} in ${classes} classes${limits}`
  }
  const left =
    inconclusive.length > 0 ? 'outcomes are undetermined' : `${notProven.length} destinations have too many classes`
  return `${family}: ${of}: inconclusive, ${left}, ${classes} classes${limits}`
}

function printFindings({ classes, counterexamples, inconclusive, notProven }: Proof): string {
  if (counterexamples.length + inconclusive.length + notProven.length === 0) return ''
  const comparison = { equal: false, classes, differences: counterexamples, inconclusive, notCompared: notProven }
  return `\n${printComparison(comparison, ['rules', 'plan'])}\n`
}

/** Prints proofs as one JSON document; `docs/reference/cli/prove.md` describes its fields. */
export function printProofsJson(proofs: readonly Proof[], context: ProofContext): string {
  const side = ({ outcomes, affinitySeconds }: Proof['counterexamples'][number]['a']) => ({ outcomes, affinitySeconds })
  const findings = (all: Proof['counterexamples']) =>
    all.map(({ packet, condition, classes, services, a, b }) => ({
      ...{ packet, condition, classes, services },
      ...{ rules: side(a), plan: side(b) },
    }))
  return printJsonDocument<ProveDocument>('prove', {
    ...context,
    families: proofs.map(({ counterexamples, inconclusive, ...proof }) => ({
      ...proof,
      counterexamples: findings(counterexamples),
      inconclusive: findings(inconclusive),
    })),
  })
}

/**
 * Returns the exit code: 0 if all proofs have the verdict `proven` and all subdirectories were read, 1 if a proof is
 * `refuted`, else 2.
 */
export function exitCodeOfProofs(proofs: readonly Proof[], notRead: readonly string[]): number {
  if (proofs.some(({ verdict }) => verdict === 'refuted')) return 1
  return proofs.every(({ verdict }) => verdict === 'proven') && notRead.length === 0 ? 0 : 2
}
