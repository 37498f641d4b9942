import type { IpAddress } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import { compact } from '../internal/compact.js'
import { readLenientAddress } from '../reading/addresses.js'
import { addError, describe, type Findings } from '../reading/findings.js'
import { type Fields, isObject } from '../reading/json-value.js'
import { readList, readObject, readText } from '../reading/read-field.js'

const PATH = 'status.loadBalancer.ingress'

/**
 * The load-balancer IPs of both families in the Service's order. Entries with only a hostname have none, and with
 * `ipMode: Proxy` the load balancer does not send packets to its own IP. The Service's type does not matter.
 */
export function readLoadBalancerIPs(findings: Findings, status: Fields, features: Features): readonly IpAddress[] {
  const loadBalancer = readObject(findings, 'status.loadBalancer', status.loadBalancer)
  const addresses: IpAddress[] = []
  readList(findings, PATH, loadBalancer.ingress).forEach((item, index) => {
    const address = readIngress(findings, `${PATH}[${index}]`, item, features)
    if (address !== undefined) addresses.push(address)
  })
  return compact(addresses)
}

function readIngress(findings: Findings, path: string, item: unknown, features: Features): IpAddress | undefined {
  if (!isObject(item)) {
    addError(findings, 'invalidType', path, `${describe(item)} is not an ingress entry`, 'an object')
    return undefined
  }
  const ip = readText(findings, `${path}.ip`, item.ip)
  const skipped = features.loadBalancerIPMode && !isVip(findings, path, item)
  return ip === '' || skipped ? undefined : readLenientAddress(findings, `${path}.ip`, ip)
}

/** An absent mode is VIP; any text but `VIP` is not, the empty one included. */
function isVip(findings: Findings, path: string, item: Fields): boolean {
  return readText(findings, `${path}.ipMode`, item.ipMode ?? 'VIP') === 'VIP'
}
