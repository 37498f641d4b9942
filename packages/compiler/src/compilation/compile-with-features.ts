import type { Features } from '../model/configuration/features.js'
import { checkCompileArguments } from './check-compile-arguments.js'
import { updateSnapshot } from './compile.js'
import type { CompileInput, CompileOptions, CompileResult } from './compile-result.js'
import {
  contextInputsOf,
  createClusterSettings,
  createNodeContext,
  findVersion,
  readNodes,
  resolveClusterSettings,
} from './context.js'
import { findClusterChange, readObjectLists, reuseOrCreateSnapshot, toCompileResult } from './snapshot.js'

/**
 * Compiles like `compile`, but with the features in `changedFeatures`. The result shows the effect of an individual
 * difference between versions; no version of kube-proxy programs these rules.
 */
export function compileWithFeatures(
  input: CompileInput,
  options: CompileOptions,
  changedFeatures: Partial<Features>,
): CompileResult {
  checkCompileArguments(input, options)
  const source = createClusterSettings(input, options)
  const nodes = readNodes(input)
  const version = findVersion(source, nodes, options.nodeName)
  const context = createNodeContext(resolveClusterSettings(source, version, changedFeatures), nodes, options.nodeName)
  const empty = reuseOrCreateSnapshot({ context, origin: contextInputsOf(source, nodes, options.nodeName) }, undefined)
  const objects = findClusterChange(empty, readObjectLists(input, empty.lists))
  return toCompileResult(objects === undefined ? empty : updateSnapshot(empty, objects))
}
