import { DiagnosticsError, type Result } from '@kube-rules/types'
import { checkCompileArguments } from './check-compile-arguments.js'
import type { CompileInput, CompileOptions, CompileResult } from './compile-result.js'
import { compileContext, hasError } from './context.js'
import { updateFamilies } from './families.js'
import { changedRecords, recordMaker, replaceRecords } from './records.js'
import {
  changedObjects,
  type ObjectsChange,
  objectLists,
  resultOf,
  type Snapshot,
  snapshotFor,
  snapshotOf,
} from './snapshot.js'

/**
 * Computes the rules kube-proxy would program on one node for these objects: the same bytes for the same objects, in
 * whatever order they come.
 *
 * A bad object is left out and reported in `diagnostics`; the others compile. Throws `DiagnosticsError`, with every
 * problem at once, for a configuration kube-proxy would refuse, and with `strict` for any bad object; and for an argument
 * that is none, such as `services` that cannot be iterated (`invalidArgument`). Mirrors one full `syncProxyRules` of
 * kube-proxy.
 *
 * In mode userspace the ports at which kube-proxy takes connections are chosen where `hostRequirements.proxyPorts` does not say them: the lowest
 * free ones of `portRange`, or from 40000 on, in the order of service ports. With `previous`, a service port that has not changed keeps
 * its port, and one that has changed gets another.
 *
 * With `previous` the result is the same, at the cost of what changed: every part whose inputs are the identical objects
 * is taken from there, and where nothing changed the result is `previous` itself. A result holds on to its input
 * objects for that purpose.
 *
 * @example
 * ```ts
 * const { mode, families } = compile(input, { nodeName: 'node-1', kubernetesVersion: '1.31' })
 * mode // => 'iptables'
 * families.map(({ counts }) => counts.servicePorts) // => [1, 0]
 * ```
 */
export function compile(input: CompileInput, options: CompileOptions = {}): CompileResult {
  checkCompileArguments(input, options)
  const held = options.previous && snapshotOf(options.previous)
  const context = compileContext(input, options, held)
  const previous = snapshotFor(context, held)
  const objects = changedObjects(previous, objectLists(input, previous.lists))
  const next = objects === undefined ? previous : update(previous, objects)
  const result =
    options.previous && objects === undefined && next.families === held?.families ? options.previous : resultOf(next)
  if (options.strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
  return result
}

/** The stages after the objects, each for what has changed: model and plan of each Service, then the node state. */
function update(previous: Snapshot, { lists, objects, groups }: ObjectsChange): Snapshot {
  const { context, origin } = previous
  const changes = changedRecords(previous.records, groups, recordMaker(context))
  const records = replaceRecords(previous.records, changes)
  const families = updateFamilies(previous.families, context.families, changes, records)
  return { context, origin, lists, objects, records, families }
}

/**
 * Compiles like `compile`, but returns the problems of invalid input instead of throwing.
 *
 * @example
 * ```ts
 * const compiled = safeCompile(input, { mode: 'kernelspace' })
 * compiled.ok // => false
 * compiled.problems[0].code // => 'invalidConfiguration'
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
