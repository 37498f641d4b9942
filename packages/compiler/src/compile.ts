import {
  type Diagnostic,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  type Host,
  type IpFamily,
  type KubeProxyConfiguration,
  type Node,
  type Service,
} from '@kube-rules/types'
import { type Compilation, compileAll, compileChanges, diagnosticsOf, objectLists } from './compilation/compilation.js'
import { type CompileContext, compileContext, hasError } from './compilation/compile-context.js'
import type { NodeState } from './dataplane/languages.js'
import type { Plan } from './plan/plan.js'
import type { HealthCheckNodePort } from './services/health-checks.js'
import type { HostSettings } from './targets/mode.js'
import type { CompiledMode } from './targets/modes.js'

/** The objects of a cluster, as clients hold them. Nothing is mutated or frozen. */
export interface CompileInput {
  readonly services: Iterable<Service>
  readonly endpointSlices?: Iterable<EndpointSlice> | undefined
  /** Used only for Services without EndpointSlice. */
  readonly endpoints?: Iterable<Endpoints> | undefined
  readonly nodes?: Iterable<Node> | undefined
  readonly configuration?: KubeProxyConfiguration | undefined
  readonly host?: Host | undefined
}

export interface CompileOptions {
  /** The node to compile for. Default: `hostnameOverride` of the configuration, else the only Node given. */
  readonly nodeName?: string | undefined
  /** Overrides `mode` of the configuration. */
  readonly mode?: CompiledMode | undefined
  /** The Kubernetes minor version to be faithful to, such as `1.30`. Default: the newest known. */
  readonly kubernetesVersion?: string | undefined
  /** Default: both. */
  readonly families?: readonly IpFamily[] | undefined
  /** Throw when any object has an `error` diagnostic, instead of leaving it out. */
  readonly strict?: boolean | undefined
  /** An earlier result, to take from it what has not changed. */
  readonly previous?: CompileResult | undefined
}

/** What the objects of a cluster come to on one node. */
export interface CompileResult {
  readonly mode: CompiledMode
  /** The minor version the rules are faithful to. */
  readonly kubernetesVersion: string
  /** In the order IPv4, IPv6; only those asked for. */
  readonly families: readonly FamilyResult[]
  /** First those of configuration and node, then those of objects, then what the mode does otherwise than the plan. */
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export interface FamilyResult {
  readonly family: IpFamily
  readonly plan: Plan
  readonly state: NodeState
  /** What the machine needs beside the state; absent where that is nothing. */
  readonly host?: HostSettings | undefined
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
  readonly counts: Counts
}

/** How much there is of one family, or of both together. */
export interface Counts {
  readonly servicePorts: number
  readonly endpoints: number
  readonly chains: number
  readonly rules: number
}

/**
 * The rules kube-proxy would program on one node for these objects: the same bytes for the same objects, in whatever
 * order they come.
 *
 * A bad object is left out and reported in `diagnostics`; the others compile. Throws `DiagnosticsError`, with every
 * problem at once, for a configuration kube-proxy would refuse, and with `strict` for any bad object. Mirrors one full
 * `syncProxyRules` of kube-proxy.
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
