import { type Diagnostic, DiagnosticsError } from '@kube-rules/types'
import { type ContextWithOrigin, compileContext, hasError } from './compilation/compile-context.js'
import type { CompileInput, CompileOptions, CompileResult } from './compilation/compile-result.js'
import { heldSession, resultOf } from './compilation/held-sessions.js'
import { objectLists } from './compilation/object-lists.js'
import { emptySession, type Session, step } from './compilation/session.js'
import { sameValue } from './diff/resource.js'

/**
 * The rules kube-proxy would program on one node for these objects: the same bytes for the same objects, in whatever
 * order they come.
 *
 * A bad object is left out and reported in `diagnostics`; the others compile. Throws `DiagnosticsError`, with every
 * problem at once, for a configuration kube-proxy would refuse, and with `strict` for any bad object; and for an argument
 * that is none, such as `services` that cannot be iterated (`invalidArgument`). Mirrors one full `syncProxyRules` of
 * kube-proxy.
 *
 * In mode userspace the ports at which kube-proxy takes connections are chosen where `host.proxyPorts` does not say them: the lowest
 * free ones of `portRange`, or from 40000 on, in the order of service ports. With `previous`, a service port that has not changed keeps
 * its port, and one that has changed gets another.
 *
 * With `previous` the result is the same, at the cost of what changed: every part whose inputs are the identical objects
 * is taken from there, and where nothing changed the result is `previous` itself. A result holds on to its input
 * objects for that purpose.
 */
export function compile(input: CompileInput, options: CompileOptions = {}): CompileResult {
  const previous = options.previous && heldSession(options.previous)
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

/** The previous session where the context is an equal one, else one without objects. */
function sessionOf(found: ContextWithOrigin, previous: Session | undefined): Session {
  if (previous === undefined || !sameValue(previous.context, found.context)) return emptySession(found, previous)
  return previous.origin === found.origin ? previous : { ...previous, origin: found.origin }
}
