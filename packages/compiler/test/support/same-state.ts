import { canonicalizeState } from '../../../analyzer/test/support/canonical-state.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { isDeepEqual } from '../../src/internal/plain-data.js'

/** Reports whether the kernel cannot distinguish two states. */
export function sameState(a: IptablesState, b: IptablesState): boolean {
  return isDeepEqual(canonicalizeState(a), canonicalizeState(b))
}
