import { type Cidr, type IpAddress, parseCidr, parseIp } from '@kube-rules/types'
import { compact } from '../internal/compact.js'
import { addWarning, describe, type Findings } from './findings.js'

/** Warns where an address is not written the canonical way; rules always have the canonical form. */
export function checkCanonical(findings: Findings, path: string, written: unknown, address: IpAddress): void {
  if (written === address.text) return
  addWarning(findings, 'nonCanonicalAddress', path, `${describe(written)} is read as ${address.text}`, address.text)
}

/** Addresses that other programs fill in freely. What is no address is left out with a warning, as kube-proxy does. */
export function readAddresses(findings: Findings, path: string, items: readonly unknown[]): readonly IpAddress[] {
  const addresses: IpAddress[] = []
  items.forEach((item, index) => {
    const address = readLenientAddress(findings, `${path}[${index}]`, item)
    if (address !== undefined) addresses.push(address)
  })
  return compact(addresses)
}

export function readLenientAddress(findings: Findings, path: string, value: unknown): IpAddress | undefined {
  const address = typeof value === 'string' ? parseIp(value) : undefined
  if (address === undefined) {
    addWarning(findings, 'addressIgnored', path, `${describe(value)} is not an IP address`, 'an IPv4 or IPv6 address')
  } else checkCanonical(findings, path, value, address)
  return address
}

/** Source ranges, masked; surrounding blanks are trimmed. What is no CIDR is left out with a warning. */
export function readSourceRanges(findings: Findings, path: string, items: readonly unknown[]): readonly Cidr[] {
  const ranges: Cidr[] = []
  items.forEach((item, index) => {
    const range = typeof item === 'string' ? parseCidr(item.trim()) : undefined
    if (range !== undefined) ranges.push(range)
    else addWarning(findings, 'addressIgnored', `${path}[${index}]`, `${describe(item)} is not a CIDR`, 'a CIDR')
  })
  return compact(ranges)
}
