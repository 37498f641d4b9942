import { canonicalState } from '../../../analyzer/src/dataplane/iptables/canonical-state.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { diffIptables } from '../../src/dataplane/iptables/diff/diff-state.js'
import type { Patch } from '../../src/patch/patch.js'

/** What the kernel can tell apart in two states. */
export function diffCanonical(before: IptablesState | undefined, after: IptablesState | undefined): Patch {
  return diffIptables(before && canonicalState(before), after && canonicalState(after))
}
