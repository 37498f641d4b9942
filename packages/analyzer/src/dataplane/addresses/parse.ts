import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { CREATE_DEVICE_ARGUMENTS } from '@kube-rules/compiler/internal/dataplane/addresses/print'
import { createRecord } from '@kube-rules/compiler/internal/internal/create-record'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { familyOf, isLinkLocal, parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { DumpSection, DumpSectionsResult } from '../netfilter/dump-section.js'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../netfilter/text-problem.js'

/** Matches an address line of `ip -o address show`, or a batch line that binds an address. */
const ADDRESS_LINE = new RegExp(
  String.raw`^(?:\d+: ${IPVS_DEVICE} +inet6? ([0-9a-f.:]+)/|address (?:add|replace) ([0-9a-f.:]+)/\d+ dev ${IPVS_DEVICE}$)`,
)

/** The batch line that creates the device `kube-ipvs0`. */
const DEVICE_LINE = CREATE_DEVICE_ARGUMENTS.join(' ')

/** Reports whether a line of a dump creates the device `kube-ipvs0`, or declares one of its addresses. */
export function isAddressLine(line: string): boolean {
  return ADDRESS_LINE.test(line) || line === DEVICE_LINE
}

export const ADDRESS_PROBLEM_CODES = [
  /** An invalid address. */
  'invalidAddress',
] as const

export type AddressProblemCode = (typeof ADDRESS_PROBLEM_CODES)[number]

/** Reads the addresses of both families. */
export function readAddressLines(lines: readonly DumpSection[]): DumpSectionsResult<AddressState, AddressProblemCode> {
  const distinct = new Set<string>()
  const problems: TextProblem<AddressProblemCode>[] = []
  for (const line of lines) {
    const word = addressWord(line.source)
    if (word === undefined) continue
    const address = parseIp(word)?.text
    if (address !== undefined) distinct.add(address)
    else if (problems.length < MAX_PROBLEMS) problems.push(invalidAddress(line, word))
  }
  if (lines.length === 0 || problems.length > 0) return { states: {}, problems }
  return { states: addressStatesOf(distinct), problems }
}

/** Returns the states of both families. Addresses that the kernel assigns to every device are ignored. */
export function addressStatesOf(distinct: ReadonlySet<string>): Readonly<Record<IpFamily, AddressState>> {
  const addresses = Array.from(distinct)
    .filter((address) => !isLinkLocal(address))
    .sort()
  return createRecord(IP_FAMILIES, (family) => ({
    addresses: addresses.filter((address) => familyOf(address) === family),
  }))
}

/** Returns the word with the address in a line. Undefined for the line that creates the device. */
function addressWord(line: string): string | undefined {
  const match = ADDRESS_LINE.exec(line)
  return match?.[1] ?? match?.[2]
}

function invalidAddress({ source, text, line }: DumpSection, word: string): TextProblem<AddressProblemCode> {
  const column = source.indexOf(word) + 1
  return createTextProblem({ code: 'invalidAddress', text, line, column, message: `${word} is not an address` }, source)
}
