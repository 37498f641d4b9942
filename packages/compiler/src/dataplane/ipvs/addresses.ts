import { familyOf, parseIp } from '@kube-rules/types'

/**
 * The canonical spelling of an address. Undefined for what ipvsadm would read differently or look up: leading zeros of
 * IPv4 (octal), short forms, names, IPv4-mapped addresses.
 */
export function readAddress(text: string): string | undefined {
  const ip = parseIp(text)
  if (ip === undefined || ip.family !== familyOf(text)) return undefined
  return ip.family === 'IPv6' || ip.text === text ? ip.text : undefined
}

/** `10.0.0.1:80`, `[fd00::1]:80`; without a port where the text has none. Undefined when the text is neither. */
export function readAddressAndPort(text: string): { readonly address: string; readonly port?: number } | undefined {
  const match = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text)
  const address = readAddress(match?.[1] ?? match?.[2] ?? '')
  if (address === undefined || address.includes(':') !== text.startsWith('[')) return undefined
  const port = match?.[3]
  if (port === undefined) return { address }
  return Number(port) <= 65535 ? { address, port: Number(port) } : undefined
}

/** A text whose code-unit order is the numeric order of canonical addresses, IPv4 before IPv6. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return `4 ${ipv4Key(address)}`
  const [before = '', after = ''] = address.split('::', 2)
  const [first, last] = [groups(before), groups(after)]
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0000')
  return `6 ${[...first, ...zeros, ...last].join(':')}`
}

/** What a part of 0 to 3 digits lacks. */
const ZEROS: readonly string[] = ['000', '00', '0', '']

/** Every part with three digits, in one pass: large states have very many. */
function ipv4Key(address: string): string {
  let key = ''
  let start = 0
  for (let dot = address.indexOf('.'); dot >= 0; dot = address.indexOf('.', start)) {
    key += `${ZEROS[dot - start] ?? ''}${address.slice(start, dot)}.`
    start = dot + 1
  }
  return `${key}${ZEROS[address.length - start] ?? ''}${address.slice(start)}`
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').map((group) => group.padStart(4, '0'))
}

/** The netmask that singles out one address of this address's family, as ipvsadm writes it. */
export function hostNetmask(address: string): string {
  return address.includes(':') ? '128' : '255.255.255.255'
}
