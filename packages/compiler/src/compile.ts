import { type Diagnostic, DiagnosticsError } from '@kube-rules/types'
import { type ContextWithOrigin, compileContext, hasError } from './compilation/compile-context.js'
import type { CompileInput, CompileOptions, CompileResult, Counts } from './compilation/compile-result.js'
import { diagnosticsOf, emptySession, type Session, step } from './compilation/session.js'
import { sameValue } from './diff/resource.js'
import { isSameList } from './internal/is-same-list.js'
import type { ObjectLists } from './reading/object-changes.js'
import { objectsOf } from './reading/object-list.js'

/**
 * The rules kube-proxy would program on one node for these objects: the same bytes for the same objects, in whatever
 * order they come.
 *
 * A bad object is left out and reported in `diagnostics`; the others compile. Throws `DiagnosticsError`, with every
 * problem at once, for a configuration kube-proxy would refuse, and with `strict` for any bad object; and for an argument
 * that is none, such as `services` that cannot be iterated (`invalidArgument`). Mirrors one full `syncProxyRules` of
 * kube-proxy.
 *
 * With `previous` the result is the same, at the cost of what changed: every part whose inputs are the identical objects
 * is taken from there, and where nothing changed the result is `previous` itself. A result holds on to its input
 * objects for that purpose.
 */
export function compile(input: CompileInput, options: CompileOptions = {}): CompileResult {
  const previous = options.previous && sessions.get(options.previous)
  const found = compileContext(input, options, previous)
  const before = sessionOf(found, previous)
  const after = step(before, objectLists(input, before.lists))
  const isSame = after === before && before.families === previous?.families
  const result = isSame && options.previous !== undefined ? options.previous : resultOf(after)
  if (options.strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
  return result
}

/** As `compile`, but invalid input is a value: nothing is thrown for it. */
export function safeCompile(
  input: CompileInput,
  options: CompileOptions = {},
):
  | { readonly ok: true; readonly value: CompileResult }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] } {
  try {
    return { ok: true, value: compile(input, options) }
  } catch (error) {
    if (error instanceof DiagnosticsError) return { ok: false, problems: error.diagnostics }
    throw error
  }
}

/** What a result does not show, for the compile that goes on from it. */
const sessions = new WeakMap<CompileResult, Session>()

/** The previous session where the context is an equal one, else one without objects. */
function sessionOf(found: ContextWithOrigin, previous: Session | undefined): Session {
  if (previous === undefined || !sameValue(previous.context, found.context)) return emptySession(found)
  return previous.origin === found.origin ? previous : { ...previous, origin: found.origin }
}

/**
 * The objects of an input, in lists of our own; a list with the identical objects as one of `before` is that one. Throws
 * DiagnosticsError for what is no list.
 */
function objectLists({ services, endpointSlices, endpoints }: CompileInput, before: ObjectLists): ObjectLists {
  return {
    services: listOf(objectsOf('services', 'Service', services), before.services),
    endpointSlices: listOf(objectsOf('endpointSlices', 'EndpointSlice', endpointSlices ?? []), before.endpointSlices),
    endpoints: listOf(objectsOf('endpoints', 'Endpoints', endpoints ?? []), before.endpoints),
  }
}

/** Lists are copied as a whole, which is much quicker than item by item. */
function listOf<T>(items: Iterable<T>, before: readonly T[]): readonly T[] {
  const list: readonly T[] = Array.isArray(items) ? items : Array.from(items)
  if (isSameList(before, list)) return before
  return list === items ? list.slice() : list
}

function resultOf(session: Session): CompileResult {
  const { context, families } = session
  const result: CompileResult = {
    mode: context.mode,
    kubernetesVersion: context.kubernetesVersion,
    families: families.map((family) => family.result),
    diagnostics: diagnosticsOf(session),
    counts: sumOf(families.map((family) => family.result.counts)),
  }
  sessions.set(result, session)
  return result
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => counts.reduce((total, each) => total + each[field], 0)
  return { servicePorts: sum('servicePorts'), endpoints: sum('endpoints'), chains: sum('chains'), rules: sum('rules') }
}
