import type { Diagnostic, Host, KubeProxyConfiguration } from '@kube-rules/types'
import { type Manifests, parseManifests, safeParseHost } from '@kube-rules/types/schema'
import type { Context } from '../context.js'
import { InputError, UsageError } from '../errors.js'
import type { clusterOptions } from '../options/cluster-options.js'
import type { OptionValues } from '../options/option.js'
import { labelDiagnostics } from './label-diagnostics.js'
import { parseDocuments } from './parse-documents.js'
import { parseYaml } from './parse-yaml.js'
import { readSources } from './read-sources.js'

/** The objects of a cluster and the node's host. */
export interface Cluster extends Manifests {
  readonly host?: Host | undefined
}

/**
 * The cluster that `-f`, `--config` and `--host` name. The configuration of `--config` wins over one among the objects.
 *
 * @throws InputError where a source cannot be read, holds no usable object, or the configuration is invalid.
 */
export async function loadCluster(context: Context, options: OptionValues<typeof clusterOptions>): Promise<Cluster> {
  const { filename, config, host } = options
  if (filename.length === 0) throw new UsageError('option -f is missing')
  const paths = [...filename, config, host]
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
  const cluster = await loadObjects(context, filename, config)
  return host === undefined ? cluster : { ...cluster, host: await loadHost(context, host) }
}

async function loadObjects(
  context: Context,
  filename: readonly string[],
  config: string | undefined,
): Promise<Manifests> {
  const cluster = requireObjects(await readManifests(context, filename))
  if (config === undefined) return requireConfiguration(cluster)
  const { configuration, diagnostics } = await loadConfiguration(context, config)
  return { ...cluster, configuration, diagnostics: [...cluster.diagnostics, ...diagnostics] }
}

async function readManifests(context: Context, paths: readonly string[]): Promise<Manifests> {
  const documents = (await readSources(context, paths)).flatMap(parseDocuments)
  const values = documents.map(({ value }) => value)
  const manifests = parseManifests(values, { parseYaml })
  return { ...manifests, diagnostics: labelDiagnostics(manifests.diagnostics, documents) }
}

function requireObjects(manifests: Manifests): Manifests {
  const { services, endpointSlices, endpoints, nodes, configuration } = manifests
  const isEmpty = [services, endpointSlices, endpoints, nodes].every(({ length }) => length === 0)
  if (!isEmpty || configuration) return manifests
  const message = 'nothing to work on: no usable Service, EndpointSlice, Endpoints, Node or KubeProxyConfiguration'
  throw new InputError(message, manifests.diagnostics)
}

/** Defaults in the place of an invalid configuration would give rules for another manifests. */
function requireConfiguration(manifests: Manifests): Manifests {
  if (!manifests.diagnostics.some(isConfigurationError)) return manifests
  throw new InputError('nothing is printed, because the configuration is invalid', manifests.diagnostics)
}

async function loadConfiguration(
  context: Context,
  path: string,
): Promise<{ readonly configuration: KubeProxyConfiguration; readonly diagnostics: readonly Diagnostic[] }> {
  const { configuration, diagnostics } = requireConfiguration(await readManifests(context, [path]))
  if (!configuration) throw new InputError(`${path}: no KubeProxyConfiguration in it`, diagnostics)
  return { configuration, diagnostics }
}

async function loadHost(context: Context, path: string): Promise<Host> {
  const [document, ...others] = (await readSources(context, [path])).flatMap(parseDocuments)
  if (others.length > 0) throw new InputError(`${path}: expected one document`)
  const result = safeParseHost(document?.value)
  if (result.success) return result.data
  throw new InputError(`${path}: not the description of a host`, result.diagnostics)
}

/** Of ConfigMaps only the text of a configuration is looked at. */
const CONFIGURATION_KINDS: ReadonlySet<string> = new Set(['KubeProxyConfiguration', 'ConfigMap'])

function isConfigurationError({ severity, code, object }: Diagnostic): boolean {
  return severity === 'error' && (code === 'invalidConfiguration' || CONFIGURATION_KINDS.has(object.kind))
}
