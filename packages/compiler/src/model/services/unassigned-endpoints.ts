import { compareValues } from '../../internal/compare-values.js'
import type { Features } from '../configuration/features.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { type EndpointsByPort, formatPortKey } from '../endpoints/endpoints-by-port.js'
import { createServicePortId, type ServicePort, type ServicePortId } from './service-port.js'

/** The endpoints of a UDP port that no service port has. */
export interface UnassignedEndpoints {
  /** The identity that a service port with these endpoints would have. */
  readonly id: ServicePortId
  /** The endpoints, ready or not. */
  readonly endpoints: readonly Endpoint[]
}

/**
 * Returns the endpoints of the UDP ports of one Service that none of its service ports has, in the order of service
 * ports. `key` is `namespace/name` of the Service. With the feature `endpointsByNameAlone`, the endpoints of all
 * protocols count.
 */
export function findUnassignedEndpoints(
  key: string,
  endpointsByPort: EndpointsByPort,
  servicePorts: readonly Pick<ServicePort, 'id'>[],
  features: Features,
): readonly UnassignedEndpoints[] {
  const assigned = new Set(servicePorts.map(({ id }) => formatPortKey(id, features)))
  const [namespace = '', name = ''] = key.split('/', 2)
  const unassigned: UnassignedEndpoints[] = []
  for (const [portKey, endpoints] of endpointsByPort) {
    const portName = udpPortNameOf(portKey, features)
    if (portName === undefined || assigned.has(portKey) || endpoints.length === 0) continue
    const id = createServicePortId(namespace, name, portName, 'UDP', features.colonAfterServiceName)
    unassigned.push({ id, endpoints })
  }
  return unassigned.sort((a, b) => compareValues(a.id.text, b.id.text))
}

const UDP_PREFIX = 'UDP/'

/** Returns the port name of a key of `formatPortKey`; undefined for a port of another protocol. */
function udpPortNameOf(portKey: string, { endpointsByNameAlone }: Features): string | undefined {
  if (endpointsByNameAlone) return portKey
  return portKey.startsWith(UDP_PREFIX) ? portKey.slice(UDP_PREFIX.length) : undefined
}
