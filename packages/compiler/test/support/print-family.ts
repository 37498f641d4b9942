import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { type PrintOptions, print } from '../../src/print/print.js'

export interface PrintFamilyOptions extends PrintOptions {
  readonly family: IpFamily
}

/** Prints one family of a result; empty if the result does not include it. */
export function printFamily(result: CompileResult, { family, ...options }: PrintFamilyOptions): string {
  const state = result.families.find((each) => each.family === family)?.state
  return state === undefined ? '' : print(state, options)
}
