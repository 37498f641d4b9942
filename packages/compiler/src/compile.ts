import {
  type Diagnostic,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  type Host,
  IP_FAMILIES,
  type IpFamily,
  type KubeProxyConfiguration,
  type Node,
  type Service,
} from '@kube-rules/types'
import { findModeLimitations } from './mode-limitations.js'
import { buildModels, type ObjectModel } from './model/build-model.js'
import type { HealthCheckNodePort } from './model/health-checks.js'
import type { Model } from './model/model.js'
import { type ResolvedConfiguration, resolveConfiguration } from './model/resolve-configuration.js'
import { type NodeOfFamily, resolveNode } from './model/resolve-node.js'
import { buildPlan } from './plan/build-plan.js'
import type { Plan } from './plan/plan.js'
import { type CompiledMode, isCompiledMode, type StateOf, TARGETS } from './targets/registry.js'

/** The objects of a cluster, as clients hold them. Nothing is mutated, frozen or kept. */
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
}

/** What one mode came to; `mode` tells which state the families have. */
export type CompileResult = EachResultOf<CompiledMode>

type EachResultOf<Modes extends CompiledMode> = { readonly [Mode in Modes]: ResultOf<Mode> }[Modes]

export interface ResultOf<Mode extends CompiledMode> {
  readonly mode: Mode
  /** The minor version the rules are faithful to. */
  readonly kubernetesVersion: string
  /** In the order IPv4, IPv6; only those asked for. */
  readonly families: readonly FamilyResult<StateOf<Mode>>[]
  /** First those of configuration and node, then those of objects, then what the mode does otherwise than the plan. */
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export interface FamilyResult<State = StateOf<CompiledMode>> {
  readonly family: IpFamily
  readonly plan: Plan
  readonly state: State
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
 */
export function compile(input: CompileInput, options: CompileOptions = {}): CompileResult {
  const resolved = resolveConfiguration({
    configuration: input.configuration,
    kubernetesVersion: options.kubernetesVersion,
    mode: options.mode,
  })
  const mode = compiledMode(resolved)
  const families = IP_FAMILIES.filter((family) => (options.families ?? IP_FAMILIES).includes(family))
  const node = resolveNode(
    { nodes: input.nodes ?? [], nodeName: options.nodeName, host: input.host, families },
    resolved.configuration,
    resolved.features,
  )
  refuseSettings(mode, node.families, [...resolved.diagnostics, ...node.diagnostics])
  const objects = buildModels(
    { services: input.services, endpointSlices: input.endpointSlices ?? [], endpoints: input.endpoints ?? [] },
    { families, features: resolved.features, nodeName: node.families[0]?.node.name ?? '' },
  )
  const diagnostics = [...resolved.diagnostics, ...node.diagnostics, ...objects.diagnostics]
  if (options.strict && hasError(diagnostics)) throw new DiagnosticsError(diagnostics)
  return compileMode(mode, resolved.version, modelsOf(node.families, objects.models), diagnostics)
}

/** As `compile`, but invalid input is a value: nothing is thrown for it. */
export function safeCompile(
  input: CompileInput,
  options: CompileOptions = {},
):
  | { readonly success: true; readonly result: CompileResult }
  | { readonly success: false; readonly error: DiagnosticsError } {
  try {
    return { success: true, result: compile(input, options) }
  } catch (error) {
    if (error instanceof DiagnosticsError) return { success: false, error }
    throw error
  }
}

interface FamilyModel {
  readonly model: Model
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
}

function compiledMode({ configuration, diagnostics }: ResolvedConfiguration): CompiledMode {
  if (hasError(diagnostics)) throw new DiagnosticsError(diagnostics)
  const mode = configuration.mode
  if (isCompiledMode(mode)) return mode
  throw new DiagnosticsError([
    ...diagnostics,
    {
      severity: 'error',
      code: 'invalidConfiguration',
      object: { kind: 'KubeProxyConfiguration', name: 'config' },
      path: 'mode',
      message: `mode ${mode} is not compiled`,
      expected: Object.keys(TARGETS).join(' or '),
    },
  ])
}

/** Throws where the mode cannot work with the settings, which in this respect are the same for both families. */
function refuseSettings(
  mode: CompiledMode,
  families: readonly NodeOfFamily[],
  diagnostics: readonly Diagnostic[],
): void {
  const found = families.slice(0, 1).flatMap(({ settings }) => TARGETS[mode].validate(settings))
  if (found.length > 0) throw new DiagnosticsError([...diagnostics, ...found])
}

function modelsOf(nodes: readonly NodeOfFamily[], objects: readonly ObjectModel[]): readonly FamilyModel[] {
  return nodes.flatMap(({ family, node, settings }) => {
    const found = objects.find((model) => model.family === family)
    if (found === undefined) return []
    const { servicePorts, healthCheckNodePorts } = found
    return [{ model: { family, node, settings, servicePorts }, healthCheckNodePorts }]
  })
}

function compileMode<Mode extends CompiledMode>(
  mode: Mode,
  kubernetesVersion: string,
  models: readonly FamilyModel[],
  diagnostics: readonly Diagnostic[],
): EachResultOf<Mode> {
  const target = TARGETS[mode]
  const families = models.map(({ model, healthCheckNodePorts }) => {
    const plan = buildPlan(model)
    const state = target.lower(plan, model.settings)
    target.check(state)
    const counts = { servicePorts: plan.services.length, endpoints: plan.endpointCount, ...target.count(state) }
    return { family: model.family, plan, state, healthCheckNodePorts, counts }
  })
  const limitations = families.flatMap(({ plan }) => findModeLimitations(target, plan))
  return {
    mode,
    kubernetesVersion,
    families,
    diagnostics: [...diagnostics, ...limitations],
    counts: sumOf(families.map(({ counts }) => counts)),
  }
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => counts.reduce((total, each) => total + each[field], 0)
  return { servicePorts: sum('servicePorts'), endpoints: sum('endpoints'), chains: sum('chains'), rules: sum('rules') }
}

function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}
