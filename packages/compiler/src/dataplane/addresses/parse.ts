import { familyOf, IP_FAMILIES, isLinkLocal, parseIp } from '@kube-rules/types'
import type { Passage, ReadPassages } from '../netfilter/passages.js'
import type { AddressState } from './ast.js'

/** What `ip -o address show` prints of an address, or a line of the batch that binds one. */
const ADDRESS_LINE =
  /^(?:\d+: kube-ipvs0 +inet6? ([0-9a-f.:]+)\/|address (?:add|replace) ([0-9a-f.:]+)\/\d+ dev kube-ipvs0$)/

/** The line of the batch that makes the device. */
const DEVICE_LINE = /^link add kube-ipvs0 type dummy$/

/** Whether a line of a dump is one about the device. */
export function isAddressLine(line: string): boolean {
  return ADDRESS_LINE.test(line) || DEVICE_LINE.test(line)
}

/** The addresses of both families; those that the kernel gives every device by itself are none of ours. */
export function readAddresses(passages: readonly Passage[]): ReadPassages<AddressState> {
  const found = new Set(passages.flatMap(({ source }) => addressOf(source) ?? []))
  const addresses = [...found].filter((address) => !isLinkLocal(address)).sort()
  const states = IP_FAMILIES.map((family) => [
    family,
    { addresses: addresses.filter((address) => familyOf(address) === family) },
  ])
  return { states: passages.length === 0 ? {} : Object.fromEntries(states), problems: [] }
}

function addressOf(line: string): string | undefined {
  const match = ADDRESS_LINE.exec(line)
  return parseIp(match?.[1] ?? match?.[2] ?? '')?.text
}
