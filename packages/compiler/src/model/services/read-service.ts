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
  const findings = createDiagnosticCollector(referenceOf('Service', service))
  const facts = readSafely(findings, () => readFacts(findings, service, features), undefined)
  return {
    key: cacheKeyOf(findings.object),
    original: service,
    facts: findings.errors > 0 ? undefined : facts,
    diagnostics: compactList(findings.diagnostics),
  }
}

function readFacts(findings: DiagnosticCollector, service: unknown, features: Features): ServiceFacts | undefined {
  if (!isObject(service)) {
    addTypeError(findings, '', service, 'a Service', 'an object')
    return undefined
  }
  const metadata = readObject(findings, 'metadata', service.metadata)
  const spec = readObject(findings, 'spec', service.spec)
  if (isServiceExcluded(metadata, features) || spec.clusterIP === 'None' || spec.type === 'ExternalName')
    return undefined
  const status = readObject(findings, 'status', service.status)
  const facts = readSpec(findings, metadata, spec, status, features)
  warnAboutOtherFamilyAddresses(findings, facts)
  warnAboutIgnoredSourceRanges(findings, facts, spec.loadBalancerSourceRanges, features)
  return facts
}

function readSpec(
  findings: DiagnosticCollector,
  metadata: Fields,
  spec: Fields,
  status: Fields,
  features: Features,
): ServiceFacts {
  const namespace = readName(findings, 'metadata.namespace', metadata.namespace)
  const name = readName(findings, 'metadata.name', metadata.name)
  const externalIPs = readList(findings, 'spec.externalIPs', spec.externalIPs)
  const type = readType(findings, spec.type)
  const sourceRanges = readList(findings, 'spec.loadBalancerSourceRanges', spec.loadBalancerSourceRanges)
  // kube-proxy checks only whether the Service lists external IPs, and not whether it serves these IPs.
  const externalPolicyLocal =
    readUsesLocalPolicy(findings, 'spec.externalTrafficPolicy', spec.externalTrafficPolicy) &&
    (type === 'LoadBalancer' || type === 'NodePort' || (features.externalPolicyOfClusterIP && externalIPs.length > 0))
  return {
    namespace,
    name,
    clusterIPs: readClusterIPs(findings, spec, features),
    ports: readServicePorts(findings, { namespace, name }, spec.ports, features),
    externalIPs: readExternalIPs(findings, externalIPs, features),
    loadBalancerIPs: readLoadBalancerIPs(findings, status, features),
    sourceRanges: readSourceRanges(findings, 'spec.loadBalancerSourceRanges', sourceRanges, features),
    affinitySeconds: readAffinity(findings, spec),
    internalPolicyLocal:
      features.internalTrafficPolicy &&
      readUsesLocalPolicy(findings, 'spec.internalTrafficPolicy', spec.internalTrafficPolicy),
    externalPolicyLocal,
    healthCheckNodePort: readHealthCheck(
      findings,
      spec,
      features.healthCheckNodePorts && type === 'LoadBalancer' && externalPolicyLocal,
    ),
    topologyHints: readTopologyHints(findings, metadata, features),
    topologyKeys: features.topologyKeys ? readTopologyKeys(findings, spec) : undefined,
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
function readChoice(findings: DiagnosticCollector, path: string, value: unknown, choices: readonly string[]): string {
  const text = readString(findings, path, value)
  if (text !== '' && !choices.includes(text)) {
    const expected = choices.join(' or ')
    addWarning(
      findings,
      'invalidValue',
      path,
      `${describeValue(text)} is unknown and is treated as ${choices[0]}`,
      expected,
    )
  }
  return text
}

function readType(findings: DiagnosticCollector, value: unknown): string {
  return readChoice(findings, 'spec.type', value, TYPES)
}

function readUsesLocalPolicy(findings: DiagnosticCollector, path: string, value: unknown): boolean {
  return readChoice(findings, path, value, POLICIES) === 'Local'
}

/** The default of the API server; kube-proxy itself has no default. */
const DEFAULT_AFFINITY_SECONDS = 10_800
const AFFINITY_BOUNDS = { min: 1, max: 86_400, absent: DEFAULT_AFFINITY_SECONDS }

function readAffinity(findings: DiagnosticCollector, spec: Fields): number | undefined {
  const affinity = readChoice(findings, 'spec.sessionAffinity', spec.sessionAffinity, AFFINITIES)
  if (affinity !== 'ClientIP') return undefined
  const config = readObject(findings, 'spec.sessionAffinityConfig', spec.sessionAffinityConfig)
  const clientIP = readObject(findings, 'spec.sessionAffinityConfig.clientIP', config.clientIP)
  const path = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds'
  return readNumber(findings, path, clientIP.timeoutSeconds, AFFINITY_BOUNDS)
}

/** Reads the health-check port. The port is used only if `needed` is true: for a load balancer with the policy Local. */
function readHealthCheck(findings: DiagnosticCollector, spec: Fields, needed: boolean): number {
  const path = 'spec.healthCheckNodePort'
  const port = readOptionalPort(findings, path, spec.healthCheckNodePort)
  if (needed && port === 0) {
    const message = 'a LoadBalancer Service with externalTrafficPolicy Local has no health-check port'
    addWarning(findings, 'missingHealthCheckNodePort', path, message)
  }
  return needed ? port : 0
}

function readTopologyHints(findings: DiagnosticCollector, metadata: Fields, features: Features): boolean {
  return features.topologyHints && (!features.hintsNeedAnnotation || readHintsAnnotation(findings, metadata, features))
}

const AWARE_HINTS = 'service.kubernetes.io/topology-aware-hints'
/** The annotations in order of precedence. The first existing annotation is used, even if its value is empty. */
const HINTS_ANNOTATIONS = [AWARE_HINTS, 'service.kubernetes.io/topology-mode']

/**
 * Reports whether the annotations of a Service enable topology hints. Up to 1.26, only `auto` and `Auto` enable hints.
 * From 1.27 on, any text except `disabled` and `Disabled` enables hints. Mirrors `getHintsAnnotation` and
 * `canUseTopology` of kube-proxy v1.30.
 */
function readHintsAnnotation(findings: DiagnosticCollector, metadata: Fields, features: Features): boolean {
  const annotations = readObject(findings, 'metadata.annotations', metadata.annotations)
  const read = (key: string) => readMapEntry(findings, 'metadata.annotations', annotations, key)
  if (!features.topologyModeAnnotation) return /^[aA]uto$/.test(read(AWARE_HINTS) ?? '')
  const key = HINTS_ANNOTATIONS.find((name) => Object.hasOwn(annotations, name))
  const value = key === undefined ? '' : read(key)
  return value !== '' && value !== 'disabled' && value !== 'Disabled'
}

/** Reads the node labels that select endpoints, in order of precedence; an empty list selects all endpoints. */
function readTopologyKeys(findings: DiagnosticCollector, spec: Fields): readonly string[] {
  const items = readList(findings, 'spec.topologyKeys', spec.topologyKeys)
  return Array.from(items, (item, index) => readString(findings, `spec.topologyKeys[${index}]`, item))
}
