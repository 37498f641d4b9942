import { type Diagnostic, DiagnosticsError, type ObjectReference } from '../diagnostic.js'
import type { KubeProxyConfiguration } from '../kube-proxy-configuration.js'
import type { EndpointSlice } from '../kubernetes/endpoint-slice.js'
import type { Endpoints } from '../kubernetes/endpoints.js'
import type { Node } from '../kubernetes/node.js'
import type { Service } from '../kubernetes/service.js'
import type { ServiceCIDR } from '../kubernetes/service-cidr.js'
import type { Result } from '../result.js'
import { readConfigurationText } from './configuration-map.js'
import { safeParseEndpointSlice } from './endpoint-slice.js'
import { safeParseEndpoints } from './endpoints.js'
import { safeParseKubeProxyConfiguration } from './kube-proxy-configuration.js'
import {
  type Checked,
  type Collection,
  ignore,
  keep,
  keepIn,
  keepNew,
  type SourceValue,
} from './manifest-collection.js'
import { collectManifestDocuments, INPUT_REFERENCE, type ManifestDocument } from './manifest-documents.js'
import { readManifestText, type YamlParser } from './manifest-text.js'
import { safeParseNode } from './node.js'
import { safeParseService } from './service.js'
import { safeParseServiceCIDR } from './service-cidr.js'
import { findUnknownFields } from './unknown-fields.js'
import { CONFIGURATION_REFERENCE, describeValue, fieldOf, isObject, referenceOf } from './untyped.js'

/**
 * The content of a set of manifests. Every object is the original instance, unless a default was added: its namespace,
 * or the empty name of an EndpointSlice port.
 */
export interface Manifests {
  /** The valid Services. */
  readonly services: readonly Service[]
  /** The valid EndpointSlices. */
  readonly endpointSlices: readonly EndpointSlice[]
  /** The valid Endpoints objects. */
  readonly endpoints: readonly Endpoints[]
  /** The valid Nodes. */
  readonly nodes: readonly Node[]
  /** The valid ServiceCIDRs. */
  readonly serviceCIDRs: readonly ServiceCIDR[]
  /** The configuration of kube-proxy; absent if the manifests contain none. */
  readonly configuration?: KubeProxyConfiguration
  /** The location of each object in the input, for example `[3].items[0]`. The input itself has no entry. */
  readonly sources: ReadonlyMap<object, string>
  /** Objects of unsupported kinds. */
  readonly ignored: readonly ObjectReference[]
  /** The problems of all documents. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Options of `parseManifests`. */
export interface ParseManifestsOptions {
  /**
   * A function that parses YAML text and returns an array if there are several documents. If it is absent, text must be
   * JSON.
   */
  readonly parseYaml?: YamlParser | undefined
  /**
   * The namespace for Services, EndpointSlices and Endpoints objects that have no namespace. If absent, these objects
   * stay without a namespace.
   */
  readonly namespace?: string | undefined
  /**
   * The result of an earlier call with the same `namespace`. The call reuses the earlier results for identical objects.
   * These objects must not have changed since the earlier call.
   */
  readonly previous?: Manifests | undefined
}

/** The validation results of each returned `Manifests`, for the next incremental call. */
const checked = new WeakMap<Manifests, Checked>()

interface Kind {
  readonly group: string
  readonly read: (collection: Collection, sourceValue: SourceValue) => void
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'Service',
    { group: '', read: (to, sourceValue) => keepIn(to, to.services, 'Service', safeParseService, sourceValue) },
  ],
  [
    'EndpointSlice',
    {
      group: 'discovery.k8s.io',
      read: (to, sourceValue) => keepIn(to, to.endpointSlices, 'EndpointSlice', parseSlice, sourceValue),
    },
  ],
  [
    'Endpoints',
    { group: '', read: (to, sourceValue) => keepIn(to, to.endpoints, 'Endpoints', safeParseEndpoints, sourceValue) },
  ],
  ['Node', { group: '', read: (to, sourceValue) => keepNew(to, to.nodes, 'Node', safeParseNode, sourceValue) }],
  [
    'ServiceCIDR',
    {
      group: 'networking.k8s.io',
      read: (to, sourceValue) => keepNew(to, to.serviceCIDRs, 'ServiceCIDR', safeParseServiceCIDR, sourceValue),
    },
  ],
  ['KubeProxyConfiguration', { group: 'kubeproxy.config.k8s.io', read: readConfiguration }],
  ['ConfigMap', { group: '', read: readConfigMap }],
])

/**
 * Parses Services, EndpointSlices, Endpoints, Nodes, ServiceCIDRs and the KubeProxyConfiguration. The input can be JSON
 * text, YAML text, the documents of a YAML parser, one object, arrays, a `List`, typed lists (`ServiceList` …) and the
 * kubeadm ConfigMap with the configuration.
 *
 * Does not throw for bad input: if an object does not match its schema, the object is omitted and one `error` is added
 * for each problem. Of several objects with the same name, the last object is used (`duplicateObject`). Objects of
 * other kinds are `ignored` (`unknownKind`).
 *
 * @throws DiagnosticsError (`invalidArgument`) for invalid options.
 */
export function parseManifests(input: unknown, options: ParseManifestsOptions = {}): Manifests {
  checkOptions(options)
  const to = createCollection(options)
  const documents = typeof input === 'string' ? textDocuments(to, input, INPUT_REFERENCE) : collect(to, input)
  for (const document of documents) readDocument(to, document)
  const configuration = to.configurations.get(CONFIGURATION_REFERENCE.name)
  const manifests = {
    services: [...to.services.values()],
    endpointSlices: [...to.endpointSlices.values()],
    endpoints: [...to.endpoints.values()],
    nodes: [...to.nodes.values()],
    serviceCIDRs: [...to.serviceCIDRs.values()],
    ...(configuration === undefined ? {} : { configuration }),
    sources: to.sources,
    ignored: to.ignored,
    diagnostics: to.diagnostics,
  }
  checked.set(manifests, { namespace: to.namespace, results: to.results })
  return manifests
}

function checkOptions(options: unknown): void {
  const isValid =
    isObject(options) &&
    isAbsentOr(options, 'parseYaml', (value) => typeof value === 'function') &&
    isAbsentOr(options, 'namespace', (value) => typeof value === 'string') &&
    isAbsentOr(options, 'previous', (value) => isObject(value) && 'sources' in value)
  if (isValid) return
  const expected = 'an object with parseYaml, namespace and previous'
  const message = `${describeValue(options)} is not ${expected}`
  const object = { kind: 'Argument', name: 'options' }
  throw new DiagnosticsError([{ severity: 'error', code: 'invalidArgument', object, message, expected }])
}

function isAbsentOr(options: object, name: string, isValid: (value: unknown) => boolean): boolean {
  const value = fieldOf(options, name)
  return value === undefined || isValid(value)
}

function createCollection({ parseYaml, namespace, previous }: ParseManifestsOptions): Collection {
  const held = previous && checked.get(previous)
  return {
    before: held?.namespace === namespace ? held?.results : undefined,
    results: new Map(),
    services: new Map(),
    endpointSlices: new Map(),
    endpoints: new Map(),
    nodes: new Map(),
    serviceCIDRs: new Map(),
    configurations: new Map(),
    sources: new Map(),
    ignored: [],
    diagnostics: [],
    parseYaml,
    namespace,
  }
}

function textDocuments(
  to: Collection,
  text: string,
  object: ObjectReference,
  { source, path }: { readonly source?: string | undefined; readonly path?: string | undefined } = {},
): readonly ManifestDocument[] {
  const read = readManifestText(text, to.parseYaml)
  if (read.ok) return collect(to, read.value)
  const expected = 'Kubernetes objects as JSON or YAML'
  const { message } = read
  to.diagnostics.push({ severity: 'error', code: 'invalidValue', object, source, path, message, expected })
  return []
}

function collect(to: Collection, input: unknown): readonly ManifestDocument[] {
  const { documents, diagnostics } = collectManifestDocuments(input)
  for (const diagnostic of diagnostics) to.diagnostics.push(diagnostic)
  return documents
}

function readDocument(to: Collection, document: ManifestDocument): void {
  const kind = KINDS.get(document.kind)
  const isOwned = kind !== undefined && (document.group ?? kind.group) === kind.group
  const sourceValue = { value: document.value, source: document.path || undefined }
  if (isOwned) kind.read(to, sourceValue)
  else ignore(to, document.kind, sourceValue, ofGroup(document.group))
}

function ofGroup(group: string | undefined): string {
  if (group === undefined) return ''
  return group === '' ? ' of the core group' : ` of ${group}`
}

function readConfiguration(to: Collection, sourceValue: SourceValue): void {
  const result = safeParseKubeProxyConfiguration(sourceValue.value)
  keep(to, to.configurations, CONFIGURATION_REFERENCE.kind, result, sourceValue)
  if (!result.ok) return
  for (const { path, nearest } of findUnknownFields(sourceValue.value)) {
    to.diagnostics.push({
      severity: 'warning',
      code: 'unknownField',
      object: CONFIGURATION_REFERENCE,
      source: sourceValue.source,
      path,
      message: 'unknown field, ignored',
      expected: nearest,
    })
  }
}

function readConfigMap(to: Collection, sourceValue: SourceValue): void {
  const { value, source } = sourceValue
  const found = readConfigurationText(value)
  if (found === undefined) {
    ignore(to, 'ConfigMap', sourceValue, ' without a KubeProxyConfiguration')
    return
  }
  const place = { source, path: `data[${JSON.stringify(found.key)}]` }
  for (const document of textDocuments(to, found.text, referenceOf('ConfigMap', value), place)) {
    if (document.kind === CONFIGURATION_REFERENCE.kind) readDocument(to, { ...document, path: source ?? '' })
    else ignore(to, document.kind, { value: document.value, source }, ' in a ConfigMap')
  }
}

/** Parses a slice. Ports without a name get the empty name, like in the API server (`SetDefaults_EndpointPort`). */
function parseSlice(value: unknown): Result<EndpointSlice> {
  const result = safeParseEndpointSlice(value)
  if (!result.ok || !result.value.ports?.some(isUnnamed)) return result
  const ports = result.value.ports.map((port) => (isUnnamed(port) ? { ...port, name: '' } : port))
  return { ok: true, value: { ...result.value, ports } }
}

function isUnnamed({ name }: { readonly name?: string | null | undefined }): boolean {
  return name === undefined || name === null
}
