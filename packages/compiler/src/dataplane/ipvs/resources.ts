import { joinHostPort } from '@kube-rules/types/internal/ip'
import { invariant } from '../../internal/invariant.js'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import { parseAddressAndPort } from './addresses.js'
import {
  type IpvsState,
  type RealServer,
  type RealServerKey,
  VIRTUAL_SERVER_PROTOCOLS,
  type VirtualServer,
  type VirtualServerDefinition,
  type VirtualServerKey,
} from './ast.js'
import { formatRealServer } from './format-server.js'

/** The resource value of a real server. The address and the port are only in the id of the resource. */
export type RealServerValue = Omit<RealServer, 'address' | 'port'>

/** The server that a resource id identifies: a virtual server, or one of its real servers. */
export interface ServerKey {
  readonly virtualServer: VirtualServerKey
  readonly realServer?: RealServerKey | undefined
}

/**
 * Lists the resources of a state, for `diff`: `ipvs TCP 10.96.0.1:80` for each virtual server, with its definition, and
 * `ipvs TCP 10.96.0.1:80 10.244.1.1:8080` for each real server. Each real server refers to its virtual server. Unknown
 * lines are not included.
 */
export function resourcesOf({ virtualServers }: IpvsState): Resources {
  return indexResourcesById(virtualServers.flatMap(listVirtualServerResources))
}

/** Returns the definition in the resource of a virtual server. */
export function virtualServerDefinitionOf({ value }: Pick<Resource, 'value'>): VirtualServerDefinition {
  return value as VirtualServerDefinition
}

/** Returns the value of the resource of a real server. */
export function realServerValueOf({ value }: Pick<Resource, 'value'>): RealServerValue {
  return value as RealServerValue
}

/** Builds the state from these resources. */
export function assembleIpvs(resources: Resources): IpvsState {
  const realServers = new Map<string, RealServer[]>()
  const virtualServers: VirtualServer[] = []
  for (const resource of resources.values()) {
    const { id, refs } = resource
    const { virtualServer, realServer } = parseServerId(id)
    const own = realServers.get(refs[0] ?? id) ?? []
    realServers.set(refs[0] ?? id, own)
    if (realServer !== undefined) own.push({ ...realServerValueOf(resource), ...realServer })
    else virtualServers.push({ ...virtualServerDefinitionOf(resource), ...virtualServer, realServers: own })
  }
  return { virtualServers }
}

/** Returns the resources of a virtual server and its real servers. */
export function listVirtualServerResources(server: VirtualServer): readonly Resource[] {
  const { realServers, ...definition } = server
  const id = formatVirtualServerId(server)
  const value: VirtualServerDefinition = definition
  return [{ id, refs: [], value }, ...realServers.map((realServer) => realServerResource(id, realServer))]
}

function realServerResource(virtualServer: string, realServer: RealServer): Resource {
  const { address, port, ...rest } = realServer
  const value: RealServerValue = rest
  return { id: realServerId(virtualServer, formatRealServer({ address, port })), refs: [virtualServer], value }
}

/** Formats the id of a virtual server: `ipvs TCP 10.96.0.1:80`. */
export function formatVirtualServerId({ protocol, address, port }: VirtualServerKey): string {
  return serverId(protocol, joinHostPort(address, port))
}

/** Converts a result of `formatRealServerKey` to the id of the real server. */
export function toRealServerId(key: string): string {
  const [virtualServer = '', protocol = '', realServer = ''] = key.split('/')
  return realServerId(serverId(protocol, virtualServer), realServer)
}

function serverId(protocol: string, place: string): string {
  return `ipvs ${protocol} ${place}`
}

function realServerId(virtualServer: string, place: string): string {
  return `${virtualServer} ${place}`
}

/** Reports whether an id belongs to this subsystem. */
export function isIpvsId(id: string): boolean {
  return id.startsWith('ipvs ')
}

/** Parses the id of a virtual server or a real server. Throws for any other id. */
export function parseServerId(id: string): ServerKey {
  const [, protocolText, virtualServer = '', realServer] = id.split(' ')
  const protocol = VIRTUAL_SERVER_PROTOCOLS.find((each) => each === protocolText)
  invariant(protocol !== undefined, `${JSON.stringify(id)} does not identify a virtual server`)
  const place = { protocol, ...readPlace(virtualServer, id) }
  return realServer === undefined
    ? { virtualServer: place }
    : { virtualServer: place, realServer: readPlace(realServer, id) }
}

function readPlace(text: string, id: string): RealServerKey {
  const { address, port } = parseAddressAndPort(text) ?? {}
  invariant(address !== undefined && port !== undefined, `${JSON.stringify(id)} does not identify a server`)
  return { address, port }
}
