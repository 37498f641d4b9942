import {
  checkObject,
  checkOptionalChoice,
  checkOptionalMap,
  checkOptions,
  checkSpelling,
  type OptionTypes,
} from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import { PROXY_MODES } from '../targets/modes.js'
import type { CompileInput, CompileOptions } from './compile-result.js'

/** The options of `compile` that do not depend on the node. */
type CommonOptions = Omit<CompileOptions, 'nodeName' | 'previous'>

const INPUT_FIELDS: readonly (keyof CompileInput)[] = [
  ...(['services', 'endpointSlices', 'endpoints', 'nodes', 'serviceCIDRs', 'configuration', 'host'] as const),
]

/** The types of the options that `compile`, `compileNodes` and `createTracker` have in common. */
export const COMMON_OPTIONS: OptionTypes<CommonOptions> = {
  ...{ mode: 'other', kubernetesVersion: 'string', families: 'other', strict: 'boolean' },
}

/** Checks the types of the arguments of `compile`. The stages of `compile` check the content. */
export function checkCompileArguments(input: CompileInput, options: CompileOptions): void {
  checkSpelling('input', checkObject('input', input, 'an object with services'), INPUT_FIELDS)
  const fields = checkOptions<CompileOptions>(options, { nodeName: 'string', ...COMMON_OPTIONS, previous: 'other' })
  checkOptionalChoice('options', fields, 'mode', PROXY_MODES)
  if (options.previous !== undefined) checkResult('options.previous', options.previous)
}

/** Checks the arguments of `compileNodes`. Unlike `compile`, this function takes earlier results by node name. */
export function checkCompileNodesArguments(
  input: CompileInput,
  options: CommonOptions & { readonly nodeNames?: unknown; readonly previous?: unknown },
): void {
  const types: OptionTypes<typeof options> = { nodeNames: 'other', ...COMMON_OPTIONS, previous: 'other' }
  const { nodeNames, previous, ...common } = checkOptions(options, types)
  checkCompileArguments(input, common)
  checkOptionalMap('options', { previous }, 'previous', 'a Map of results by node name')
  if (previous instanceof Map) for (const result of previous.values()) checkResult('options.previous', result)
}
