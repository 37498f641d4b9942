import { type Diagnostic, DiagnosticsError, IP_FAMILIES } from '@kube-rules/types'
import type { CompileInput, CompileOptions } from '../compile.js'
import type { Features } from '../model/features.js'
import { type ResolvedConfiguration, resolveConfiguration } from '../model/resolve-configuration.js'
import { type NodeOfFamily, resolveNode } from '../model/resolve-node.js'
import { type CompiledMode, isCompiledMode, TARGETS } from '../targets/registry.js'

/** What every Service's rules depend on beside its own objects. Plain data: equal contexts give equal rules. */
export interface CompileContext {
  readonly mode: CompiledMode
  readonly kubernetesVersion: string
  readonly features: Features
  readonly nodeName: string
  /** Those to compile for. */
  readonly families: readonly NodeOfFamily[]
  /** What there is to say of configuration and node. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Throws `DiagnosticsError` for a configuration that kube-proxy, or the mode, would refuse. */
export function compileContext(input: CompileInput, options: CompileOptions): CompileContext {
  const resolved = resolveConfiguration({
    configuration: input.configuration,
    kubernetesVersion: options.kubernetesVersion,
    mode: options.mode,
  })
  const mode = compiledMode(resolved)
  const node = resolveNode(
    {
      nodes: input.nodes ?? [],
      nodeName: options.nodeName,
      host: input.host,
      families: IP_FAMILIES.filter((family) => (options.families ?? IP_FAMILIES).includes(family)),
    },
    resolved.configuration,
    resolved.features,
  )
  const diagnostics = [...resolved.diagnostics, ...node.diagnostics]
  refuseSettings(mode, node.families, diagnostics)
  return {
    mode,
    kubernetesVersion: resolved.version,
    features: resolved.features,
    nodeName: node.families[0]?.node.name ?? '',
    families: node.families,
    diagnostics,
  }
}

export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
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
