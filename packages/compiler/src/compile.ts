import { type Diagnostic, DiagnosticsError } from '@kube-rules/types'
import { type Compilation, compileAll, compileChanges, diagnosticsOf, objectLists } from './compilation/compilation.js'
import { type CompileContext, compileContext, hasError } from './compilation/compile-context.js'
import type { CompileInput, CompileOptions, CompileResult, Counts } from './compilation/compile-result.js'

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
  const known = options.previous && compilations.get(options.previous)
  const context = compileContext(input, options, known?.context)
  const compilation = compileObjects(context, input, known)
  const result = resultOf(compilation, options.previous)
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

const compilations = new WeakMap<CompileResult, Compilation>()

function compileObjects(context: CompileContext, input: CompileInput, known: Compilation | undefined): Compilation {
  const lists = objectLists(input, known?.lists)
  return known === undefined ? compileAll(lists, context) : compileChanges(known, lists, context)
}

function resultOf(compilation: Compilation, previous: CompileResult | undefined): CompileResult {
  if (previous !== undefined && compilations.get(previous) === compilation) return previous
  const { context, families } = compilation
  const result: CompileResult = {
    mode: context.mode,
    kubernetesVersion: context.kubernetesVersion,
    families: families.map((family) => family.result),
    diagnostics: diagnosticsOf(compilation),
    counts: sumOf(families.map((family) => family.result.counts)),
  }
  compilations.set(result, compilation)
  return result
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => counts.reduce((total, each) => total + each[field], 0)
  return { servicePorts: sum('servicePorts'), endpoints: sum('endpoints'), chains: sum('chains'), rules: sum('rules') }
}
