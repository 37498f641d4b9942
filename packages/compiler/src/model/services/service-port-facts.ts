import { mapList } from '../../internal/map-list.js'
import type { Features } from '../configuration/features.js'
import { addTypeError, addWarning, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import { isObject, readList, readOptionalPort, readPort, readPortName, readProtocol } from '../reading/read-field.js'
import { formatServicePort } from './format-service-port.js'
import { createServicePortId, type ServicePortId } from './service-port.js'

/** One port of a Service, identical for both families. */
export interface ServicePortFacts {
  readonly id: ServicePortId
  readonly port: number
  /** The node port; 0 if there is no node port. */
  readonly nodePort: number
}

/**
 * Reads `spec.ports`. If two ports have the same name and protocol, the later port is used, like in kube-proxy. With
 * the feature `portsByNameAlone`, the name alone identifies a port.
 */
export function readServicePorts(
  collector: DiagnosticCollector,
  { namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>,
  value: unknown,
  { portsByNameAlone, colonAfterServiceName }: Features,
): readonly ServicePortFacts[] {
  const ports = mapList(readList(collector, 'spec.ports', value), (item, index) =>
    readServicePort(collector, { namespace, name }, `spec.ports[${index}]`, item, colonAfterServiceName),
  )
  return ports.length < 2 ? ports : lastOfEachName(collector, ports, portsByNameAlone)
}

function lastOfEachName(
  collector: DiagnosticCollector,
  ports: readonly ServicePortFacts[],
  byNameAlone: boolean,
): readonly ServicePortFacts[] {
  const byName = new Map<string, ServicePortFacts>()
  ports.forEach((facts, index) => {
    const { size } = byName
    if (byName.set(byNameAlone ? facts.id.text : formatServicePort(facts.id), facts).size > size) return
    const same = byNameAlone ? 'name' : 'name and protocol'
    addWarning(collector, 'invalidValue', `spec.ports[${index}]`, `replaces a port of the same ${same}`)
  })
  return [...byName.values()]
}

function readServicePort(
  collector: DiagnosticCollector,
  { namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>,
  path: string,
  item: unknown,
  colonAfterName: boolean,
): ServicePortFacts {
  if (!isObject(item)) addTypeError(collector, path, item, 'a port', 'an object')
  const fields = isObject(item) ? item : {}
  const portName = readPortName(collector, `${path}.name`, fields.name)
  const protocol = readProtocol(collector, `${path}.protocol`, fields.protocol)
  return {
    id: createServicePortId(namespace, name, portName, protocol, colonAfterName),
    port: readPort(collector, `${path}.port`, fields.port),
    nodePort: readOptionalPort(collector, `${path}.nodePort`, fields.nodePort),
  }
}
