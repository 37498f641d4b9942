import type { DriftItem } from '../../comparison.js'
import { parseChainId } from '../resources.js'
import type { IptablesOwnership } from './table-pair.js'

/**
 * Combines drift items of a table: a rule that is missing in one chain and superfluous in another becomes one moved
 * rule.
 */
export function combineMovedRules(
  findings: readonly DriftItem[],
  { reasonOf }: IptablesOwnership,
): readonly DriftItem[] {
  const extras = new Map<string, DriftItem[]>()
  for (const finding of findings) {
    if (finding.kind !== 'extra') continue
    const key = ruleKey(finding, finding.found)
    const existing = key === undefined ? undefined : extras.get(key)
    if (existing !== undefined) existing.push(finding)
    else if (key !== undefined) extras.set(key, [finding])
  }
  const moved = new Map<DriftItem, DriftItem>()
  for (const finding of findings) {
    const key = finding.kind === 'missing' ? ruleKey(finding, finding.expected) : undefined
    const from = key === undefined ? undefined : extras.get(key)?.shift()
    if (from !== undefined) moved.set(finding, from)
  }
  if (moved.size === 0) return findings
  const gone = new Set(moved.values())
  return findings.flatMap((finding) => {
    const from = moved.get(finding)
    if (from === undefined) return gone.has(finding) ? [] : [finding]
    const [expected, found] = [finding, from].map(
      ({ location }) => ({ kind: 'chain', ...parseChainId(location) }) as const,
    )
    return [{ ...finding, kind: 'misplaced', found: from.found, reason: reasonOf('misplaced', { expected, found }) }]
  })
}

/** Returns a key that is equal for rules that differ only in their chains; undefined for anything but a single rule. */
function ruleKey({ owner, location }: DriftItem, text: string | undefined): string | undefined {
  const start = `-A ${parseChainId(location).chain} `
  return text?.startsWith(start) ? `${owner}\n${text.slice(start.length)}` : undefined
}
