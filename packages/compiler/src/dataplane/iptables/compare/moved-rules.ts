import type { Finding } from '../../comparison.js'
import { chainOfId } from '../resources.js'
import type { IptablesCustody } from './table-pair.js'

/**
 * Combines drift items of a table: a rule that is missing in one chain and superfluous in another becomes one moved
 * rule.
 */
export function withMovedRules(findings: readonly Finding[], { reasonOf }: IptablesCustody): readonly Finding[] {
  const extras = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (finding.kind !== 'extra') continue
    const key = ruleKey(finding, finding.found)
    const known = key === undefined ? undefined : extras.get(key)
    if (known !== undefined) known.push(finding)
    else if (key !== undefined) extras.set(key, [finding])
  }
  const moved = new Map<Finding, Finding>()
  for (const finding of findings) {
    const key = finding.kind === 'missing' ? ruleKey(finding, finding.wanted) : undefined
    const from = key === undefined ? undefined : extras.get(key)?.shift()
    if (from !== undefined) moved.set(finding, from)
  }
  if (moved.size === 0) return findings
  const gone = new Set(moved.values())
  return findings.flatMap((finding) => {
    const from = moved.get(finding)
    if (from === undefined) return gone.has(finding) ? [] : [finding]
    const [wanted, found] = [finding, from].map(({ place }) => ({ kind: 'chain', ...chainOfId(place) }) as const)
    return [{ ...finding, kind: 'misplaced', found: from.found, reason: reasonOf('misplaced', { wanted, found }) }]
  })
}

/** Returns a key that is equal for rules that differ only in their chains; undefined for anything but a single rule. */
function ruleKey({ owner, place }: Finding, text: string | undefined): string | undefined {
  const start = `-A ${chainOfId(place).chain} `
  return text?.startsWith(start) ? `${owner}\n${text.slice(start.length)}` : undefined
}
