import type { Diagnostic, IpFamily, ServiceCIDR } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { compareValues } from '../../internal/compare-values.js'
import { createOtherGroupError } from '../reading/api-groups.js'
import {
  addError,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { referenceOf } from '../reading/metadata.js'
import { readList, readObject, readString } from '../reading/read-field.js'

/** The ServiceCIDR networks of a cluster, for both families. Cluster IPs are allocated from these networks. */
export interface ServiceCidrs {
  /**
   * The distinct networks as written in the objects. They are sorted by object name; the networks of one object keep
   * their order.
   */
  readonly texts: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the networks of ServiceCIDRs. Invalid networks are left out and reported. */
export function readServiceCidrs(objects: readonly ServiceCIDR[]): ServiceCidrs {
  const read = objects.map(readServiceCIDR).sort((a, b) => compareValues(a.order, b.order))
  return {
    texts: [...new Set(read.flatMap(({ texts }) => texts))],
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  }
}

/** Returns the networks of one family. Mirrors `OnServiceCIDRsChanged` of the nftables proxier. */
export function serviceNetworksOfFamily({ texts }: ServiceCidrs, family: IpFamily): readonly string[] {
  return texts.filter((text) => parseCidr(text)?.family === family)
}

function readServiceCIDR(object: ServiceCIDR): ServiceCidrs & { readonly order: string } {
  if (isOfOtherGroup('ServiceCIDR', object)) {
    return {
      texts: [],
      diagnostics: [createOtherGroupError('ServiceCIDR', object)],
      order: referenceOf('ServiceCIDR', object).name,
    }
  }
  const collector = createDiagnosticCollector(referenceOf('ServiceCIDR', object))
  const root = readObject(collector, '', object)
  const listed = readList(collector, 'spec.cidrs', readObject(collector, 'spec', root.spec).cidrs)
  const texts = listed.flatMap((item, index) => readNetwork(collector, `spec.cidrs[${index}]`, item))
  // Objects with the same name may be given in any order, so the sort key also contains their networks.
  return { texts, diagnostics: collector.diagnostics, order: [collector.object.name, ...texts].join(' ') }
}

function readNetwork(collector: DiagnosticCollector, path: string, value: unknown): readonly string[] {
  const text = readString(collector, path, value)
  if (parseCidr(text) !== undefined) return [text]
  if (typeof value === 'string') {
    addError(
      collector,
      'invalidCidr',
      path,
      `${describeValue(value)} is not a network`,
      'a network such as 10.96.0.0/16',
    )
  }
  return []
}
