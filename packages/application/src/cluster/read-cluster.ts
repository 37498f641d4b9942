import type { Diagnostic, HostFacts, KubeProxyConfiguration, ObjectReference, Service } from '@kube-rules/types'
import { type Manifests, parseManifests, safeParseHost } from '@kube-rules/types/schema'
import { InputError } from '../messages/errors.js'
import { count } from '../messages/lines.js'
import { assignClusterIPs, needsClusterIP } from './assign-cluster-ips.js'
import { labelDiagnostics, labelKey, labelOf } from './cluster-diagnostics.js'
import { type Document, parseDocuments, readDocuments } from './parse-documents.js'
import { parseYaml } from './parse-yaml.js'
import type { Source } from './source.js'
import { versionOfNode } from './version-of-node.js'
import { createPieceCache, type PieceCache } from './yaml-pieces.js'

/** The objects of a cluster and the node's host. */
export interface Cluster extends Manifests {
  readonly host?: HostFacts | undefined
  /** The file and document of each object, by `labelKey`; empty if there is only one document. */
  readonly labels: ReadonlyMap<string, string>
  /** The default version to emulate, if the Node reports one. */
  readonly nodeVersion?: string | undefined
  /** Complete lines for the user who supplied the objects. */
  readonly notes: readonly string[]
}

/** Options that replace defaulting by an API server. Only some commands have them. */
export interface ManifestValues {
  readonly namespace?: string | undefined
  readonly assignClusterIps?: boolean | undefined
}

/** Command-line options that affect how objects are read. */
export interface ClusterValues extends ManifestValues {
  /** The name of the node. */
  readonly node?: string | undefined
  readonly kubernetesVersion?: string | undefined
  readonly mode?: string | undefined
}

/** The texts of `-f`, `--config` and `--host`. */
export interface ClusterTexts {
  readonly objects: readonly Source[]
  readonly config?: Source | undefined
  readonly host?: Source | undefined
}

/**
 * Reads a cluster from texts, as the command does. The configuration in `config` has precedence over one among the
 * objects.
 *
 * @throws InputError if a text is not well formed, there is no usable object, or the configuration is invalid.
 */
export function readCluster(texts: ClusterTexts, values: ClusterValues = {}): Cluster {
  return read(texts, values, undefined)
}

/** A reader for successive versions of a cluster. */
export interface ClusterReader {
  /** Reads a cluster like `readCluster`. The returned objects must not be changed. */
  read(texts: ClusterTexts, values?: ClusterValues): Cluster
}

/**
 * Creates a reader for texts that users edit repeatedly. Only YAML documents that differ from those of the previous
 * call are parsed and validated. For the rest it returns the same objects, and `compileCluster` with `previous` skips
 * them. The reader remembers the last texts only.
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

function read({ objects, config, host }: ClusterTexts, values: ClusterValues, memory: ReadCache | undefined): Cluster {
  const manifests = readObjects(
    objects,
    objects.map(({ name }) => name),
    values,
    memory,
  )
  const common = {
    configuration: config && readConfiguration([config], config.name),
    host: host && readHost([host], host.name),
  }
  return mergeManifests(manifests, common, values, memory)
}

/** Manifests with the file and document of each object. */
export type LabelledManifests = Manifests & Pick<Cluster, 'labels'>

/** Reads objects from texts; `names` are the sources for messages. */
export function readObjects(
  sources: readonly Source[],
  names: readonly string[],
  values: ManifestValues,
  memory?: ReadCache,
): LabelledManifests {
  const manifests = readManifests(sources, values.namespace, memory)
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration } = manifests
  const isEmpty = [services, endpointSlices, endpoints, nodes, serviceCIDRs].every(({ length }) => length === 0)
  if (!isEmpty || configuration) return manifests
  const message = `nothing to work on in ${names.join(', ')}: no usable ${USABLE_KINDS}`
  throw new InputError(message, manifests.diagnostics)
}

const USABLE_KINDS = 'Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration'

/** The settings from `--config` and `--host`. */
export interface CommonSettings {
  readonly configuration?: ConfigurationFile | undefined
  readonly host?: HostFacts | undefined
}

export function mergeManifests(
  objects: LabelledManifests,
  { configuration: file, host }: CommonSettings,
  { node, ...values }: ClusterValues,
  memory?: ReadCache,
): Cluster {
  const joined = file === undefined ? requireConfiguration(objects) : withConfiguration(objects, file)
  const services = values.assignClusterIps ? assignClusterIPs(joined.services, memory?.assigned) : joined.services
  const readSet = values.kubernetesVersion !== undefined
  const { version, note } = readSet ? {} : versionOfNode(joined.nodes, node, joined.configuration, values.mode)
  const notes = [...(note === undefined ? [] : [note]), ...notesOnManifests({ ...joined, services })]
  return { ...joined, services, host, nodeVersion: version, notes: notes.map((text) => `note: ${text}`) }
}

function withConfiguration(objects: LabelledManifests, file: ConfigurationFile): LabelledManifests {
  const labels = new Map(objects.labels)
  labels.delete(labelKey(CONFIGURATION))
  return { ...objects, ...file, labels, diagnostics: [...objects.diagnostics, ...file.diagnostics] }
}

function readManifests(sources: readonly Source[], namespace?: string, memory?: ReadCache): LabelledManifests {
  const documents = sources.flatMap((source) => readDocuments(source, memory?.pieces))
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

/**
 * Throws if the configuration is invalid. Defaults instead of an invalid configuration would produce rules for another
 * cluster.
 */
function requireConfiguration(manifests: LabelledManifests): LabelledManifests {
  if (!manifests.diagnostics.some(isConfigurationError)) return manifests
  throw new InputError('nothing is printed, because the configuration is invalid', manifests.diagnostics)
}

export interface ConfigurationFile {
  readonly configuration: KubeProxyConfiguration
  readonly diagnostics: readonly Diagnostic[]
}

export function readConfiguration(sources: readonly Source[], name: string): ConfigurationFile {
  const { configuration, diagnostics } = requireConfiguration(readManifests(sources))
  if (!configuration) throw new InputError(`${name}: no KubeProxyConfiguration in it`, diagnostics)
  return { configuration, diagnostics }
}

export function readHost(sources: readonly Source[], name: string): HostFacts {
  const [document, ...others] = sources.flatMap(parseDocuments)
  if (others.length > 0) throw new InputError(`${name}: expected one document`)
  const result = safeParseHost(document?.value)
  if (result.ok) return result.value
  throw new InputError(`${name}: not valid host facts`, result.problems)
}

/** Kinds with kube-proxy configuration. A ConfigMap is only searched for the text of a configuration. */
const CONFIGURATION_KINDS: ReadonlySet<string> = new Set(['KubeProxyConfiguration', 'ConfigMap'])

function isConfigurationError({ severity, code, object }: Diagnostic): boolean {
  return severity === 'error' && (code === 'invalidConfiguration' || CONFIGURATION_KINDS.has(object.kind))
}

/** Caches of the objects from the last read, so that identical ones are not processed again. */
export interface ReadCache {
  readonly pieces: PieceCache
  manifests?: Manifests | undefined
  /** Services with assigned cluster IPs, by the Service without them. */
  readonly assigned: WeakMap<Service, Service>
}

export function createReadCache(): ReadCache {
  return { pieces: createPieceCache(), assigned: new WeakMap() }
}

/** Returns notes, without a prefix, on objects that rely on an API server for defaults. */
export function notesOnManifests({ services, endpointSlices, endpoints }: Manifests): readonly string[] {
  const homeless = [...services, ...endpointSlices, ...endpoints].filter(({ metadata }) => !metadata?.namespace).length
  const wanting = services.filter(needsClusterIP).length
  return [
    ...(homeless === 0 ? [] : [`${objectsHave(homeless, 'object')} no namespace; --namespace NAME gives them one`]),
    ...(wanting === 0
      ? []
      : [
          `${objectsHave(wanting, 'Service')} no cluster IP, as an API server gives them; ` +
            '--assign-cluster-ips gives them some to review rules with',
        ]),
  ]
}

function objectsHave(number: number, noun: string): string {
  return `${count(number, noun)} ${number === 1 ? 'has' : 'have'}`
}
