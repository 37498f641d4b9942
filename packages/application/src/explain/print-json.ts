import type { ReachabilityRow } from '@kube-rules/analyzer'
import type { ExplainDocument, ReachabilityDocument } from '../documents.js'
import { printJsonDocument } from '../messages/lines.js'
import type { DiagnosedPacket } from './diagnosed-packet.js'
import type { ExplainedNode } from './explained-node.js'

/** The fields of an explained node that JSON documents contain in addition to the packets. */
type DocumentContext = Pick<ExplainedNode, 'assumed' | 'diagnostics'>

/** Prints one JSON document; `docs/reference/cli/explain.md` describes its fields. */
export function printExplanationsJson(
  explanations: readonly DiagnosedPacket[],
  { assumed, diagnostics }: DocumentContext,
): string {
  return printJsonDocument<ExplainDocument>('explain', { explanations, assumed, diagnostics })
}

export function printReachabilityJson(
  frontends: readonly ReachabilityRow[],
  { assumed, diagnostics }: DocumentContext,
): string {
  return printJsonDocument<ReachabilityDocument>('reachability', { frontends, assumed, diagnostics })
}
