import type { Diagnostic, Service } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { compactList } from '../../internal/compact-list.js'
import type { Features } from '../configuration/features.js'
import { createUnusedObject } from '../reading/api-groups.js'
import {
  addTypeError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { cacheKeyOf, isServiceExcluded, referenceOf } from '../reading/metadata.js'
import {
  type Fields,
  isObject,
  readList,
  readMapEntry,
  readName,
  readNumber,
  readObject,
  readOptionalPort,
  readString,
} from '../reading/read-field.js'
import { readSafely } from '../reading/read-safely.js'
import { readClusterIPs, readExternalIPs, readIngressFields, readLoadBalancerIPs } from './service-addresses.js'
import { type ServiceFacts, warnAboutIgnoredSourceRanges, warnAboutOtherFamilyAddresses } from './service-facts.js'
import { readServicePorts } from './service-port-facts.js'
import { readSourceRanges } from './source-ranges.js'

/** A parsed Service. `facts` is absent if kube-proxy has no rules for the Service, or if the Service is invalid. */
export interface ParsedService {
  /** The cache key (`cacheKeyOf`). */
  readonly key: string
  /** The original object, for identity comparison. */
  readonly original: unknown
  readonly facts: ServiceFacts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads one Service. Reports all problems of the Service at once; a Service with an error is not used. Mirrors
 * `shouldSkipService` and `newBaseServiceInfo` of kube-proxy v1.30.
 */
export function readService(service: Service, features: Features): ParsedService {
  if (isOfOtherGroup('Service', service)) return { ...createUnusedObject('Service', service), facts: undefined }
  const collector = createDiagnosticCollector(referenceOf('Service', service))
  const facts = readSafely(collector, () => readFacts(collector, service, features), undefined)
  return {
    key: cacheKeyOf(collector.object),
    original: service,
    facts: collector.errors > 0 ? undefined : facts,
    diagnostics: compactList(collector.diagnostics),
  }
}

function readFacts(collector: DiagnosticCollector, service: unknown, features: Features): ServiceFacts | undefined {
  if (!isObject(service)) {
    addTypeError(collector, '', service, 'a Service', 'an object')
    return undefined
  }
  const metadata = readObject(collector, 'metadata', service.metadata)
  const spec = readObject(collector, 'spec', service.spec)
  if (isServiceExcluded(metadata, features) || spec.clusterIP === 'None' || spec.type === 'ExternalName')
    return undefined
  const status = readObject(collector, 'status', service.status)
  const facts = readSpec(collector, metadata, spec, status, features)
  warnAboutOtherFamilyAddresses(collector, facts)
  warnAboutIgnoredSourceRanges(collector, facts, spec.loadBalancerSourceRanges, features)
  return facts
}

function readSpec(
  collector: DiagnosticCollector,
  metadata: Fields,
  spec: Fields,
  status: Fields,
  features: Features,
): ServiceFacts {
  const namespace = readName(collector, 'metadata.namespace', metadata.namespace)
  const name = readName(collector, 'metadata.name', metadata.name)
  const externalIPs = readList(collector, 'spec.externalIPs', spec.externalIPs)
  const type = readType(collector, spec.type)
  const sourceRanges = readList(collector, 'spec.loadBalancerSourceRanges', spec.loadBalancerSourceRanges)
  // kube-proxy checks only whether the Service lists external IPs, and not whether it serves these IPs.
  const externalPolicyLocal =
    readUsesLocalPolicy(collector, 'spec.externalTrafficPolicy', spec.externalTrafficPolicy) &&
    (type === 'LoadBalancer' || type === 'NodePort' || (features.externalPolicyOfClusterIP && externalIPs.length > 0))
  return {
    namespace,
    name,
    clusterIPs: readClusterIPs(collector, spec, features),
    ports: readServicePorts(collector, { namespace, name }, spec.ports, features),
    externalIPs: readExternalIPs(collector, externalIPs, features),
    loadBalancerIPs: readLoadBalancerIPs(collector, status, features),
    sourceRanges: readSourceRanges(collector, 'spec.loadBalancerSourceRanges', sourceRanges, features),
    affinitySeconds: readAffinity(collector, spec),
    internalPolicyLocal:
      features.internalTrafficPolicy &&
      readUsesLocalPolicy(collector, 'spec.internalTrafficPolicy', spec.internalTrafficPolicy),
    externalPolicyLocal,
    healthCheckNodePort: readHealthCheck(
      collector,
      spec,
      features.healthCheckNodePorts && type === 'LoadBalancer' && externalPolicyLocal,
    ),
    topologyHints: readTopologyHints(collector, metadata, features),
    topologyKeys: features.topologyKeys && features.endpointSlices ? readTopologyKeys(collector, spec) : undefined,
    ingress: features.connectionsTaken ? readIngressFields(status) : undefined,
  }
}

// The permitted values of fields; the first value of each list is the default.
const TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer']
const POLICIES = ['Cluster', 'Local']
const AFFINITIES = ['None', 'ClientIP']

/**
 * Reads a field with a fixed set of values. An unknown value means the default, like in kube-proxy, and is reported as
 * a warning.
 */
function readChoice(collector: DiagnosticCollector, path: string, value: unknown, choices: readonly string[]): string {
  const text = readString(collector, path, value)
  if (text !== '' && !choices.includes(text)) {
    const expected = choices.join(' or ')
    addWarning(
      collector,
      'invalidValue',
      path,
      `${describeValue(text)} is unknown and is treated as ${choices[0]}`,
      expected,
    )
  }
  return text
}

function readType(collector: DiagnosticCollector, value: unknown): string {
  return readChoice(collector, 'spec.type', value, TYPES)
}

function readUsesLocalPolicy(collector: DiagnosticCollector, path: string, value: unknown): boolean {
  return readChoice(collector, path, value, POLICIES) === 'Local'
}

/** The default of the API server; kube-proxy itself has no default. */
const DEFAULT_AFFINITY_SECONDS = 10_800
const AFFINITY_BOUNDS = { min: 1, max: 86_400, absent: DEFAULT_AFFINITY_SECONDS }

function readAffinity(collector: DiagnosticCollector, spec: Fields): number | undefined {
  const affinity = readChoice(collector, 'spec.sessionAffinity', spec.sessionAffinity, AFFINITIES)
  if (affinity !== 'ClientIP') return undefined
  const config = readObject(collector, 'spec.sessionAffinityConfig', spec.sessionAffinityConfig)
  const clientIP = readObject(collector, 'spec.sessionAffinityConfig.clientIP', config.clientIP)
  const path = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds'
  return readNumber(collector, path, clientIP.timeoutSeconds, AFFINITY_BOUNDS)
}

/** Reads the health-check port. The port is used only if `needed` is true: for a load balancer with the policy Local. */
function readHealthCheck(collector: DiagnosticCollector, spec: Fields, needed: boolean): number {
  const path = 'spec.healthCheckNodePort'
  const port = readOptionalPort(collector, path, spec.healthCheckNodePort)
  if (needed && port === 0) {
    const message = 'a LoadBalancer Service with externalTrafficPolicy Local has no health-check port'
    addWarning(collector, 'missingHealthCheckNodePort', path, message)
  }
  return needed ? port : 0
}

function readTopologyHints(collector: DiagnosticCollector, metadata: Fields, features: Features): boolean {
  return features.topologyHints && (!features.hintsNeedAnnotation || readHintsAnnotation(collector, metadata, features))
}

const AWARE_HINTS = 'service.kubernetes.io/topology-aware-hints'
/** The annotations in order of precedence. The first existing annotation is used, even if its value is empty. */
const HINTS_ANNOTATIONS = [AWARE_HINTS, 'service.kubernetes.io/topology-mode']

/**
 * Reports whether the annotations of a Service enable topology hints. Up to 1.26, only `auto` and `Auto` enable hints.
 * From 1.27 on, any text except `disabled` and `Disabled` enables hints. Mirrors `getHintsAnnotation` and
 * `canUseTopology` of kube-proxy v1.30.
 */
function readHintsAnnotation(collector: DiagnosticCollector, metadata: Fields, features: Features): boolean {
  const annotations = readObject(collector, 'metadata.annotations', metadata.annotations)
  const read = (key: string) => readMapEntry(collector, 'metadata.annotations', annotations, key)
  if (!features.topologyModeAnnotation) return /^[aA]uto$/.test(read(AWARE_HINTS) ?? '')
  const key = HINTS_ANNOTATIONS.find((name) => Object.hasOwn(annotations, name))
  const value = key === undefined ? '' : read(key)
  return value !== '' && value !== 'disabled' && value !== 'Disabled'
}

/** Reads the node labels that select endpoints, in order of precedence; an empty list selects all endpoints. */
function readTopologyKeys(collector: DiagnosticCollector, spec: Fields): readonly string[] {
  const items = readList(collector, 'spec.topologyKeys', spec.topologyKeys)
  return Array.from(items, (item, index) => readString(collector, `spec.topologyKeys[${index}]`, item))
}
