import type { Diagnostic } from '@kube-rules/types'
import type { IpsetState } from './ast.js'
import { canonicalizeSet } from './canonical.js'

/** Returns an error with code `structure` for each set with more entries than `maxelem`, which ipset would reject. */
export function checkSetSizes({ sets }: IpsetState): readonly Diagnostic[] {
  return sets.flatMap((set): readonly Diagnostic[] => {
    if (!('maxelem' in set) || set.entries.length <= set.maxelem) return []
    // Duplicates, also in different notations, count once.
    const count = canonicalizeSet(set).entries.length
    if (count <= set.maxelem) return []
    const message = `${count} entries are more than maxelem ${set.maxelem}`
    return [
      { severity: 'error', code: 'structure', object: { kind: 'ipset', name: set.name }, path: 'entries', message },
    ]
  })
}
