import type { HostFacts, IpFamily } from '@kube-rules/types'
import { type Sandbox, succeeded, within } from '../sandbox/sandbox.js'

// client ── node ── pod1, pod2
// └───── other ── pod3
//
// The node routes to pods, each with its own address and a gateway on the link, so that bridge settings do not matter.
// The default route of the node covers the Service addresses and points to `other` instead of back to the client.
// Without that the node would send redirects, which use up the rate limit of rejections.

export type Place = 'client' | 'node' | 'pod1' | 'pod2' | 'pod3' | 'other'

const PLACES: readonly Place[] = ['client', 'node', 'pod1', 'pod2', 'pod3', 'other']

/** The address of each place. */
export const ADDRESSES: Readonly<Record<Place, Readonly<Record<IpFamily, string>>>> = {
  client: { IPv4: '192.0.2.2', IPv6: '2001:db8:1::2' },
  node: { IPv4: '192.0.2.1', IPv6: '2001:db8:1::1' },
  pod1: { IPv4: '10.244.1.11', IPv6: 'fd00:244:1::11' },
  pod2: { IPv4: '10.244.1.12', IPv6: 'fd00:244:1::12' },
  pod3: { IPv4: '10.244.2.13', IPv6: 'fd00:244:2::13' },
  other: { IPv4: '198.18.0.2', IPv6: '2001:db8:f::2' },
}

/** Another address of the client. */
export const SECOND_CLIENT: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.200', IPv6: '2001:db8:1::200' }

export const HOST: HostFacts = {
  interfaces: [
    { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
    { name: 'ext', addresses: ['192.0.2.1/24', '2001:db8:1::1/64'] },
    { name: 'uplink', addresses: ['198.18.0.1/30', '2001:db8:f::1/64'] },
    { name: 'pod1', addresses: ['169.254.1.1/32', 'fd00:169::1/128', 'fe80::1/64'] },
    { name: 'pod2', addresses: ['169.254.1.1/32', 'fd00:169::1/128', 'fe80::1/64'] },
  ],
}

/** The input of `ip -batch` in each namespace, in this order. */
const LINKS: readonly (readonly [Place, string])[] = [
  ['node', link('ext', 'eth0', 'client') + link('uplink', 'eth0', 'other') + podLinks(['pod1', 'pod2'])],
  ['other', podLinks(['pod3'])],
  ['node', nodeAddresses() + gateway('pod1') + gateway('pod2')],
  ['node', 'route add default via 198.18.0.2\nroute add default via 2001:db8:f::2\n'],
  [
    'client',
    ['192.0.2.2/24', '192.0.2.200/24', '2001:db8:1::2/64', '2001:db8:1::200/64'].map((each) => address(each)).join('') +
      upAndDefault('192.0.2.1', '2001:db8:1::1'),
  ],
  [
    'other',
    ['198.18.0.2/30', '2001:db8:f::2/64'].map((each) => address(each)).join('') +
      upAndDefault('198.18.0.1', '2001:db8:f::1') +
      gateway('pod3'),
  ],
  ['pod1', pod('pod1')],
  ['pod2', pod('pod2')],
  ['pod3', pod('pod3')],
]

/** Settings that enable routing, allow more than one rejection per second, and accept packets on any path. */
const SETTINGS = [
  'ipv4/ip_forward=1',
  'ipv6/conf/all/forwarding=1',
  'ipv4/conf/all/route_localnet=1',
  'ipv4/conf/all/rp_filter=0',
  'ipv4/conf/default/rp_filter=0',
  'ipv4/icmp_ratelimit=0',
  'ipv6/icmp/ratelimit=0',
]

/** Creates all places, each as a network namespace of its name. */
export async function buildTopology(sandbox: Sandbox): Promise<void> {
  for (const place of PLACES) succeeded(await sandbox.run(['ip', 'netns', 'add', place]))
  for (const place of ['node', 'other']) {
    const lines = SETTINGS.map((setting) => setting.replace(/(.*)=(.*)/, 'echo $2 > /proc/sys/net/$1'))
    succeeded(await within(sandbox, place)(['sh', '-ec', lines.join('\n')]))
  }
  for (const place of PLACES) succeeded(await sandbox.run(['ip', '-n', place, 'link', 'set', 'lo', 'up']))
  for (const [place, batch] of LINKS) succeeded(await sandbox.run(['ip', '-n', place, '-batch', '-'], batch))
}

function upAndDefault(...gateways: readonly string[]): string {
  return ['link set eth0 up\n', ...gateways.map((each) => `route add default via ${each}\n`)].join('')
}

function link(name: string, peer: string, place: Place): string {
  return `link add ${name} type veth peer name ${peer} netns ${place}\n`
}

function podLinks(pods: readonly Place[]): string {
  return pods.map((name) => link(name, 'eth0', name)).join('')
}

/** Adds an address without duplicate detection, which delays the use of IPv6 addresses. */
function address(value: string, device = 'eth0'): string {
  return `address add ${value} dev ${device}${value.includes(':') ? ' nodad' : ''}\n`
}

function nodeAddresses(): string {
  const { interfaces = [] } = HOST
  return interfaces
    .filter(({ name }) => name !== 'lo')
    .flatMap(({ name, addresses }) => [...addresses.map((each) => address(each, name)), `link set ${name} up\n`])
    .join('')
}

/** Adds the route to a pod; `other` needs addresses on the link first. */
function gateway(name: Place): string {
  const { IPv4, IPv6 } = ADDRESSES[name]
  const own =
    name === 'pod3' ? `${address('169.254.1.1/32', name)}${address('fe80::1/64', name)}link set ${name} up\n` : ''
  return `${own}route add ${IPv4}/32 dev ${name}\nroute add ${IPv6}/128 dev ${name}\n`
}

function pod(name: Place): string {
  const { IPv4, IPv6 } = ADDRESSES[name]
  return [
    `${address(`${IPv4}/32`)}${address(`${IPv6}/128`)}link set eth0 up`,
    'route add 169.254.1.1 dev eth0',
    'route add default via 169.254.1.1 dev eth0',
    'route add default via fe80::1 dev eth0\n',
  ].join('\n')
}
