import type { ServicePortSpec, SlicePort } from '@kube-rules/types'
import { describeFieldChanges, type LabeledValues } from './field-changes.js'

/** A port of a Service or of its endpoints. */
export interface NamedPort {
  readonly name: string
  readonly fields: LabeledValues
  /** A short description of the port, for the message that the port was added or removed. */
  readonly text: string
}

export function toNamedServicePort(port: ServicePortSpec): NamedPort {
  const name = port.name ?? ''
  const protocol = port.protocol ?? 'TCP'
  const { nodePort, targetPort } = port as ServicePortSpec & { readonly targetPort?: number | string }
  return {
    name,
    fields: [
      ['port name', name],
      ['port', String(port.port)],
      ['protocol', protocol],
      ['node port', String(nodePort || '')],
      ['target port', String(targetPort ?? '')],
    ],
    text: `port ${name === '' ? '' : `${name} `}${port.port}/${protocol}${nodePort ? ` with node port ${nodePort}` : ''}`,
  }
}

export function toNamedEndpointPort({ name, protocol, port }: SlicePort): NamedPort {
  return {
    name: name ?? '',
    fields: [
      ['port name', name ?? ''],
      ['endpoint port', String(port ?? '')],
      ['protocol', protocol ?? 'TCP'],
    ],
    text: `endpoint port ${port ?? name ?? ''}`,
  }
}

/**
 * Describes the changes of ports. If as many ports were removed as added, the removed ports count as renamed to the
 * added ports.
 */
export function describePortChanges(before: readonly NamedPort[], after: readonly NamedPort[]): readonly string[] {
  const [removed, added] = [unmatchedIn(before, after), unmatchedIn(after, before)]
  const isRenamed = removed.length === added.length
  const pairs = after.flatMap((port): readonly (readonly [NamedPort, NamedPort])[] => {
    const old = isRenamed && added.includes(port) ? removed[added.indexOf(port)] : findPort(port, before)
    return old === undefined ? [] : [[old, port]]
  })
  const isOnly = before.length < 2 && after.length < 2
  return [
    ...pairs.flatMap(([old, port]) =>
      describeFieldChanges(old.fields, port.fields).map((text) => (isOnly ? text : `${text} (${port.name})`)),
    ),
    ...(isRenamed
      ? []
      : [...removed.map(({ text }) => `${text} removed`), ...added.map(({ text }) => `${text} added`)]),
  ]
}

function findPort({ name }: NamedPort, ports: readonly NamedPort[]): NamedPort | undefined {
  return ports.find((port) => port.name === name)
}

function unmatchedIn(ports: readonly NamedPort[], others: readonly NamedPort[]): readonly NamedPort[] {
  return ports.filter((port) => findPort(port, others) === undefined)
}
