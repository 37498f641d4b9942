import type { Diagnostic, Host, KubeProxyConfiguration, ObjectReference, Service } from '@kube-rules/types'
import { type Manifests, parseManifests, safeParseHost } from '@kube-rules/types/schema'
import type { Context } from '../context.js'
import { InputError, UsageError } from '../errors.js'
import { assignClusterIPs } from './assign-cluster-ips.js'
import { labelKey } from './cluster-diagnostics.js'
import { labelDiagnostics, labelOf } from './label-diagnostics.js'
import { notesOnManifests } from './notes-on-manifests.js'
import { type Document, parseDocuments } from './parse-documents.js'
import { parseYaml } from './parse-yaml.js'
import { readSources, sourceName } from './read-sources.js'
import { versionOfNode } from './version-of-node.js'

/** The objects of a cluster and the node's host. */
export interface Cluster extends Manifests {
  readonly host?: Host | undefined
  /** The file and document of each object, by `labelKey`; empty where there is one document. */
  readonly labels: ReadonlyMap<string, string>
  /** The version to be faithful to where none is asked for, if the Node tells one. */
  readonly nodeVersion?: string | undefined
  /** What whoever gave the objects should know; whole lines. */
  readonly notes: readonly string[]
}

/** Where a cluster comes from: paths of files and directories, `-` for standard input. */
export interface ClusterSources extends CommonSources {
  readonly filename: readonly string[]
}

/** What several clusters may have in common. */
export interface CommonSources extends ManifestValues {
  readonly config?: string | undefined
  readonly host?: string | undefined
  /** The name of the node. */
  readonly node?: string | undefined
  readonly 'kubernetes-version'?: string | undefined
  readonly mode?: string | undefined
}

/** What stands in for an API server; only some commands have these options. */
interface ManifestValues {
  readonly namespace?: string | undefined
  readonly 'assign-cluster-ips'?: boolean | undefined
}

/**
 * The cluster that `-f`, `--config` and `--host` name. The configuration of `--config` wins over one among the objects.
 *
 * @throws InputError where a source cannot be read, holds no usable object, or the configuration is invalid.
 */
export async function loadCluster(context: Context, { filename, ...common }: ClusterSources): Promise<Cluster> {
  if (filename.length === 0) throw new UsageError('option -f is missing')
  requireOneStdin([...filename, common.config, common.host])
  const objects = await loadObjects(context, filename, common)
  return joinCluster(objects, await loadCommon(context, common), common)
}

/** Two clusters under one configuration and on one host. Throws as `loadCluster` does. */
export async function loadTwoClusters(
  context: Context,
  [older, newer]: readonly [string, string],
  common: CommonSources,
): Promise<readonly [Cluster, Cluster]> {
  requireOneStdin([older, newer, common.config, common.host])
  const before = await loadObjects(context, [older], common)
  const after = await loadObjects(context, [newer], common)
  const shared = await loadCommon(context, common)
  return [joinCluster(before, shared, common), joinCluster(after, shared, common)]
}

/** Throws UsageError where `-` is there twice. */
export function requireOneStdin(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
}

/** Manifests with the file and document of each object. */
type LabelledManifests = Manifests & Pick<Cluster, 'labels'>

async function loadObjects(
  context: Context,
  paths: readonly string[],
  values: ManifestValues,
): Promise<LabelledManifests> {
  const manifests = await readManifests(context, paths, values.namespace)
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration } = manifests
  const isEmpty = [services, endpointSlices, endpoints, nodes, serviceCIDRs].every(({ length }) => length === 0)
  if (!isEmpty || configuration) return manifests
  const message = `nothing to work on in ${paths.map(sourceName).join(', ')}: no usable ${USABLE_KINDS}`
  throw new InputError(message, manifests.diagnostics)
}

const USABLE_KINDS = 'Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration'

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

function joinCluster(
  objects: LabelledManifests,
  { configuration: file, host }: Common,
  { node, ...values }: CommonSources,
): Cluster {
  const joined = file === undefined ? requireConfiguration(objects) : withConfiguration(objects, file)
  const services = values['assign-cluster-ips'] ? assignClusterIPs(joined.services) : joined.services
  const asked = values['kubernetes-version'] !== undefined
  const { version, note } = asked ? {} : versionOfNode(joined.nodes, node, joined.configuration, values.mode)
  const notes = [...(note === undefined ? [] : [note]), ...notesOnManifests({ ...joined, services })]
  return { ...joined, services, host, nodeVersion: version, notes: notes.map((text) => `note: ${text}`) }
}

function withConfiguration(objects: LabelledManifests, file: ConfigurationFile): LabelledManifests {
  const labels = new Map(objects.labels)
  labels.delete(labelKey(CONFIGURATION))
  return { ...objects, ...file, labels, diagnostics: [...objects.diagnostics, ...file.diagnostics] }
}

async function readManifests(
  context: Context,
  paths: readonly string[],
  namespace?: string,
): Promise<LabelledManifests> {
  const documents = (await readSources(context, paths)).flatMap(parseDocuments)
  const values = documents.map(({ value }) => value)
  const manifests = parseManifests(values, { parseYaml, namespace })
  return {
    ...manifests,
    diagnostics: labelDiagnostics(manifests.diagnostics, documents),
    labels: labelsOf(manifests, documents),
  }
}

const CONFIGURATION = { kind: 'KubeProxyConfiguration', name: 'config' }

function labelsOf(manifests: Manifests, documents: readonly Document[]): ReadonlyMap<string, string> {
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration, sources } = manifests
  const objects: readonly (readonly [string, readonly Labelled[]])[] = [
    ['Service', services],
    ['EndpointSlice', endpointSlices],
    ['Endpoints', endpoints],
    ['Node', nodes],
    ['ServiceCIDR', serviceCIDRs],
  ]
  const references = objects.flatMap(([kind, list]) =>
    list.map((object) => [object, referenceOf(kind, object)] as const),
  )
  const all = configuration === undefined ? references : [...references, [configuration, CONFIGURATION] as const]
  const labels = new Map<string, string>()
  for (const [object, reference] of all) {
    const label = labelOf(sources.get(object) ?? '', reference, documents)
    if (label !== undefined) labels.set(labelKey(reference), label)
  }
  return labels
}

type Labelled = Pick<Service, 'metadata'>

function referenceOf(kind: string, { metadata }: Labelled): ObjectReference {
  return { kind, namespace: metadata?.namespace ?? undefined, name: metadata?.name ?? '' }
}

/** Defaults in the place of an invalid configuration would give rules for another cluster. */
function requireConfiguration(manifests: LabelledManifests): LabelledManifests {
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
