import { type Diagnostic, DiagnosticsError, type HostFacts, type KubeProxyConfiguration } from '@kube-rules/types'
import { DEFAULT_NAMESPACE } from '@kube-rules/types/internal/manifests/assume-missing'
import { isOfKind, type ManifestObject } from '@kube-rules/types/internal/manifests/manifest-objects'
import { type AssumedValue, type AssumeMissingOptions, assumeMissing } from '@kube-rules/types/manifests'
import { type Manifests, parseManifests, safeParseHost } from '@kube-rules/types/schema'
import { formatAssumptionNotes } from '../assume/describe-assumptions.js'
import { type AssumptionCache, reuseAssumptions } from '../assume/reuse-assumptions.js'
import { InputError } from '../messages/errors.js'
import { chooseNode } from './choose-node.js'
import {
  CONFIGURATION_REFERENCE,
  createObjectLabelKey,
  createObjectLabels,
  labelDiagnostics,
} from './cluster-diagnostics.js'
import { findReportedVersion } from './find-reported-version.js'
import { isLiveCluster } from './is-live-cluster.js'
import { listManifestNotes, listRenderingNotes } from './notes-on-manifests.js'
import { parseDocuments } from './parse-documents.js'
import { parseYaml } from './parse-yaml.js'
import { type ParsedSources, parseSources } from './read-documents.js'
import type { TextSource } from './text-source.js'
import { createYamlDocumentCache, type YamlDocumentCache } from './yaml-documents.js'

/** The objects of a cluster, and facts about the host of the node. */
export interface Cluster extends Manifests {
  readonly host?: HostFacts | undefined
  /** The file and document of each object, by `createObjectLabelKey`; empty if there is only one document. */
  readonly labels: ReadonlyMap<string, string>
  /** The default version to emulate, if the Node reports one. */
  readonly nodeVersion?: string | undefined
  /** The node that was chosen because there are several and none was named. */
  readonly chosenNode?: string | undefined
  /** The assumed values; empty if nothing is assumed. */
  readonly assumed: readonly AssumedValue[]
  /** Notes about the objects for the user, as complete lines. */
  readonly notes: readonly string[]
}

/** Options for values that an API server would set. Only some commands have them. */
export interface ManifestOptionValues {
  readonly namespace?: string | undefined
  /** Whether to assume missing values. Default: true if the objects include no endpoints. */
  readonly assume?: boolean | undefined
  /**
   * Whether the cluster is read for all its Nodes, each with its own version. The option `--namespace` then selects
   * Services, and a Node is assumed if there is none.
   */
  readonly isForAllNodes?: boolean | undefined
}

/** Command-line options that affect how objects are read. */
export interface ClusterOptionValues extends ManifestOptionValues {
  /** The name of the node. */
  readonly node?: string | undefined
  /** Addresses of the node, which select one of several Nodes if none is named. */
  readonly nodeAddresses?: readonly string[] | undefined
  readonly kubernetesVersion?: string | undefined
  readonly mode?: string | undefined
}

/** The contents of the files given with `-f`, `--config` and `--host`. */
export interface ClusterInputTexts {
  readonly objects: readonly TextSource[]
  /** Another version of the objects. Objects in both versions get the same assumed values. */
  readonly alongside?: readonly TextSource[] | undefined
  readonly config?: TextSource | undefined
  readonly host?: TextSource | undefined
}

/**
 * Reads a cluster from texts, like the command. The configuration in `config` has precedence over a configuration among
 * the objects.
 *
 * @throws InputError if a text is not well formed, there is no usable object, or the configuration is invalid.
 */
export function readCluster(texts: ClusterInputTexts, values: ClusterOptionValues = {}): Cluster {
  return read(texts, values, undefined)
}

/** A reader for successive versions of a cluster. */
export interface ClusterReader {
  /** Reads a cluster like `readCluster`. The returned objects must not be changed. */
  read(texts: ClusterInputTexts, values?: ClusterOptionValues): Cluster
}

/**
 * Creates a reader for texts that are edited repeatedly. The reader parses and validates only changed YAML documents.
 * For unchanged documents, the reader returns the same objects as before, so that `compileCluster` with `previous`
 * skips these objects. The reader remembers only the texts of the last read.
 */
export function createClusterReader(): ClusterReader {
  const memory = createReadCache()
  return {
    read: (texts, values = {}) => {
      let isWhole = false
      try {
        const cluster = read(texts, values, memory)
        isWhole = true
        return cluster
      } finally {
        memory.pieces.turn(isWhole)
      }
    },
  }
}

function read(
  { objects, alongside, config, host }: ClusterInputTexts,
  values: ClusterOptionValues,
  memory: ReadCache | undefined,
): Cluster {
  const parsed = parseSources(objects, undefined, memory?.pieces)
  const other = alongside && parseSources(alongside)
  const resolved = resolveAssumeOption(values, other === undefined ? [parsed] : [parsed, other])
  const common = {
    configuration: config && readConfigurationFile([config], config.name),
    host: host && readHostFile([host], host.name),
  }
  return mergeManifests(readObjects(parsed, resolved, memory), common, resolved, {
    memory,
    alongside: other && readObjects(other, resolved),
  })
}

/**
 * Sets `assume` if the user did not set it, and `namespace` to `default` unless the user set it, as in kubectl. Values
 * are assumed unless a version of the objects is from a live cluster, with a Node if it is read for all Nodes.
 */
export function resolveAssumeOption<Values extends ManifestOptionValues>(
  values: Values,
  versions: readonly ParsedSources[],
): Values & ResolvedOptionValues {
  const isComplete = ({ manifestObjects: all }: ParsedSources) =>
    isLiveCluster(all) && (values.isForAllNodes !== true || all.some((object) => isOfKind(object, 'Node')))
  const assume = values.assume ?? !versions.some(isComplete)
  return { ...values, assume, namespace: values.namespace ?? DEFAULT_NAMESPACE }
}

/** Manifest options after `resolveAssumeOption`. */
export interface ResolvedOptionValues extends ManifestOptionValues {
  readonly assume: boolean
}

/** Manifests with the file and document of each object. */
export interface LabelledManifests extends Manifests, Pick<Cluster, 'labels'> {
  /** The objects of all kinds in the input. */
  readonly manifestObjects: readonly ManifestObject[]
  /** The documents that contain the objects. */
  readonly documents: readonly unknown[]
}

/**
 * Reads objects from parsed sources.
 *
 * @throws InputError if no object is usable.
 */
export function readObjects(
  parsed: ParsedSources,
  { namespace }: ManifestOptionValues,
  memory?: ReadCache,
): LabelledManifests {
  const manifests = readManifests(parsed, namespace, memory)
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration } = manifests
  const isEmpty = [services, endpointSlices, endpoints, nodes, serviceCIDRs].every(({ length }) => length === 0)
  if (!isEmpty || configuration) return manifests
  const hints = listRenderingNotes(parsed.manifestObjects, ['Template', 'Kustomization']).map((note) => `; ${note}`)
  const message = `${parsed.names.join(', ')}: expected a valid ${USABLE_KINDS}${hints.join('')}`
  throw new InputError(message, manifests.diagnostics)
}

const USABLE_KINDS = 'Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration'

/** The settings from `--config` and `--host`. */
export interface CommonSettings {
  readonly configuration?: ConfigurationFile | undefined
  readonly host?: HostFacts | undefined
}

/** The settings and options for merging manifests. */
export interface ClusterMergeContext {
  readonly memory?: ReadCache | undefined
  /** Another version of the objects. */
  readonly alongside?: LabelledManifests | undefined
}

/** Adds the settings and the assumed values to the objects. */
export function mergeManifests(
  objects: LabelledManifests,
  { configuration: file, host }: CommonSettings,
  { node, nodeAddresses, ...values }: ClusterOptionValues,
  { memory, alongside }: ClusterMergeContext = {},
): Cluster {
  const joined = file === undefined ? requireConfiguration(objects) : withConfiguration(objects, file)
  const chosen = chooseNode(joined.nodes, node, joined.configuration, nodeAddresses)
  const nodeName = chosen.name
  const { assumed, ...found } = values.assume
    ? assume(joined, alongside, values, { nodeName, hasHost: host !== undefined }, memory)
    : { ...joined, assumed: [] }
  const { isForAllNodes = false, kubernetesVersion } = values
  const { version, note } =
    isForAllNodes || kubernetesVersion !== undefined
      ? {}
      : findReportedVersion(found.nodes, nodeName, found.configuration, values.mode)
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...listManifestNotes(found, found.manifestObjects),
    ...(isForAllNodes ? [] : chosen.notes),
  ].map((text) => `note: ${text}`)
  return {
    ...found,
    host,
    chosenNode: chosen.isUnnamed ? chosen.name : undefined,
    nodeVersion: version,
    assumed,
    notes: [...notes, ...formatAssumptionNotes(assumed, !isForAllNodes)],
  }
}

function assume(
  joined: LabelledManifests,
  alongside: LabelledManifests | undefined,
  { namespace = DEFAULT_NAMESPACE }: ManifestOptionValues,
  host: AssumeMissingOptions,
  memory: ReadCache | undefined,
): LabelledManifests & Pick<Cluster, 'assumed'> {
  const clusterOf = (objects: LabelledManifests) => ({ objects, documents: objects.documents, namespace })
  const options = { ...host, alongside: alongside && clusterOf(alongside) }
  const { objects, assumed } = withInputErrors(() => assumeMissing(clusterOf(joined), options))
  const { services, endpointSlices, nodes } = memory ? reuseAssumptions(objects, joined, memory.assumed) : objects
  return { ...joined, services, endpointSlices, nodes, assumed }
}

/** Calls a function, and turns the problems that it reports into an InputError. */
function withInputErrors<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    throw new InputError('nothing is printed, because missing values cannot be assumed', error.diagnostics)
  }
}

function withConfiguration(objects: LabelledManifests, file: ConfigurationFile): LabelledManifests {
  const labels = new Map(objects.labels)
  labels.delete(createObjectLabelKey(CONFIGURATION_REFERENCE))
  return { ...objects, ...file, labels, diagnostics: [...objects.diagnostics, ...file.diagnostics] }
}

function readManifests(
  { documents, manifestObjects }: ParsedSources,
  namespace?: string,
  memory?: ReadCache,
): LabelledManifests {
  const values = documents.map(({ value }) => value)
  const manifests = parseManifests(values, {
    parseYaml: (text) => parseYaml(text),
    namespace,
    previous: memory?.manifests,
  })
  if (memory !== undefined) memory.manifests = manifests
  return {
    ...manifests,
    diagnostics: labelDiagnostics(manifests.diagnostics, documents),
    labels: createObjectLabels(manifests, documents),
    manifestObjects,
    documents: values,
  }
}

/**
 * Throws if the configuration is invalid. Replacing an invalid configuration with defaults would give the rules of
 * another cluster.
 */
function requireConfiguration(manifests: LabelledManifests): LabelledManifests {
  if (!manifests.diagnostics.some(isConfigurationError)) return manifests
  throw new InputError('nothing is printed, because the configuration is invalid', manifests.diagnostics)
}

export interface ConfigurationFile {
  readonly configuration: KubeProxyConfiguration
  readonly diagnostics: readonly Diagnostic[]
}

export function readConfigurationFile(sources: readonly TextSource[], name: string): ConfigurationFile {
  const { configuration, diagnostics } = requireConfiguration(readManifests(parseSources(sources)))
  if (!configuration) throw new InputError(`${name}: no KubeProxyConfiguration in it`, diagnostics)
  return { configuration, diagnostics }
}

export function readHostFile(sources: readonly TextSource[], name: string): HostFacts {
  const [document, ...others] = sources.flatMap(parseDocuments)
  if (others.length > 0) throw new InputError(`${name}: expected one document`)
  const result = safeParseHost(document?.value)
  if (result.ok) return result.value
  throw new InputError(`${name}: not valid host facts`, result.problems)
}

/** Kinds with kube-proxy configuration. A ConfigMap counts only if it contains a configuration. */
const CONFIGURATION_KINDS: ReadonlySet<string> = new Set(['KubeProxyConfiguration', 'ConfigMap'])

function isConfigurationError({ severity, code, object }: Diagnostic): boolean {
  return severity === 'error' && (code === 'invalidConfiguration' || CONFIGURATION_KINDS.has(object.kind))
}

/** Caches of the objects from the last read, so that identical objects are not processed again. */
export interface ReadCache {
  readonly pieces: YamlDocumentCache
  manifests?: Manifests | undefined
  readonly assumed: AssumptionCache
}

function createReadCache(): ReadCache {
  return { pieces: createYamlDocumentCache(), assumed: new Map() }
}
