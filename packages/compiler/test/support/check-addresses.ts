import type { Diagnostic } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { AddressState } from '../../src/dataplane/addresses/ast.js'

/**
 * Checks the addresses for everything that `ip` would reject, as errors with code `structure`: addresses that are not
 * canonical, and duplicates.
 */
export function checkAddresses({ addresses }: AddressState): readonly Diagnostic[] {
  const seen = new Set<string>()
  return addresses.flatMap((address, index) => {
    const isRepeated = seen.has(address)
    seen.add(address)
    if (parseIp(address)?.text !== address) return [problem(index, address, 'is not an address')]
    return isRepeated ? [problem(index, address, 'is there twice')] : []
  })
}

function problem(index: number, address: string, message: string): Diagnostic {
  return {
    severity: 'error',
    code: 'structure',
    object: { kind: 'addresses', name: IPVS_DEVICE },
    path: `addresses[${index}]`,
    message: `${JSON.stringify(address)} ${message}`,
  }
}
