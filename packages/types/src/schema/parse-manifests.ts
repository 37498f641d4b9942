import type { Diagnostic, ObjectReference } from '../diagnostic.js'
import type { KubeProxyConfiguration } from '../kube-proxy-configuration.js'
import type { EndpointSlice } from '../kubernetes/endpoint-slice.js'
import type { Endpoints } from '../kubernetes/endpoints.js'
import type { Node } from '../kubernetes/node.js'
import type { Service } from '../kubernetes/service.js'
import { configurationText } from './configuration-map.js'
import { safeParseEndpointSlice } from './endpoint-slice.js'
import { safeParseEndpoints } from './endpoints.js'
import { safeParseKubeProxyConfiguration } from './kube-proxy-configuration.js'
import { INPUT, type ManifestDocument, manifestDocuments } from './manifest-documents.js'
import { type ParseYaml, readManifestText } from './manifest-text.js'
import { safeParseNode } from './node.js'
import type { ParseResult } from './parse-with.js'
import { safeParseService } from './service.js'
import { unknownConfigurationFields } from './unknown-configuration-fields.js'
import { CONFIGURATION, referenceOf } from './untyped.js'

/** What a set of manifests holds. Every object is the very one that came in. */
export interface Manifests {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
  readonly nodes: readonly Node[]
  readonly configuration?: KubeProxyConfiguration
  /** Objects of kinds that are not read. */
  readonly ignored: readonly ObjectReference[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface ParseManifestsOptions {
  /** Reads YAML text; several documents as an array. Without it text must be JSON. */
  readonly parseYaml?: ParseYaml | undefined
}

interface Collection {
  readonly services: Map<string, Service>
  readonly endpointSlices: Map<string, EndpointSlice>
  readonly endpoints: Map<string, Endpoints>
  readonly nodes: Map<string, Node>
  readonly configurations: Map<string, KubeProxyConfiguration>
  readonly ignored: ObjectReference[]
  readonly diagnostics: Diagnostic[]
  readonly parseYaml: ParseYaml | undefined
}

interface Kind {
  readonly group: string
  readonly read: (collection: Collection, value: object) => void
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['Service', { group: '', read: (to, value) => keep(to, to.services, 'Service', safeParseService(value)) }],
  [
    'EndpointSlice',
    {
      group: 'discovery.k8s.io',
      read: (to, value) => keep(to, to.endpointSlices, 'EndpointSlice', safeParseEndpointSlice(value)),
    },
  ],
  ['Endpoints', { group: '', read: (to, value) => keep(to, to.endpoints, 'Endpoints', safeParseEndpoints(value)) }],
  ['Node', { group: '', read: (to, value) => keep(to, to.nodes, 'Node', safeParseNode(value)) }],
  ['KubeProxyConfiguration', { group: 'kubeproxy.config.k8s.io', read: readConfiguration }],
  ['ConfigMap', { group: '', read: readConfigMap }],
])

/**
 * Reads Services, EndpointSlices, Endpoints, Nodes and the KubeProxyConfiguration out of JSON text, YAML text, one
 * object, arrays, a `List`, typed lists (`ServiceList` …) and the ConfigMap in which kubeadm keeps the configuration.
 *
 * Never throws on bad input: an object that does not fit its schema is left out, with one `error` for each problem.
 * Of two objects of one name the later counts (`duplicateObject`); other kinds are `ignored` (`unknownKind`).
 */
export function parseManifests(input: unknown, options: ParseManifestsOptions = {}): Manifests {
  const to = newCollection(options.parseYaml)
  const documents = typeof input === 'string' ? textDocuments(to, input, INPUT) : collect(to, input)
  for (const document of documents) readDocument(to, document)
  const configuration = to.configurations.get(CONFIGURATION.name)
  return {
    services: [...to.services.values()],
    endpointSlices: [...to.endpointSlices.values()],
    endpoints: [...to.endpoints.values()],
    nodes: [...to.nodes.values()],
    ...(configuration === undefined ? {} : { configuration }),
    ignored: to.ignored,
    diagnostics: to.diagnostics,
  }
}

function newCollection(parseYaml: ParseYaml | undefined): Collection {
  return {
    services: new Map(),
    endpointSlices: new Map(),
    endpoints: new Map(),
    nodes: new Map(),
    configurations: new Map(),
    ignored: [],
    diagnostics: [],
    parseYaml,
  }
}

function textDocuments(
  to: Collection,
  text: string,
  object: ObjectReference,
  path?: string,
): readonly ManifestDocument[] {
  const read = readManifestText(text, to.parseYaml)
  if (read.success) return collect(to, read.value)
  const expected = 'Kubernetes objects as JSON or YAML'
  to.diagnostics.push({ severity: 'error', code: 'invalidValue', object, path, message: read.message, expected })
  return []
}

function collect(to: Collection, input: unknown): readonly ManifestDocument[] {
  const { documents, diagnostics } = manifestDocuments(input)
  for (const diagnostic of diagnostics) to.diagnostics.push(diagnostic)
  return documents
}

function readDocument(to: Collection, document: ManifestDocument): void {
  const kind = KINDS.get(document.kind)
  const isOurs = kind !== undefined && (document.group ?? kind.group) === kind.group
  if (isOurs) kind.read(to, document.value)
  else ignore(to, document.kind, document.value, ofGroup(document.group))
}

function ofGroup(group: string | undefined): string {
  if (group === undefined) return ''
  return group === '' ? ' of the core group' : ` of ${group}`
}

function readConfiguration(to: Collection, value: object): void {
  const result = safeParseKubeProxyConfiguration(value)
  keep(to, to.configurations, CONFIGURATION.kind, result)
  if (!result.success) return
  for (const path of unknownConfigurationFields(value)) {
    const message = 'no field of KubeProxyConfiguration'
    to.diagnostics.push({ severity: 'warning', code: 'unknownField', object: CONFIGURATION, path, message })
  }
}

function readConfigMap(to: Collection, value: object): void {
  const text = configurationText(value)
  if (text === undefined) {
    ignore(to, 'ConfigMap', value, ' without a KubeProxyConfiguration')
    return
  }
  for (const document of textDocuments(to, text, referenceOf('ConfigMap', value), 'data["config.conf"]')) {
    if (document.kind === CONFIGURATION.kind) readDocument(to, document)
    else ignore(to, document.kind, document.value, ' in a ConfigMap')
  }
}

function keep<T>(to: Collection, kept: Map<string, T>, kind: string, result: ParseResult<T>): void {
  if (!result.success) {
    for (const diagnostic of result.diagnostics) to.diagnostics.push(diagnostic)
    return
  }
  const object = referenceOf(kind, result.data)
  const key = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`
  if (kept.has(key)) {
    const message = 'given more than once, the last one counts'
    to.diagnostics.push({ severity: 'warning', code: 'duplicateObject', object, message })
  }
  kept.set(key, result.data)
}

function ignore(to: Collection, kind: string, value: object, addition: string): void {
  const object = referenceOf(kind, value)
  to.ignored.push(object)
  const message = `kind ${kind}${addition} is not read`
  to.diagnostics.push({ severity: 'info', code: 'unknownKind', object, message })
}
