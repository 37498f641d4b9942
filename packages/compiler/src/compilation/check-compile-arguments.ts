import { checkObject, checkOptionalFields, checkOptionalMap, checkOptions } from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import type { CompileInput, CompileOptions } from './compile-result.js'

/** Checks the types of the arguments of `compile`. The stages of `compile` check the content. */
export function checkCompileArguments(input: CompileInput, options: CompileOptions): void {
  checkObject('input', input, 'an object with services')
  const fields = checkOptions(options)
  checkOptionalFields('options', fields, ['nodeName', 'mode', 'kubernetesVersion'], 'string')
  checkOptionalFields('options', fields, ['strict'], 'boolean')
  if (options.previous !== undefined) checkResult('options.previous', options.previous)
}

/** Checks the arguments of `compileNodes`. Unlike `compile`, this function takes earlier results by node name. */
export function checkCompileNodesArguments(
  input: CompileInput,
  options: Omit<CompileOptions, 'nodeName' | 'previous'> & { readonly previous?: unknown },
): void {
  const { previous, ...common } = checkOptions(options)
  checkCompileArguments(input, common)
  checkOptionalMap('options', { previous }, 'previous', 'a Map of results by node name')
  if (previous instanceof Map) for (const result of previous.values()) checkResult('options.previous', result)
}
