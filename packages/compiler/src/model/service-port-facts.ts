import type { Protocol } from '@kube-rules/types'
import { compact } from '../internal/compact.js'
import { addError, addWarning, describe, type Findings } from './findings.js'
import { isObject } from './json-value.js'
import type { ServicePortId } from './model.js'
import { readList, readOptionalPort, readPort, readPortName, readProtocol } from './read-field.js'
import { servicePortText } from './service-port-text.js'

/** One port of a Service, the same for both families. */
export interface PortFacts {
  readonly id: ServicePortId
  readonly port: number
  /** 0 where there is none. */
  readonly nodePort: number
}

/** Reads `spec.ports`. Of two ports with one name and protocol the later is used, as kube-proxy does. */
export function readServicePorts(
  findings: Findings,
  namespace: string,
  name: string,
  value: unknown,
): readonly PortFacts[] {
  const ports: PortFacts[] = []
  readList(findings, 'spec.ports', value).forEach((item, index) => {
    ports.push(readServicePort(findings, namespace, name, `spec.ports[${index}]`, item))
  })
  return ports.length < 2 ? compact(ports) : lastOfEachName(findings, ports)
}

function lastOfEachName(findings: Findings, ports: readonly PortFacts[]): readonly PortFacts[] {
  const byName = new Map<string, PortFacts>()
  ports.forEach((facts, index) => {
    const { size } = byName
    if (byName.set(servicePortText(facts.id), facts).size > size) return
    addWarning(findings, 'invalidValue', `spec.ports[${index}]`, 'replaces a port of the same name and protocol')
  })
  return [...byName.values()]
}

function readServicePort(findings: Findings, namespace: string, name: string, path: string, item: unknown): PortFacts {
  if (!isObject(item)) addError(findings, 'invalidType', path, `${describe(item)} is not a port`, 'an object')
  const fields = isObject(item) ? item : {}
  const portName = readPortName(findings, `${path}.name`, fields.name)
  const protocol = readProtocol(findings, `${path}.protocol`, fields.protocol)
  return {
    id: servicePortId(namespace, name, portName, protocol),
    port: readPort(findings, `${path}.port`, fields.port),
    nodePort: readOptionalPort(findings, `${path}.nodePort`, fields.nodePort),
  }
}

function servicePortId(namespace: string, name: string, portName: string, protocol: Protocol): ServicePortId {
  const text = portName === '' ? `${namespace}/${name}` : `${namespace}/${name}:${portName}`
  return { namespace, name, portName, protocol, text }
}
