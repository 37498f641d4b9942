import { canonicalizeState } from '../../../analyzer/test/support/canonical-state.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { diffIptables } from '../../src/dataplane/iptables/diff/diff-state.js'
import type { Patch } from '../../src/patch/patch.js'

/** Diffs the normal forms of two states, which contain only differences visible to the kernel. */
export function diffCanonical(before: IptablesState | undefined, after: IptablesState | undefined): Patch {
  return diffIptables(before && canonicalizeState(before), after && canonicalizeState(after))
}
