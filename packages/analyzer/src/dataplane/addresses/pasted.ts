import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import {
  createPasteProblem,
  type LineContinuation,
  type PastedLine,
  type PasteReader,
  type ReadPasteResult,
  type SubsystemCoverage,
} from '../netfilter/pasted.js'
import { type AddressProblemCode, addressStatesOf, isAddressLine } from './parse.js'

/** Reads excerpts of `ip address`, with one line per address or several lines per device. */
export const addressPasteReader: PasteReader<AddressState, AddressProblemCode> = {
  begins: (line) => (isOwned(line) ? isContinued : undefined),
  read,
}

const LABEL_AT_END = new RegExp(` ${IPVS_DEVICE}(?::\\d+)?$`)

const isContinued: LineContinuation = (line) =>
  isOwned(line) || /^(?:inet6?\s|link\/|valid_lft|altname\s|\s*$)/.test(line) ? isContinued : undefined

/** Reports whether a line belongs to `ip address`, or to the batch that binds the addresses. */
function isOwned(line: string): boolean {
  return deviceOf(line) !== undefined || isAddressLine(line) || isBound(line)
}

/**
 * Reports whether a line has the form `inet 10.96.0.1/32 scope global kube-ipvs0`, without a device at its start. The
 * kernel numbers the labels of a renamed device: `kube-ipvs0:2`.
 */
function isBound(line: string): boolean {
  return /^inet6?\s/.test(line) && LABEL_AT_END.test(line)
}

/**
 * Returns the device at the start of a line: `7: kube-ipvs0: <BROADCAST,NOARP>`, `7: kube-ipvs0    inet 10.96.0.1/32`.
 */
function deviceOf(line: string): string | undefined {
  return /^\d+:\s+([\w.-]+)(?:@\S+)?(?::\s+<|\s+inet6?\s)/.exec(line)?.[1]
}

function read(lines: readonly PastedLine[]): ReadPasteResult<AddressState, AddressProblemCode> {
  const distinct = new Set<string>()
  const problems: ReadPasteResult<AddressState, AddressProblemCode>['problems'][number][] = []
  let device: string | undefined
  let isSeen = false
  let isWhole = true
  let isFromBeginning = false
  for (const line of lines) {
    if (line.kind === 'gap' || line.kind === 'unread' || line.command?.filter === 'cut') isWhole = false
    if (line.kind !== 'line') continue
    device = isAddressLine(line.source) || isBound(line.source) ? IPVS_DEVICE : (deviceOf(line.source) ?? device)
    if (device !== IPVS_DEVICE) continue
    isSeen = true
    isFromBeginning ||=
      line.command?.filter === undefined && (line.command?.tool === 'ip' || /^\d+: [\w.-]+: </.test(line.source))
    const word = /(?:^|\s)(?:inet6?|address (?:add|replace))\s+([^\s/]+)/.exec(line.source)?.[1]
    if (word === undefined) continue
    const address = parseIp(word)?.text
    if (address === undefined) problems.push(createPasteProblem(line, 'invalidAddress', `${word} is not an address`))
    else distinct.add(address)
  }
  if (!isSeen) return { states: {}, coverage: {}, problems, notes: [] }
  const coverage: SubsystemCoverage = {
    isComplete: isWhole && isFromBeginning && problems.length === 0,
    complete: [],
    truncated: [],
  }
  return { states: addressStatesOf(distinct), coverage: { IPv4: coverage, IPv6: coverage }, problems, notes: [] }
}
