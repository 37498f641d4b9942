import { parseAddress } from '../netfilter/parse-address.js'

const PLACE = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/

/** Parses `10.0.0.1:80` or `[fd00::1]:80`; the port is optional. Returns undefined for any other input. */
export function parseAddressAndPort(text: string): { readonly address: string; readonly port?: number } | undefined {
  const [, six, four = '', port] = PLACE.exec(text) ?? []
  const address = parseAddress(six ?? four)
  if (address === undefined || address.includes(':') !== (six !== undefined)) return undefined
  if (port === undefined) return { address }
  return Number(port) <= 65535 ? { address, port: Number(port) } : undefined
}

/**
 * Returns a string for sorting addresses. In code-unit order of these strings, IPv4 addresses come before IPv6
 * addresses, and the canonical addresses of each family are in numeric order.
 */
export function createAddressSortKey(address: string): string {
  if (!address.includes(':')) return `4 ${ipv4Key(address)}`
  const [before = '', after = ''] = address.split('::', 2)
  const [first, last] = [groups(before), groups(after)]
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0000')
  return `6 ${[...first, ...zeros, ...last].join(':')}`
}

/** Pads every component of an IPv4 address to three digits. */
function ipv4Key(address: string): string {
  return address
    .split('.')
    .map((part) => part.padStart(3, '0'))
    .join('.')
}

const DOT = 46
const ZERO = 48

/** Returns the 32 bits of a canonical IPv4 address as a number. Returns NaN for any other input. */
export function ipv4ToNumber(address: string): number {
  let number = 0
  let part = 0
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index)
    if (code === DOT) {
      number = number * 256 + part
      part = 0
    } else if (code >= ZERO && code <= ZERO + 9) part = part * 10 + code - ZERO
    else return Number.NaN
  }
  return number * 256 + part
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').map((group) => group.padStart(4, '0'))
}

/** Returns the netmask of an individual address of the same family, in ipvsadm notation. */
export function hostNetmaskOf(address: string): string {
  return address.includes(':') ? '128' : '255.255.255.255'
}
