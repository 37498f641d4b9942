import type { Diagnostic, Host, KubeProxyConfiguration } from '@kube-rules/types'
import { type Manifests, parseManifests, safeParseHost } from '@kube-rules/types/schema'
import type { Context } from '../context.js'
import { InputError, UsageError } from '../errors.js'
import { labelDiagnostics } from './label-diagnostics.js'
import { parseDocuments } from './parse-documents.js'
import { parseYaml } from './parse-yaml.js'
import { readSources, sourceName } from './read-sources.js'

/** The objects of a cluster and the node's host. */
export interface Cluster extends Manifests {
  readonly host?: Host | undefined
}

/** Where a cluster comes from: paths of files and directories, `-` for standard input. */
export interface ClusterSources extends CommonSources {
  readonly filename: readonly string[]
}

/** What several clusters may have in common. */
export interface CommonSources {
  readonly config?: string | undefined
  readonly host?: string | undefined
}

/**
 * The cluster that `-f`, `--config` and `--host` name. The configuration of `--config` wins over one among the objects.
 *
 * @throws InputError where a source cannot be read, holds no usable object, or the configuration is invalid.
 */
export async function loadCluster(context: Context, { filename, ...common }: ClusterSources): Promise<Cluster> {
  if (filename.length === 0) throw new UsageError('option -f is missing')
  requireOneStdin([...filename, common.config, common.host])
  const objects = await loadObjects(context, filename)
  return joinCluster(objects, await loadCommon(context, common))
}

/** Two clusters under one configuration and on one host. Throws as `loadCluster` does. */
export async function loadTwoClusters(
  context: Context,
  [older, newer]: readonly [string, string],
  common: CommonSources,
): Promise<readonly [Cluster, Cluster]> {
  requireOneStdin([older, newer, common.config, common.host])
  const before = await loadObjects(context, [older])
  const after = await loadObjects(context, [newer])
  const shared = await loadCommon(context, common)
  return [joinCluster(before, shared), joinCluster(after, shared)]
}

/** Throws UsageError where `-` is there twice. */
export function requireOneStdin(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
}

async function loadObjects(context: Context, paths: readonly string[]): Promise<Manifests> {
  const manifests = await readManifests(context, paths)
  const { services, endpointSlices, endpoints, nodes, configuration } = manifests
  const isEmpty = [services, endpointSlices, endpoints, nodes].every(({ length }) => length === 0)
  if (!isEmpty || configuration) return manifests
  const message = `nothing to work on in ${paths.map(sourceName).join(', ')}: no usable ${USABLE_KINDS}`
  throw new InputError(message, manifests.diagnostics)
}

const USABLE_KINDS = 'Service, EndpointSlice, Endpoints, Node or KubeProxyConfiguration'

/** What `--config` and `--host` name. */
interface Common {
  readonly configuration?: ConfigurationFile | undefined
  readonly host?: Host | undefined
}

async function loadCommon(context: Context, { config, host }: CommonSources): Promise<Common> {
  return {
    configuration: config === undefined ? undefined : await loadConfiguration(context, config),
    host: host === undefined ? undefined : await loadHost(context, host),
  }
}

function joinCluster(objects: Manifests, { configuration: file, host }: Common): Cluster {
  if (file === undefined) return { ...requireConfiguration(objects), host }
  return { ...objects, ...file, host, diagnostics: [...objects.diagnostics, ...file.diagnostics] }
}

async function readManifests(context: Context, paths: readonly string[]): Promise<Manifests> {
  const documents = (await readSources(context, paths)).flatMap(parseDocuments)
  const values = documents.map(({ value }) => value)
  const manifests = parseManifests(values, { parseYaml })
  return { ...manifests, diagnostics: labelDiagnostics(manifests.diagnostics, documents) }
}

/** Defaults in the place of an invalid configuration would give rules for another cluster. */
function requireConfiguration(manifests: Manifests): Manifests {
  if (!manifests.diagnostics.some(isConfigurationError)) return manifests
  throw new InputError('nothing is printed, because the configuration is invalid', manifests.diagnostics)
}

interface ConfigurationFile {
  readonly configuration: KubeProxyConfiguration
  readonly diagnostics: readonly Diagnostic[]
}

async function loadConfiguration(context: Context, path: string): Promise<ConfigurationFile> {
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
