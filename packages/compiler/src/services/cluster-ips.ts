import { IP_FAMILIES, type IpFamily, parseIp } from '@kube-rules/types'
import { checkCanonical } from '../reading/addresses.js'
import { addError, addWarning, describe, type Findings } from '../reading/findings.js'
import type { Fields } from '../reading/json-value.js'
import { readList, readText } from '../reading/read-field.js'

/** The cluster IP of each family that a Service has one of. */
export type ClusterIPs = { readonly [family in IpFamily]?: string | undefined }

const NONE: ClusterIPs = {}

/**
 * The cluster IPs of a Service with the given `spec`, canonical. Without any, the Service has no rules, and a warning.
 * Mirrors `GetClusterIPByFamily` of kube-proxy v1.30.
 */
export function readClusterIPs(findings: Findings, spec: Fields): ClusterIPs {
  const errors = findings.errors
  const clusterIP = readText(findings, 'spec.clusterIP', spec.clusterIP)
  const families = readFamilies(findings, spec.ipFamilies)
  const own = clusterIP === '' ? NONE : readOwn(findings, clusterIP)
  const ips = clusterIP === '' || families.length === 0 ? own : readByFamily(findings, spec.clusterIPs, families)
  if (ips.IPv4 === undefined && ips.IPv6 === undefined && findings.errors === errors) {
    const path = clusterIP === '' ? 'spec.clusterIP' : 'spec.clusterIPs'
    addWarning(findings, 'missingField', path, 'the Service has no cluster IP, so it has no rules', 'an IP address')
  }
  return ips
}

function readFamilies(findings: Findings, value: unknown): readonly unknown[] {
  const families = readList(findings, 'spec.ipFamilies', value)
  families.forEach((family, index) => {
    if (family === 'IPv4' || family === 'IPv6') return
    addError(findings, 'invalidValue', `spec.ipFamilies[${index}]`, `${describe(family)} is no family`, 'IPv4 or IPv6')
  })
  return families
}

function readOwn(findings: Findings, clusterIP: string): ClusterIPs {
  const address = parseIp(clusterIP)
  if (address === undefined) {
    addError(findings, 'invalidAddress', 'spec.clusterIP', `${describe(clusterIP)} is not an IP address`, EXPECTED)
    return NONE
  }
  checkCanonical(findings, 'spec.clusterIP', clusterIP, address)
  return { [address.family]: address.text }
}

function readByFamily(findings: Findings, value: unknown, families: readonly unknown[]): ClusterIPs {
  const clusterIPs = readList(findings, 'spec.clusterIPs', value)
  const [IPv4, IPv6] = IP_FAMILIES.map((family) => {
    const index = families.indexOf(family)
    return index < 0 || index >= clusterIPs.length ? undefined : readAt(findings, index, clusterIPs[index], family)
  })
  return { IPv4, IPv6 }
}

function readAt(findings: Findings, index: number, value: unknown, family: IpFamily): string | undefined {
  const path = `spec.clusterIPs[${index}]`
  const address = typeof value === 'string' ? parseIp(value) : undefined
  if (address?.family !== family) {
    addError(findings, 'invalidAddress', path, `${describe(value)} is not an ${family} address`, `an ${family} address`)
    return undefined
  }
  checkCanonical(findings, path, value, address)
  return address.text
}

const EXPECTED = 'an IPv4 or IPv6 address, None or nothing'
