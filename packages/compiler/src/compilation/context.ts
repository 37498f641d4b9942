import {
  type Diagnostic,
  DiagnosticsError,
  IP_FAMILIES,
  type IpFamily,
  type Node,
  type ServiceCIDR,
} from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { haveSameItems } from '../internal/have-same-items.js'
import type { Features } from '../model/configuration/features.js'
import { type ResolvedConfiguration, resolveConfiguration } from '../model/configuration/resolve-configuration.js'
import { readServiceCidrs, type ServiceCidrs } from '../model/configuration/service-cidrs.js'
import { versionsOf } from '../model/configuration/versions.js'
import { findNodeVersion } from '../model/node/node-version.js'
import { type FamilyNodeContext, resolveNode } from '../model/node/resolve-node.js'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { describeValue } from '../model/reading/diagnostic-collector.js'
import { itemsOfArgument } from '../model/reading/object-list.js'
import { kernelSettingsOf } from '../plan/kernel-settings.js'
import { type ProxyMode, parseProxyMode } from '../targets/modes.js'
import type { CompileInput, CompileOptions } from './compile-result.js'
import { MODE_LOWERINGS } from './mode-lowerings.js'

/**
 * All inputs that the rules of a Service depend on, excluding the objects of the Service. A context is plain data:
 * equal contexts produce equal rules.
 */
export interface CompileContext {
  readonly mode: ProxyMode
  readonly kubernetesVersion: string
  readonly features: Features
  readonly nodeName: string
  /** The families to compile for. */
  readonly families: readonly FamilyNodeContext[]
  /** The diagnostics about the configuration and the node. */
  readonly diagnostics: readonly Diagnostic[]
}

/** A context together with the inputs that the context was created from. */
export interface ContextWithInputs {
  readonly context: CompileContext
  readonly origin: ContextInputs
}

/** The inputs of a context, for detecting an unchanged context. */
export interface ContextInputs {
  /** The input objects and options, for comparison by identity. The items of short lists are included individually. */
  readonly values: readonly unknown[]
  readonly nodes: readonly Node[]
}

/** The inputs of a context, excluding the Nodes and the node name. */
export interface ClusterSettings {
  readonly configuration: CompileInput['configuration']
  readonly host: CompileInput['host']
  /** The version in the options; absent if each node has the version of its Node. */
  readonly kubernetesVersion: CompileOptions['kubernetesVersion']
  readonly mode: CompileOptions['mode']
  readonly families: readonly IpFamily[]
  readonly serviceCIDRs: readonly ServiceCIDR[]
}

/**
 * Creates the context for an input. Returns `previous` if `previous` was created from the identical objects.
 *
 * Throws `DiagnosticsError` for a configuration that kube-proxy or the mode would reject, and for invalid nodes or
 * families.
 */
export function createCompileContext(
  input: CompileInput,
  options: CompileOptions,
  previous?: ContextWithInputs,
): ContextWithInputs {
  const nodes = readNodes(input)
  const source = createClusterSettings(input, options)
  const origin = contextInputsOf(source, nodes, options.nodeName)
  if (previous !== undefined && haveSameInputs(previous.origin, origin)) return previous
  const settings = resolveClusterSettings(source, findVersion(source, nodes, options.nodeName))
  return { context: createNodeContext(settings, nodes, options.nodeName), origin }
}

/**
 * Returns the version to emulate on a node: the version in the options, else the version that the Node reports, if this
 * version supports the mode. Returns undefined if neither exists.
 */
export function findVersion(
  { kubernetesVersion, configuration, mode }: ClusterSettings,
  nodes: readonly Node[],
  nodeName: string | undefined,
): string | undefined {
  return kubernetesVersion ?? findNodeVersion(nodes, nodeName, configuration, mode)?.version
}

/** Returns the Nodes of an input. Throws `DiagnosticsError` for invalid Nodes. */
export function readNodes({ nodes }: CompileInput): readonly Node[] {
  return Array.from(itemsOfArgument('nodes', 'Node', nodes ?? []))
}

/**
 * Creates cluster settings, which the context of each node is created from. Throws `DiagnosticsError` for invalid
 * families and ServiceCIDRs.
 */
export function createClusterSettings(
  { configuration, host, serviceCIDRs }: CompileInput,
  options: Omit<CompileOptions, 'nodeName' | 'previous'>,
): ClusterSettings {
  const { kubernetesVersion, mode } = options
  return {
    ...{ configuration, host, kubernetesVersion, mode, families: familiesOf(options.families) },
    serviceCIDRs: Array.from(itemsOfArgument('serviceCIDRs', 'ServiceCIDR', serviceCIDRs ?? [])),
  }
}

export function contextInputsOf(
  source: ClusterSettings,
  nodes: readonly Node[],
  nodeName: string | undefined,
): ContextInputs {
  const { configuration, host, kubernetesVersion, mode, families, serviceCIDRs } = source
  const options = [nodeName, kubernetesVersion, mode, families.join()]
  return { values: [configuration, host, ...options, ...serviceCIDRs], nodes }
}

export function haveSameInputs(before: ContextInputs, after: ContextInputs): boolean {
  return haveSameItems(before.values, after.values) && haveSameItems(before.nodes, after.nodes)
}

/**
 * Returns the families in the order IPv4, IPv6. An empty list is invalid, because a result without families would mean
 * a node without rules.
 */
function familiesOf(families: readonly IpFamily[] = IP_FAMILIES): readonly IpFamily[] {
  const expected = 'a list of IPv4, IPv6 or both'
  if (!Array.isArray(families)) throw createArgumentTypeError('families', families, 'a list', undefined, expected)
  if (families.length === 0) throw createArgumentError('families', 'the list is empty', expected)
  const index = families.findIndex((family) => !IP_FAMILIES.includes(family))
  if (index >= 0) {
    throw createArgumentTypeError('families', families[index], 'an address family', `[${index}]`, expected)
  }
  return IP_FAMILIES.filter((family) => families.includes(family))
}

/**
 * Cluster settings with the resolved configuration, the mode and the Service networks. All of them are the same for
 * every node of one version.
 */
export interface ResolvedClusterSettings extends ClusterSettings {
  readonly resolved: ResolvedConfiguration
  readonly compiledMode: ProxyMode
  readonly serviceNetworks: ServiceCidrs
}

/**
 * Resolves the configuration and the mode of cluster settings for a version; if it is absent, for the newest version.
 * `changedFeatures` replaces individual features of the version. Throws `DiagnosticsError` for a configuration that
 * kube-proxy would reject, and for an unknown mode.
 */
export function resolveClusterSettings(
  source: ClusterSettings,
  kubernetesVersion: string | undefined,
  changedFeatures?: Partial<Features>,
): ResolvedClusterSettings {
  const { configuration, mode, serviceCIDRs } = source
  const resolved = resolveConfiguration({ configuration, kubernetesVersion, mode, changedFeatures })
  const serviceNetworks = readServiceCidrs(serviceCIDRs)
  return { ...source, resolved, compiledMode: compiledModeOf(resolved), serviceNetworks }
}

/** Returns a warning if the newest version is emulated because the version of the Node does not have the mode. */
function checkReportedVersion(
  { kubernetesVersion, configuration, compiledMode: mode, resolved }: ResolvedClusterSettings,
  nodes: readonly Node[],
  nodeName: string | undefined,
): readonly Diagnostic[] {
  if (kubernetesVersion !== undefined) return []
  const found = findNodeVersion(nodes, nodeName, configuration, mode)
  if (found === undefined || found.version !== undefined) return []
  const versions = versionsOf(mode)
  return [
    {
      ...{ severity: 'warning', code: 'unsupportedVersion', path: 'status.nodeInfo' },
      object: { kind: 'Node', name: found.node },
      message: `${describeValue(found.reported)} is no version with ${mode} mode; the rules are those of ${resolved.version}`,
      expected: `a version from ${versions[0]} to ${versions.at(-1)}`,
    },
  ]
}

/**
 * Creates the context of one node and looks up the node in `nodes`. Throws `DiagnosticsError` for settings that the
 * mode does not support.
 */
export function createNodeContext(
  settings: ResolvedClusterSettings,
  nodes: readonly Node[],
  nodeName: string | undefined,
): CompileContext {
  const { host, families, resolved, compiledMode: mode, serviceNetworks } = settings
  const request = { nodes, nodeName, host, families, serviceNetworks }
  const node = resolveNode(request, resolved.configuration, resolved.features)
  const version = checkReportedVersion(settings, nodes, nodeName)
  const diagnostics = [...resolved.diagnostics, ...version, ...serviceNetworks.diagnostics, ...node.diagnostics]
  rejectSettings(mode, node.families, diagnostics)
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

function compiledModeOf({ configuration, diagnostics }: ResolvedConfiguration): ProxyMode {
  if (hasError(diagnostics)) throw new DiagnosticsError(diagnostics)
  return parseProxyMode(configuration.mode)
}

/**
 * Throws if the mode does not support the settings. Checks the settings of only one family, because they are the same
 * for both families.
 */
function rejectSettings(
  mode: ProxyMode,
  families: readonly FamilyNodeContext[],
  diagnostics: readonly Diagnostic[],
): void {
  const problems = families
    .slice(0, 1)
    .flatMap(({ settings }) => MODE_LOWERINGS[mode].validate(kernelSettingsOf(settings)))
  if (problems.length > 0) throw new DiagnosticsError([...diagnostics, ...problems])
}
