import { canonicalState } from '../../../analyzer/src/dataplane/iptables/canonical-state.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { sameValue } from '../../src/patch/resource.js'

/** Whether the kernel cannot tell two states apart. */
export function sameState(a: IptablesState, b: IptablesState): boolean {
  return sameValue(canonicalState(a), canonicalState(b))
}
