import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { parseAddress } from '@kube-rules/compiler/internal/dataplane/netfilter/parse-address'
import type { IpFamily } from '@kube-rules/types'
import { numberToAddress, readAddressOperand } from '../../../../program/address-range.js'
import { conditionOfLocality } from '../../../../program/assumed-locality.js'
import { negate } from '../../../../program/literals.js'
import type { Choice, Effect, Literal, PortRange } from '../../../../program/program.js'
import { portLiteral } from '../literals.js'
import { findValue, hasOption } from '../module-options.js'
import { type Action, actionOf, type TargetModule } from './target-module.js'

const MAX_PORT = 65535

/** The maximum number of addresses of a range that are followed. */
const MAX_ADDRESSES = 16

/** The addresses and ports of a target. The kernel chooses one of each, and does not change an absent field. */
interface TranslationRange {
  readonly addresses: readonly string[] | undefined
  readonly ports: PortRange | undefined
}

/** Returns the actions of DNAT. Undefined if the kernel chooses among too many addresses, or chooses the port. */
export function lowerDestination(text: string, isRandom: boolean, family: IpFamily): readonly Action[] | undefined {
  const range = readTranslationRange(text, family)
  if (range === undefined) return undefined
  const { addresses, ports } = range
  return lowerPorts(ports, isRandom, (port) => {
    const [address] = addresses ?? []
    if (addresses === undefined || addresses.length === 1) return { kind: 'translateDestination', address, port }
    const choices = addresses.map(
      (choice): Choice => ({
        condition: `DNAT to ${text} chooses ${choice}`,
        effects: [{ kind: 'translateDestination', address: choice, port }],
      }),
    )
    return { kind: 'choose', choices }
  })
}

/**
 * Returns the actions of a translation to one of these ports. The kernel keeps a port that is one of them, and takes the
 * first one for any other.
 */
function lowerPorts(
  ports: PortRange | undefined,
  isRandom: boolean,
  toEffect: (port: number | undefined) => Effect,
): readonly Action[] | undefined {
  if (ports === undefined || ports.first === ports.last) return actionOf(toEffect(ports?.first))
  if (isRandom) return undefined
  const isKept = portLiteral('destination', [ports])
  return [
    { literals: [isKept], effects: [toEffect(undefined)] },
    { literals: [negate(isKept)], effects: [toEffect(ports.first)] },
  ]
}

/** Reads `ADDRESS[-ADDRESS][:PORT[-PORT]]`, with brackets around IPv6 addresses, or `:PORT[-PORT]`. */
function readTranslationRange(text: string, family: IpFamily): TranslationRange | undefined {
  const { host, ports: portText } = splitPorts(text, family)
  const addresses = host === '' ? undefined : readAddresses(host, family)
  const ports = portText === undefined ? undefined : readPortRange(portText)
  if ((host !== '' && addresses === undefined) || (portText !== undefined && ports === undefined)) return undefined
  if (addresses === undefined && ports === undefined) return undefined
  return { addresses, ports }
}

function splitPorts(text: string, family: IpFamily): { readonly host: string; readonly ports?: string } {
  const colon = family === 'IPv4' || text.startsWith('[') ? text.indexOf(':', text.indexOf(']')) : onlyColonOf(text)
  const host = colon < 0 ? text : text.slice(0, colon)
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  return colon < 0 ? { host: bare } : { host: bare, ports: text.slice(colon + 1) }
}

/** Returns the position of the only colon. Text with several colons is an IPv6 address. */
function onlyColonOf(text: string): number {
  const colon = text.indexOf(':')
  return text.includes(':', colon + 1) ? -1 : colon
}

/** Reads an address or a range of addresses. Undefined for any other text. */
function readAddresses(text: string, family: IpFamily): readonly string[] | undefined {
  if (!text.includes('-')) {
    const address = parseAddress(text, family)
    return address === undefined ? undefined : [address]
  }
  const operand = readAddressOperand(text, family)
  if (operand?.range === undefined) return operand && [operand.text]
  const { first, last } = operand.range
  const count = last - first + 1n
  if (count < 1n || count > MAX_ADDRESSES) return undefined
  return Array.from({ length: Number(count) }, (_, at) => numberToAddress(first + BigInt(at), family))
}

/** Reads a port or a range of ports (`80-90`). Undefined for any other text. */
function readPortRange(text = ''): PortRange | undefined {
  const dash = text.indexOf('-')
  const first = parseNumber(dash < 0 ? text : text.slice(0, dash), MAX_PORT)
  const last = dash < 0 ? first : parseNumber(text.slice(dash + 1), MAX_PORT)
  return first === undefined || last === undefined || first > last ? undefined : { first, last }
}

const DNAT: TargetModule = {
  name: 'DNAT',
  meanings: [
    { options: '--to-destination ADDRESS[:PORT]', decision: 'decided', reason: 'replaces the destination' },
    {
      options: '--to-destination ADDRESS-ADDRESS',
      decision: 'decided',
      reason: `one path for each address, up to ${MAX_ADDRESSES}; a hash of both addresses of the packet chooses one`,
    },
    {
      options: '--to-destination :PORT-PORT',
      decision: 'decided',
      reason: 'keeps a port of the range, and replaces other ports with the first one',
    },
    { options: '--random', decision: 'unknown', reason: 'if there are several ports, the kernel chooses one' },
  ],
  syntax: { '--to-destination': 1, '--random': 0, '--persistent': 0 },
  lower: (options, { family }) =>
    lowerDestination(findValue(options, '--to-destination') ?? '', hasOption(options, '--random'), family),
}

const REDIRECT: TargetModule = {
  name: 'REDIRECT',
  meanings: [
    {
      options: '--to-ports',
      decision: 'decided',
      reason:
        'replaces the destination with the loopback address for packets of the node, and with the first address of the incoming interface for other packets; the port as for DNAT',
    },
    { options: 'without options', decision: 'decided', reason: 'keeps the port' },
  ],
  syntax: { '--to-ports': 1, '--random': 0 },
  lower: (options) => {
    const text = findValue(options, '--to-ports')
    const ports = readPortRange(text)
    if (text !== undefined && ports === undefined) return undefined
    return lowerPorts(ports, hasOption(options, '--random'), (port) => ({ kind: 'redirect', port }))
  },
}

const MASQUERADE: TargetModule = {
  name: 'MASQUERADE',
  meanings: [
    { options: '', decision: 'decided', reason: 'replaces the source; its address and port are not followed' },
  ],
  syntax: { '--to-ports': 1, '--random': 0, '--random-fully': 0 },
  lower: () => actionOf({ kind: 'masquerade' }),
}

const SNAT: TargetModule = {
  name: 'SNAT',
  meanings: [
    {
      options: '--to-source',
      decision: 'decided',
      reason:
        'replaces the source as MASQUERADE does if the new address is one of the node; replies to others are lost',
    },
  ],
  syntax: { '--to-source': 1, '--random': 0, '--random-fully': 0, '--persistent': 0 },
  lower: (options, { family }) => {
    const text = findValue(options, '--to-source') ?? ''
    const range = readTranslationRange(text, family)
    if (range === undefined) return undefined
    const { addresses } = range
    return addresses === undefined ? actionOf({ kind: 'accept' }) : lowerSources(addresses, text)
  },
}

/** An address that the node does not have is followed like any other unknown effect. */
function lowerSources(addresses: readonly string[], text: string): readonly Action[] {
  const [first = ''] = addresses
  const ofNode = addresses.map((address): Literal => ({ kind: 'localAddress', address }))
  return [
    {
      literals: ofNode,
      effects: [{ kind: 'masquerade' }],
      condition: () =>
        addresses.length === 1 ? conditionOfLocality(first) : `all of ${text} are addresses of the node`,
    },
    {
      // What a path assumes about one address is known here. About several, it is an assumption that no literal reads.
      literals: ofNode.length === 1 ? ofNode.map(negate) : [],
      effects: [{ kind: 'unknown', reason: `the source becomes ${text}, which is not an address of the node` }],
    },
  ]
}

export const NAT_TARGETS: readonly TargetModule[] = [DNAT, REDIRECT, MASQUERADE, SNAT]
