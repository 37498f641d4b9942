import type { Protocol } from '@kube-rules/types'
import { addError, addWarning, describe, type Findings } from './findings.js'
import { isObject } from './json-value.js'
import type { ServicePortId } from './model.js'
import { readList, readOptionalPort, readPort, readPortName, readProtocol } from './read-field.js'

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
  const ports = new Map<string, PortFacts>()
  readList(findings, 'spec.ports', value).forEach((item, index) => {
    const path = `spec.ports[${index}]`
    const facts = readServicePort(findings, namespace, name, path, item)
    const key = `${facts.id.text}/${facts.id.protocol}`
    if (ports.has(key)) addWarning(findings, 'invalidValue', path, 'replaces a port of the same name and protocol')
    ports.set(key, facts)
  })
  return [...ports.values()]
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
