import type { Rule } from '../dataplane/iptables/ast.js'
import { canonicalRule } from '../dataplane/iptables/canonical.js'
import { printRule } from '../dataplane/iptables/print.js'
import type { Line } from './align-chain.js'
import type { LineChange } from './compare-lines.js'
import type { Finding } from './finding.js'
import { changedReason, extraReason, MISPLACED_REASON, missingReason } from './reasons.js'
import type { TablePair } from './table-pair.js'

export function lineOf(rule: Rule, owner: string, { family }: TablePair): Line {
  const canonical = canonicalRule(rule, family)
  const text = printRule(canonical, 'save', family)
  return { rule: canonical, text, owner, group: isRefusal(rule) && owner !== '' ? `${owner} ${text}` : owner }
}

/** Refusals of one service port may stand in any order: whichever applies first, the packet is refused. */
function isRefusal({ verdict }: Rule): boolean {
  return verdict?.kind === 'reject' || verdict?.kind === 'drop'
}

export function rulesOf(lines: readonly Line[]): readonly Rule[] {
  return lines.map(({ rule }) => rule)
}

/** The chain as iptables-save prints it. */
export function chainText(chain: string, lines: readonly Line[]): string {
  return [`:${chain} - [0:0]`, ...lines.map(({ text }) => text)].join('\n')
}

/** `ownerOf` tells whose rule it is that nobody wants. */
export function findingOf(
  { kind, wanted, found }: LineChange,
  place: string,
  ownerOf: (line: Line) => string = ({ owner }) => owner,
): Finding {
  return {
    servicePort: wanted === undefined ? ownerOf(found as Line) : wanted.owner,
    drift: {
      language: 'iptables',
      place,
      kind,
      ...(wanted && { wanted: wanted.text }),
      ...(found && { found: found.text }),
      reason: reasonOf(kind, wanted, found),
    },
  }
}

function reasonOf(kind: LineChange['kind'], wanted: Line | undefined, found: Line | undefined): string {
  if (kind === 'misplaced') return MISPLACED_REASON
  if (wanted !== undefined && found !== undefined) return changedReason(wanted.rule, found.rule)
  return wanted === undefined ? extraReason((found as Line).rule) : missingReason(wanted.rule)
}
