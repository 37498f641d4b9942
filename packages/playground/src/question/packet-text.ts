import { parseDestination } from '@kube-rules/application/explain'
import { UsageError } from '@kube-rules/application/messages'
import type { Origin } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

/** The content of the packet box in the words of the command: `--from` and DESTINATION. */
export interface PacketText {
  /** The origin: `pod`, `node`, `outside` or an address. */
  readonly from: string
  /** The destination: `10.96.0.10:53/udp`, `node:30080`, `default/web:http`. */
  readonly to: string
}

/** The parsed text of the packet box, or its problem in one line. */
export type ParsedPacketText =
  | { readonly ok: true; readonly value: PacketText }
  | { readonly ok: false; readonly problem: string }

/** Splits a packet text at its arrows. */
function splitAtArrows(text: string): readonly string[] {
  return text.split(/→|->|=>|\bto\b/).map((part) => part.trim())
}

const ORIGINS: readonly string[] = ['pod', 'node', 'outside'] satisfies readonly Origin[]

/**
 * Parses `from pod → 10.96.0.10:53/udp`. `->`, `=>` and `to` also work as the arrow. Without `from`, the origin is a
 * pod. `namespace` is the default namespace of the Service.
 */
export function parsePacketText(text: string, namespace?: string): ParsedPacketText {
  const [first = '', second, ...more] = splitAtArrows(text)
  if (more.length > 0) return { ok: false, problem: 'more than one arrow' }
  const from = second === undefined ? 'pod' : first.replace(/^from\s+/, '')
  const to = second ?? first
  if (to === '')
    return { ok: false, problem: 'the destination is missing, for example in from pod → 10.96.0.10:53/udp' }
  if (!ORIGINS.includes(from) && parseIp(from) === undefined) {
    return { ok: false, problem: `${from}: expected pod, node, outside or an address` }
  }
  try {
    parseDestination(to, namespace)
    return { ok: true, value: { from, to } }
  } catch (error) {
    if (error instanceof UsageError) return { ok: false, problem: error.message }
    throw error
  }
}

/** Formats a packet text; the inverse of `parsePacketText`. */
export function formatPacketText({ from, to }: PacketText): string {
  return `from ${from} → ${to}`
}

/** Replaces the origin in the text, for any destination. */
export function replacePacketOrigin(text: string, origin: Origin): string {
  return formatPacketText({ from: origin, to: splitAtArrows(text).at(-1) ?? '' })
}
