import type { Diagnostic } from '@kube-rules/types'
import type { IpsetState } from './ast.js'
import { canonicalizeSet } from './canonical.js'

/**
 * Returns an error with code `structure` for each set that has more entries than `maxelem`, because ipset would reject
 * the set.
 */
export function checkSetSizes({ sets }: IpsetState): readonly Diagnostic[] {
  return sets.flatMap((set): readonly Diagnostic[] => {
    if (!('maxelem' in set) || set.entries.length <= set.maxelem) return []
    // Counts duplicates once, even if their notations differ.
    const count = canonicalizeSet(set).entries.length
    if (count <= set.maxelem) return []
    const message = `${count} entries are more than maxelem ${set.maxelem}`
    return [
      { severity: 'error', code: 'structure', object: { kind: 'ipset', name: set.name }, path: 'entries', message },
    ]
  })
}
