import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import type { Case } from './clusters.js'

export function compileCase({ cluster, options }: Case): CompileResult {
  return compile(cluster, options)
}

/** Returns the iptables tables of a result, in any mode. */
export function iptablesStates(result: CompileResult): readonly IptablesState[] {
  return result.families.flatMap(({ state }) => state.iptables ?? [])
}

/** Freezes a value recursively. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
