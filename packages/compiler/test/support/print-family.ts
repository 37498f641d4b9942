import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { NodeState } from '../../src/dataplane/languages.js'
import { type PrintStateOptions, print } from '../../src/print.js'

export interface PrintFamilyOptions extends PrintStateOptions {
  readonly family: IpFamily
}

/** The text of one family of a result; empty where it was not compiled. */
export function printFamily(result: CompileResult, { family, ...options }: PrintFamilyOptions): string {
  const state = result.families.find((each) => each.family === family)?.state
  return state === undefined ? '' : print(state, options)
}

/** The state of one family of a result; throws where it was not compiled. */
export function stateOf(result: CompileResult, family: IpFamily): NodeState {
  const state = result.families.find((each) => each.family === family)?.state
  if (state === undefined) throw new Error(`${family} was not compiled`)
  return state
}
