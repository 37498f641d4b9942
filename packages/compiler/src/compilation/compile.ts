import { DiagnosticsError, type Result } from '@kube-rules/types'
import { readArgument } from '../model/reading/read-safely.js'
import { computeCachedServiceChanges, createCachedServiceFactory, replaceCachedServices } from './cached-services.js'
import { checkCompileArguments } from './check-compile-arguments.js'
import type { CompileInput, CompileOptions, CompileResult } from './compile-result.js'
import { createCompileContext, hasError } from './context.js'
import { refreshFamilySnapshot, updateFamilySnapshots } from './family-snapshots.js'
import {
  type ClusterChange,
  findClusterChange,
  type NodeSnapshot,
  readObjectLists,
  reuseOrCreateSnapshot,
  snapshotOf,
  toCompileResult,
} from './snapshot.js'

/**
 * Computes the rules that kube-proxy would program on one node for these objects. The order of the objects does not
 * affect the output, which is identical byte for byte.
 *
 * Invalid objects are left out and reported in `diagnostics`. Throws `DiagnosticsError`, with every problem at once,
 * for a configuration that kube-proxy would reject, for any invalid object if `strict` is set, and for invalid
 * arguments (`invalidArgument`), such as `services` that are not iterable. Mirrors one full `syncProxyRules` of
 * kube-proxy.
 *
 * In userspace mode, kube-proxy accepts connections on its own ports. If `host.proxyPorts` does not specify the port
 * for a service port, a port is chosen, in the order of service ports: the lowest free port of `portRange`, or from
 * 40000 on. With `previous`, an unchanged service port keeps its port, and a changed service port gets another port.
 *
 * With `previous`, the result is the same, but only changes are computed. Every part with identical input objects is
 * reused; if nothing changed, the result is `previous` itself. For this purpose, a result retains its input objects. In
 * iptables mode, if the number of endpoints passes 1,000, unchanged service ports keep the comments of their endpoint
 * rules, as in kube-proxy until its next full sync.
 *
 * @example
 * ```ts
 * const { mode, families } = compile(input, { nodeName: 'node-1', kubernetesVersion: '1.31' })
 * mode // => 'iptables'
 * families.map(({ counts }) => counts.servicePorts) // => [1, 0]
 * ```
 */
export function compile(input: CompileInput, options: CompileOptions = {}): CompileResult {
  return compileUpdate(input, options, false)
}

/** Compiles like `compile`. A full sync keeps no rules of `previous` that kube-proxy rewrites in its full sync. */
export function compileUpdate(input: CompileInput, options: CompileOptions, isFullSync: boolean): CompileResult {
  readArgument('input', () => checkCompileArguments(input, options))
  const held = options.previous && snapshotOf(options.previous)
  const context = readArgument('input', () => createCompileContext(input, options, held))
  const previous = reuseOrCreateSnapshot(context, held)
  const lists = readObjectLists(input, previous.lists)
  const objects = findClusterChange(previous, lists)
  const updated = objects === undefined ? previous : updateSnapshot(previous, objects)
  const next = isFullSync ? refreshSnapshot(updated) : updated
  const result =
    options.previous && objects === undefined && next.families === held?.families
      ? options.previous
      : toCompileResult(next)
  if (options.strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
  return result
}

/** Updates the models and plans of changed Services, then the node state. */
export function updateSnapshot(previous: NodeSnapshot, { lists, objects, groups }: ClusterChange): NodeSnapshot {
  const { context, origin } = previous
  const changes = computeCachedServiceChanges(previous.cachedServices, groups, createCachedServiceFactory(context))
  const cachedServices = replaceCachedServices(previous.cachedServices, changes)
  const families = updateFamilySnapshots(previous.families, context.families, changes, cachedServices)
  return { context, origin, lists, objects, cachedServices, families }
}

function refreshSnapshot(snapshot: NodeSnapshot): NodeSnapshot {
  if (!snapshot.families.some(({ hasOldRules }) => hasOldRules)) return snapshot
  return { ...snapshot, families: snapshot.families.map(refreshFamilySnapshot) }
}

/**
 * Compiles like `compile`, but returns the problems of invalid input instead of throwing.
 *
 * @example
 * ```ts
 * const compiled = safeCompile(input, { mode: 'kernelspace' })
 * compiled.ok // => false
 * compiled.problems[0].code // => 'invalidArgument'
 * ```
 */
export function safeCompile(input: CompileInput, options: CompileOptions = {}): Result<CompileResult> {
  try {
    return { ok: true, value: compile(input, options) }
  } catch (error) {
    if (error instanceof DiagnosticsError) return { ok: false, problems: error.diagnostics }
    throw error
  }
}
