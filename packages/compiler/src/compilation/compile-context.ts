import { type Diagnostic, DiagnosticsError, IP_FAMILIES, type IpFamily, type Node } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import { type ResolvedConfiguration, resolveConfiguration } from '../configuration/resolve-configuration.js'
import { isSameList } from '../internal/is-same-list.js'
import { type NodeOfFamily, resolveNode } from '../node/resolve-node.js'
import { kernelSettings } from '../plan/kernel-settings.js'
import { argumentError } from '../reading/argument-error.js'
import { describe } from '../reading/findings.js'
import { objectsOf } from '../reading/object-list.js'
import { isCompiledMode, modeNames, modeOf } from '../targets/mode-of.js'
import type { CompiledMode } from '../targets/modes.js'
import type { CompileInput, CompileOptions } from './compile-result.js'

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

/** A context, and what it was made of: the objects and options, and the values of lists. */
export interface ContextWithOrigin {
  readonly context: CompileContext
  readonly origin: readonly unknown[]
}

/**
 * Throws `DiagnosticsError` for a configuration that kube-proxy, or the mode, would refuse, and for nodes or families that
 * are none. Gives `previous` where it was made of the identical objects.
 */
export function compileContext(
  input: CompileInput,
  options: CompileOptions,
  previous?: ContextWithOrigin,
): ContextWithOrigin {
  const nodes = Array.from(objectsOf('nodes', 'Node', input.nodes ?? []))
  const families = familiesOf(options.families)
  const { nodeName, kubernetesVersion, mode } = options
  const { configuration, host } = input
  const origin = [configuration, host, nodeName, kubernetesVersion, mode, families.join(), ...nodes]
  if (previous !== undefined && isSameList(previous.origin, origin)) return previous
  return { context: resolveContext(input, options, nodes, families), origin }
}

/** In the order IPv4, IPv6. A result without families would say that nothing is to be there. */
function familiesOf(given: readonly IpFamily[] = IP_FAMILIES): readonly IpFamily[] {
  const expected = 'a list of IPv4, IPv6 or both'
  if (!Array.isArray(given)) throw argumentError('families', `${describe(given)} is no list`, expected)
  if (given.length === 0) throw argumentError('families', 'the list is empty', expected)
  const index = given.findIndex((family) => !IP_FAMILIES.includes(family))
  if (index >= 0) {
    throw argumentError('families', `${describe(given[index])} is no address family`, expected, `[${index}]`)
  }
  return IP_FAMILIES.filter((family) => given.includes(family))
}

function resolveContext(
  { configuration, host }: CompileInput,
  { kubernetesVersion, mode: wanted, nodeName }: CompileOptions,
  nodes: readonly Node[],
  families: readonly IpFamily[],
): CompileContext {
  const resolved = resolveConfiguration({ configuration, kubernetesVersion, mode: wanted })
  const mode = compiledMode(resolved)
  const node = resolveNode({ nodes, nodeName, host, families }, resolved.configuration, resolved.features)
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
      expected: modeNames().join(' or '),
    },
  ])
}

/** Throws where the mode cannot work with the settings, which in this respect are the same for both families. */
function refuseSettings(
  mode: CompiledMode,
  families: readonly NodeOfFamily[],
  diagnostics: readonly Diagnostic[],
): void {
  const found = families.slice(0, 1).flatMap(({ settings }) => modeOf(mode).validate(kernelSettings(settings)))
  if (found.length > 0) throw new DiagnosticsError([...diagnostics, ...found])
}
