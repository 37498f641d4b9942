import { describe, expect, it } from 'vitest'
import type { PrintOptions } from '../../../compiler/src/print/print.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { webResult } from '../../../compiler/test/support/web-result.js'
import { findRuleLines, type PrintedLine } from '../../src/view/printed-line.js'
import { printLines } from '../../src/view/printed-lines.js'

function linesOf(mode: ProxyMode, options: PrintOptions): readonly PrintedLine[] {
  return webResult(mode).families.flatMap(({ state }) => printLines(state, options))
}

/** Returns the owned lines as `PLACE | TEXT`. */
function owned(mode: ProxyMode, options: PrintOptions): readonly string[] {
  return linesOf(mode, options)
    .filter(({ servicePort }) => servicePort === 'default/web:http/TCP')
    .map(({ location, text }) => `${location} | ${text}`)
}

const [SVC, SEP_1, SEP_2] = ['KUBE-SVC-CDGGSHYLG3RE2FKL', 'KUBE-SEP-AFGSLHOD2HFNCBX4', 'KUBE-SEP-2RIJ5GIYXEFH6G4D']

describe('lines of default/web:http/TCP', () => {
  it('are found in the format of iptables-restore', () => {
    const comment = '-m comment --comment'
    expect(owned('iptables', { format: 'restore' })).toEqual([
      `nat/${SVC} | :${SVC} - [0:0]`,
      `nat/${SEP_1} | :${SEP_1} - [0:0]`,
      `nat/${SEP_2} | :${SEP_2} - [0:0]`,
      `nat/KUBE-SERVICES | -A KUBE-SERVICES ${comment} "default/web:http cluster IP" -m tcp -p tcp -d 10.96.0.10 --dport 80 -j ${SVC}`,
      `nat/${SVC} | -A ${SVC} ${comment} "default/web:http -> 10.244.1.5:8080" -m statistic --mode random --probability 0.5000000000 -j ${SEP_1}`,
      `nat/${SVC} | -A ${SVC} ${comment} "default/web:http -> 10.244.2.7:8080" -j ${SEP_2}`,
      `nat/${SEP_1} | -A ${SEP_1} ${comment} default/web:http -s 10.244.1.5 -j KUBE-MARK-MASQ`,
      `nat/${SEP_1} | -A ${SEP_1} ${comment} default/web:http -m tcp -p tcp -j DNAT --to-destination 10.244.1.5:8080`,
      `nat/${SEP_2} | -A ${SEP_2} ${comment} default/web:http -s 10.244.2.7 -j KUBE-MARK-MASQ`,
      `nat/${SEP_2} | -A ${SEP_2} ${comment} default/web:http -m tcp -p tcp -j DNAT --to-destination 10.244.2.7:8080`,
    ])
  })

  it.each(['restore', 'save'] as const)('are found in %s format for sets, servers and addresses', (format) => {
    const server = 'ipvs TCP 10.96.0.10:80'
    expect(owned('ipvs', { format })).toEqual([
      'ipset KUBE-CLUSTER-IP 10.96.0.10,tcp:80 | add KUBE-CLUSTER-IP 10.96.0.10,tcp:80',
      'ipset KUBE-IPVS-IPS 10.96.0.10 | add KUBE-IPVS-IPS 10.96.0.10',
      `${server} | -A -t 10.96.0.10:80 -s rr`,
      `${server} 10.244.1.5:8080 | -a -t 10.96.0.10:80 -r 10.244.1.5:8080 -m -w 1`,
      `${server} 10.244.2.7:8080 | -a -t 10.96.0.10:80 -r 10.244.2.7:8080 -m -w 1`,
      'address 10.96.0.10 | address add 10.96.0.10/32 dev kube-ipvs0',
    ])
  })

  it('are found in a listing of ipvsadm', () => {
    const server = 'ipvs TCP 10.96.0.10:80'
    expect(owned('ipvs', { subsystem: 'ipvs', format: 'listing' })).toEqual([
      `${server} | TCP  10.96.0.10:80 rr`,
      `${server} 10.244.1.5:8080 |   -> 10.244.1.5:8080              Masq    1      0          0`,
      `${server} 10.244.2.7:8080 |   -> 10.244.2.7:8080              Masq    1      0          0`,
    ])
  })

  const table = 'nftables ip kube-proxy'
  const chain = 'service-SUSTUHLJ-default/web/tcp/http'

  it('are found in the input format of nft', () => {
    const map = '0 : 10.244.1.5 . 8080 , 1 : 10.244.2.7 . 8080'
    expect(owned('nftables', { format: 'restore' })).toEqual([
      `${table} chain ${chain} | add chain ip kube-proxy ${chain}`,
      `${table} chain ${chain} | add rule ip kube-proxy ${chain} meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { ${map} }`,
      `${table} element cluster-ips 10.96.0.10 | add element ip kube-proxy cluster-ips { 10.96.0.10 }`,
      `${table} element service-ips 10.96.0.10 . tcp . 80 | add element ip kube-proxy service-ips { 10.96.0.10 . tcp . 80 : goto ${chain} }`,
    ])
  })

  it('are found in a listing of nft', () => {
    const map = '0 : 10.244.1.5 . 8080, 1 : 10.244.2.7 . 8080'
    expect(owned('nftables', { format: 'save' })).toEqual([
      `${table} element cluster-ips 10.96.0.10 | \t\telements = { 10.96.0.10 }`,
      `${table} element service-ips 10.96.0.10 . tcp . 80 | \t\telements = { 10.96.0.10 . tcp . 80 : goto ${chain} }`,
      `${table} chain ${chain} | \tchain ${chain} {`,
      `${table} chain ${chain} | \t\tmeta l4proto tcp dnat ip addr . port to numgen random mod 2 map { ${map} }`,
      `${table} chain ${chain} | \t}`,
    ])
  })
})

describe('printed lines that belong to no service port', () => {
  it('have an empty service port, and an empty location if they belong to no chain, set or map', () => {
    const lines = linesOf('iptables', { format: 'save' })
    const lineOf = (text: string) => lines.find((line) => line.text === text)
    expect(lineOf('*nat')).toEqual({ text: '*nat', subsystem: 'iptables', servicePort: '', location: '', rules: [] })
    expect(lineOf('COMMIT')).toMatchObject({ servicePort: '', location: '' })
    expect(lineOf(':PREROUTING ACCEPT [0:0]')).toMatchObject({ servicePort: '', location: 'nat/PREROUTING' })
    expect(lineOf('-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000')).toMatchObject({
      ...{ servicePort: '', location: 'nat/KUBE-MARK-MASQ' },
      rules: [
        {
          ...{ subsystem: 'iptables', location: 'nat/KUBE-MARK-MASQ' },
          text: '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000',
        },
      ],
    })
    expect(linesOf('ipvs', {}).find(({ text }) => text === '# ipset')).toMatchObject({
      subsystem: 'ipset',
      location: '',
    })
    expect(linesOf('ipvs', {}).find(({ text }) => text.startsWith('create KUBE-CLUSTER-IP '))?.location).toBe(
      'ipset KUBE-CLUSTER-IP',
    )
    const listed = linesOf('nftables', { format: 'save' })
    expect(listed[0]).toMatchObject({ text: 'table ip kube-proxy {', location: 'nftables ip kube-proxy' })
    expect(listed.find(({ text }) => text === '\tmap service-ips {')?.location).toBe(
      'nftables ip kube-proxy set service-ips',
    )
    expect(listed.at(-1)).toMatchObject({ text: '}', location: '' })
  })
})

describe('locations of printed lines', () => {
  const placeOf = (mode: ProxyMode, text: string) =>
    linesOf(mode, { format: 'restore' }).find((line) => line.text.startsWith(text))?.location

  it('are the IDs of tables, sets and maps, and of the device', () => {
    expect(placeOf('nftables', 'add table ip kube-proxy')).toBe('nftables ip kube-proxy')
    expect(placeOf('nftables', 'add map ip kube-proxy service-ips')).toBe('nftables ip kube-proxy set service-ips')
    expect(placeOf('nftables', 'add set ip kube-proxy cluster-ips')).toBe('nftables ip kube-proxy set cluster-ips')
    expect(placeOf('ipvs', 'link add kube-ipvs0')).toBe('device kube-ipvs0')
  })

  it('number the rules of a chain, but skip the jumps that the input omits', () => {
    const jump = { chain: 'PREROUTING', matches: [], target: { kind: 'jump', chain: 'A' } } as const
    const own = { chain: 'PREROUTING', matches: [], target: { kind: 'accept' } } as const
    const blocks = [{ owner: 'default/web/TCP', chains: ['A'], rules: [own] }]
    const state = {
      family: 'IPv4',
      iptables: { family: 'IPv4', tables: [{ name: 'nat', jumps: [jump], blocks }] },
    } as const
    const rules = (format: 'restore' | 'save') =>
      printLines(state, { format })
        .filter(({ text }) => text.startsWith('-A PREROUTING '))
        .map(({ servicePort, rules }) => [servicePort, rules[0]?.text])
    const ours = ['default/web/TCP', '-A PREROUTING -j ACCEPT']
    expect(rules('restore')).toEqual([ours])
    expect(rules('save')).toEqual([['', '-A PREROUTING -j A'], ours])
  })
})

describe('findRuleLines', () => {
  const textsOf = (mode: ProxyMode, options: PrintOptions, rule: Parameters<typeof findRuleLines>[1]) => {
    const lines = linesOf(mode, options)
    return findRuleLines(lines, rule).map((index) => lines[index]?.text.trim())
  }
  const rule = { location: 'nat/KUBE-MARK-MASQ', text: '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000' }

  it('finds a rule in every format', () => {
    expect(textsOf('iptables', { format: 'save' }, rule)).toEqual([rule.text])
    expect(textsOf('iptables', { format: 'restore' }, rule)).toEqual(['-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000'])
  })

  it('finds a text in all lines if no location is given', () => {
    expect(textsOf('iptables', { format: 'save' }, { location: '', text: rule.text })).toEqual([rule.text])
    expect(textsOf('iptables', {}, { location: '', text: 'nowhere' })).toEqual([])
    expect(textsOf('iptables', {}, { location: '', text: '' })).toEqual([])
  })

  it('finds a text only at the given location', () => {
    expect(textsOf('iptables', { format: 'save' }, { ...rule, location: 'nat/KUBE-SERVICES' })).not.toContain(rule.text)
  })

  it('finds all lines of a location if the text is missing or unknown', () => {
    const all = [':KUBE-MARK-MASQ - [0:0]', rule.text]
    expect(textsOf('iptables', { format: 'save' }, { ...rule, text: '' })).toEqual(all)
    expect(textsOf('iptables', { format: 'save' }, { ...rule, text: 'policy DROP' })).toEqual(all)
  })

  it('finds the element of a map by the rule that looks up the map', () => {
    const text =
      'ip daddr . meta l4proto . th dport vmap { 10.96.0.10 . tcp . 80 : goto service-SUSTUHLJ-default/web/tcp/http }'
    const location = 'nftables ip kube-proxy chain services'
    const found = 'elements = { 10.96.0.10 . tcp . 80 : goto service-SUSTUHLJ-default/web/tcp/http }'
    expect(textsOf('nftables', { format: 'save' }, { location, text })).toEqual([found])
  })
})
