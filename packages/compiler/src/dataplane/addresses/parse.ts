import { familyOf, IP_FAMILIES, isLinkLocal, parseIp } from '@kube-rules/types'
import { excerptOf } from '../netfilter/excerpt.js'
import { MAX_PROBLEMS, type Passage, type ReadPassages, type TextProblem } from '../netfilter/passages.js'
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

export const ADDRESS_PROBLEM_CODES = [
  /** An address that is none. */
  'invalidAddress',
] as const

export type AddressProblemCode = (typeof ADDRESS_PROBLEM_CODES)[number]

/** The addresses of both families; those that the kernel gives every device by itself are none of ours. */
export function readAddresses(passages: readonly Passage[]): ReadPassages<AddressState, AddressProblemCode> {
  const found = new Set<string>()
  const problems: TextProblem<AddressProblemCode>[] = []
  for (const passage of passages) {
    const word = addressWord(passage.source)
    if (word === undefined) continue
    const address = parseIp(word)?.text
    if (address !== undefined) found.add(address)
    else if (problems.length < MAX_PROBLEMS) problems.push(invalidAddress(passage, word))
  }
  if (passages.length === 0 || problems.length > 0) return { states: {}, problems }
  const addresses = Array.from(found)
    .filter((address) => !isLinkLocal(address))
    .sort()
  const states = IP_FAMILIES.map((family) => [
    family,
    { addresses: addresses.filter((address) => familyOf(address) === family) },
  ])
  return { states: Object.fromEntries(states), problems }
}

/** What stands where an address belongs; undefined in the line of the device. */
function addressWord(line: string): string | undefined {
  const match = ADDRESS_LINE.exec(line)
  return match?.[1] ?? match?.[2]
}

function invalidAddress({ source, text, line }: Passage, word: string): TextProblem<AddressProblemCode> {
  const column = source.indexOf(word) + 1
  const message = `${word} is no address`
  return { code: 'invalidAddress', text, line, column, message, excerpt: excerptOf(line, column, source) }
}
