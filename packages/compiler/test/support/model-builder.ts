import type { Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { type Features, featuresOf } from '../../src/model/configuration/features.js'
import { readConfiguration, withDefaults } from '../../src/model/configuration/read-configuration.js'
import { createFamilySettings, type FamilySettings } from '../../src/model/configuration/settings.js'
import { newestVersionOf, type ProxyMode } from '../../src/model/configuration/versions.js'
import type { Endpoint } from '../../src/model/endpoints/endpoint.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort, ServicePortId } from '../../src/model/services/service-port.js'
import type { Model } from './build-plan.js'

/** The identity fields of a service port that tests set; `text` follows from them. */
export interface IdParts {
  readonly namespace?: string
  readonly name?: string
  readonly portName?: string
  readonly protocol?: Protocol
}

/** Builds the id `ns1/svc1:p80` over TCP, with overrides. */
export function servicePortId(parts: IdParts = {}): ServicePortId {
  const { namespace = 'ns1', name = 'svc1', portName = 'p80', protocol = 'TCP' } = parts
  const text = portName === '' ? `${namespace}/${name}` : `${namespace}/${name}:${portName}`
  return { namespace, name, portName, protocol, text }
}

/** Builds a plain cluster-IP service port `172.30.0.41:80` without endpoints, with overrides; sorts the endpoints. */
export function servicePort(fields: IdParts & Partial<Omit<ServicePort, 'id'>> = {}): ServicePort {
  const { namespace, name, portName, protocol, endpoints = [], ...rest } = fields
  return {
    id: servicePortId(definedOf({ namespace, name, portName, protocol })),
    clusterIP: '172.30.0.41',
    port: 80,
    nodePort: 0,
    externalIPs: [],
    loadBalancerIPs: [],
    sourceRanges: [],
    internalPolicyLocal: false,
    externalPolicyLocal: false,
    healthCheckNodePort: 0,
    topologyHints: true,
    ...rest,
    endpoints: [...endpoints].sort((a, b) => (a.text < b.text ? -1 : 1)),
  }
}

/** Builds a ready remote endpoint `10.180.0.1:80` without hints, with overrides. */
export function endpoint(fields: Partial<Omit<Endpoint, 'text'>> = {}): Endpoint {
  const { ip = '10.180.0.1', port = 80 } = fields
  return {
    ip,
    port,
    text: joinHostPort(ip, port),
    ready: true,
    serving: true,
    terminating: false,
    nodeName: '',
    local: false,
    hints: { zones: [], nodes: [] },
    ...fields,
  }
}

/**
 * Builds the node of kube-proxy's own tests: 192.168.0.2, a second address, loopback, pods in 10.0.0.0/8, node ports on
 * all.
 */
export function nodeFacts(fields: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name: 'node1',
    zone: '',
    ip: '192.168.0.2',
    addresses: [
      { interface: 'lo', address: '127.0.0.1' },
      { interface: 'eth0', address: '192.168.0.2' },
      { interface: 'eth1', address: '192.168.1.2' },
    ],
    nodePorts: { all: true, addresses: [], containsLoopback: true },
    localTrafficDetection: {
      kind: 'cidr',
      cidr: { family: 'IPv4', text: '10.0.0.0/8', address: '10.0.0.0', prefixLength: 8 },
    },
    podCidrs: [],
    ...fields,
  }
}

/** Returns the features of the newest known version in a mode, with overrides. */
export function features(fields: Partial<Features> = {}, mode: ProxyMode = 'iptables'): Features {
  return { ...featuresOf(mode, newestVersionOf(mode), new Map()), ...fields }
}

const DEFAULTS = withDefaults(readConfiguration(undefined).configuration, features())

/** Returns the settings of the newest version in iptables mode without configuration, with overrides. */
export function settings(fields: Partial<FamilySettings> = {}): FamilySettings {
  return { ...createFamilySettings(DEFAULTS, features(), undefined, 'IPv4', true), serviceNetworks: [], ...fields }
}

/** Builds an IPv4 model of the node above without service ports, with overrides. */
export function model(fields: Partial<Model> = {}): Model {
  return { family: 'IPv4', node: nodeFacts(), settings: settings(), servicePorts: [], ...fields }
}

function definedOf(parts: { readonly [Key in keyof IdParts]: IdParts[Key] | undefined }): IdParts {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}
