import type { Features } from '../model/configuration/features.js'
import { checkCompileArguments } from './check-compile-arguments.js'
import { update } from './compile.js'
import type { CompileInput, CompileOptions, CompileResult } from './compile-result.js'
import { contextOf, contextSource, nodesOf, originOf, resolveSource } from './context.js'
import { changedObjects, objectLists, resultOf, snapshotFor } from './snapshot.js'

/**
 * Compiles like `compile`, but with some features instead of those of the version. The result shows the effect of one
 * difference between versions; no kube-proxy programs such rules.
 */
export function compileWithFeatures(
  input: CompileInput,
  options: CompileOptions,
  changedFeatures: Partial<Features>,
): CompileResult {
  checkCompileArguments(input, options)
  const source = contextSource(input, options)
  const nodes = nodesOf(input)
  const context = contextOf(resolveSource(source, changedFeatures), nodes, options.nodeName)
  const empty = snapshotFor({ context, origin: originOf(source, nodes, options.nodeName) }, undefined)
  const objects = changedObjects(empty, objectLists(input, empty.lists))
  return resultOf(objects === undefined ? empty : update(empty, objects))
}
