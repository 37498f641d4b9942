import type { IpFamily } from '@kube-rules/types'
import type { IpAddress } from '@kube-rules/types/internal/ip'
import { isLinkLocal, isLoopback, isMulticast, isUnspecified } from '@kube-rules/types/internal/ip'
import { addError, addWarning, type DiagnosticCollector, describeValue } from '../reading/diagnostic-collector.js'
import { warnAboutNonCanonicalAddress } from '../reading/read-field.js'

/** Reports whether an endpoint address is certainly valid. This fast check avoids building field paths for diagnostics. */
export function isCanonicalAddressOfFamily(address: IpAddress, written: unknown, family: IpFamily): boolean {
  return address.text === written && address.family === family && specialKindOf(address.text) === undefined
}

/**
 * Reports an error if an endpoint address is invalid or belongs to the other family. Reports a warning if the address
 * is special or not canonical.
 */
export function checkEndpointAddress(
  collector: DiagnosticCollector,
  path: string,
  written: unknown,
  address: IpAddress | undefined,
  family: IpFamily,
): void {
  const expected = `an ${family} address`
  if (address === undefined) {
    addError(collector, 'invalidAddress', path, `${describeValue(written)} is not an IP address`, expected)
  } else if (address.family !== family) {
    addError(collector, 'otherAddressFamily', path, `${address.text} is not an ${family} address`, expected)
  } else {
    warnAboutNonCanonicalAddress(collector, path, written, address)
    checkSpecial(collector, path, address.text)
  }
}

function checkSpecial(collector: DiagnosticCollector, path: string, address: string): void {
  const kind = specialKindOf(address)
  if (kind !== undefined) addWarning(collector, 'specialAddress', path, `${address} is ${kind}`, 'the address of a pod')
}

/**
 * Matches the start of every special address. Addresses without a match need no further checks, because most endpoints
 * have ordinary addresses.
 */
const SPECIAL_START = /^(?:1[26]|2[23]|0\.|::|f[ef])/

/**
 * Returns the reason why a canonical endpoint address is suspicious (CVE-2021-25737); undefined for an ordinary
 * address.
 */
function specialKindOf(address: string): string | undefined {
  if (!SPECIAL_START.test(address)) return undefined
  if (isLoopback(address)) return 'a loopback address'
  if (isLinkLocal(address)) return 'a link-local address'
  if (isMulticast(address)) return 'a multicast address'
  return isUnspecified(address) ? 'the unspecified address' : undefined
}
