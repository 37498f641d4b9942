import type { HostFacts } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { addInterfaces, addressesOf, readInterfaces } from '../../src/dump/node-interfaces.js'

const LO = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host
       valid_lft forever preferred_lft forever
`
const ETH0 = `2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
    altname enp1s0
    inet 192.168.0.2/24 brd 192.168.0.255 scope global dynamic eth0
       valid_lft 86000sec preferred_lft 86000sec
    inet 192.0.2.50/32 scope global eth0
    inet6 fe80::1/64 scope link
`
const POINT = `3: tun0: <POINTOPOINT,UP> mtu 1500
    inet 10.8.0.1 peer 10.8.0.2/32 scope global tun0
`
const IPVS = `5: kube-ipvs0: <BROADCAST,NOARP> mtu 1500
    inet 10.96.0.1/32 scope global kube-ipvs0
`

const read = (...texts: readonly string[]) =>
  readInterfaces(texts.map((text, index) => ({ name: `dump-${index}`, text })))

describe('readInterfaces', () => {
  it('reads the addresses of all devices, without those of virtual servers', () => {
    expect(read(`$ ip addr\n${LO}${ETH0}${POINT}${IPVS}$ date\n`)).toEqual({
      interfaces: [
        { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
        { name: 'eth0', addresses: ['192.168.0.2/24', '192.0.2.50/32', 'fe80::1/64'] },
        { name: 'tun0', addresses: ['10.8.0.1/32'] },
      ],
      note: 'note: dump-0:2: ip address shows the addresses of the node: 192.168.0.2, 192.0.2.50, 10.8.0.1',
    })
  })

  it('reads the output with one line for each address', () => {
    const text = `1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever
2: eth0    inet 192.168.0.2/24 brd 192.168.0.255 scope global eth0
2: eth0    inet6 2001:db8::2/64 scope global
`
    expect(addressesOf(read('', text)?.interfaces ?? [])).toEqual(['127.0.0.1', '192.168.0.2', '2001:db8::2'])
  })

  it.each([
    ['no output', '*nat\nCOMMIT\n'],
    ['one device', `$ ip addr show eth0\n${ETH0}`],
    ['without its beginning', ETH0 + POINT],
    ['the result of a search', `$ ip addr | grep -v tun\n${LO}${ETH0}`],
    ['an omission', `${LO}${ETH0}...\n`],
    ['an omission with words', `${LO}${ETH0}[... 7 more devices]\n`],
    ['a pager', `${LO}${ETH0}--More--\n`],
    ['no address but loopback', LO],
  ])('returns undefined for %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })
})

describe('addInterfaces', () => {
  const cluster: { readonly host?: HostFacts } = {}
  const sources = [{ name: 'node.dump', text: LO + ETH0 }]

  it('adds them to the facts about the host', () => {
    const host = { nfacctCounters: true }
    const added = addInterfaces({ ...cluster, host }, sources)
    expect(added.cluster.host).toMatchObject({ nfacctCounters: true, interfaces: [{ name: 'lo' }, { name: 'eth0' }] })
    expect(added.notes).toHaveLength(1)
  })

  it('keeps given interfaces', () => {
    const given = { ...cluster, host: { interfaces: [] } }
    expect(addInterfaces(given, sources)).toEqual({ cluster: given, notes: [] })
    expect(addInterfaces(cluster, [])).toEqual({ cluster, notes: [] })
  })
})
