import type { Diagnostic, HostFacts, ObjectReference } from '@kube-rules/types'
import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'
import { parseConfiguredCidr } from '../configuration/configured-addresses.js'
import {
  addError,
  addTypeError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { isAbsent, readList, readString } from '../reading/read-field.js'
import { HOST } from './interface-addresses.js'
import type { ParsedNode } from './parsed-node.js'

/** The Node as kube-proxy uses it, and diagnostics about differences from the current Node. */
interface NodeInUse {
  readonly object: ParsedNode
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Returns the Node with the addresses and pod networks that it had when kube-proxy started, if the host specifies them,
 * and the zone that a deleted Node had. Warns if the current Node has other addresses or networks. `reference` is absent
 * if the Node does not exist. Invalid values are left out and reported as errors. Mirrors `NodeManager` of kube-proxy
 * v1.36, which reads addresses and networks only at its start.
 */
export function useNodeAtStart(
  current: ParsedNode,
  reference: ObjectReference | undefined,
  host: HostFacts | undefined,
  networksAsWritten: boolean,
): NodeInUse {
  const collector = createDiagnosticCollector(HOST)
  const addresses = readEach(collector, 'nodeAddresses', host?.nodeAddresses, readAddress)
  const podCidrs = readEach(collector, 'podCIDRs', host?.podCIDRs, (each, path, value) => {
    const cidr = parseConfiguredCidr(value, networksAsWritten)
    if (cidr === undefined) addError(each, 'invalidCidr', path, `${describeValue(value)} is not a network`)
    return cidr
  })
  const changes = createDiagnosticCollector(reference ?? collector.object)
  if (reference !== undefined) {
    warnAboutChange(changes, 'status.addresses', 'addresses', addresses, current.addresses)
    warnAboutChange(changes, 'spec.podCIDRs', 'pod networks', podCidrs, current.podCidrs)
  }
  const zone = readString(collector, 'zone', host?.zone)
  return {
    object: {
      ...current,
      ...(addresses && { addresses }),
      ...(podCidrs && { podCidrs }),
      zone: reference ? current.zone : zone,
    },
    diagnostics: [...collector.diagnostics, ...changes.diagnostics],
  }
}

function readEach<T>(
  collector: DiagnosticCollector,
  path: string,
  value: unknown,
  read: (collector: DiagnosticCollector, path: string, value: string) => T | undefined,
): readonly T[] | undefined {
  if (isAbsent(value)) return undefined
  return Array.from(readList(collector, path, value)).flatMap((item, index) => {
    const place = `${path}[${index}]`
    if (typeof item === 'string') return read(collector, place, item) ?? []
    addTypeError(collector, place, item, 'text')
    return []
  })
}

function readAddress(collector: DiagnosticCollector, path: string, value: string): IpAddress | undefined {
  const address = parseIp(value)
  if (address === undefined) addError(collector, 'invalidAddress', path, `${describeValue(value)} is not an address`)
  return address
}

function warnAboutChange(
  collector: DiagnosticCollector,
  path: string,
  name: string,
  used: readonly { readonly text: string }[] | undefined,
  current: readonly { readonly text: string }[],
): void {
  const have = (list: typeof current) => list.map(({ text }) => text).join(', ') || 'none'
  if (used === undefined || have(used) === have(current)) return
  const message = `the Node now has the ${name} ${have(current)}, and the rules keep those of the start of kube-proxy: ${have(used)}`
  addWarning(collector, 'nodeChanged', path, message)
}
