import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { parseDump } from '../../src/dump/parse-dump.js'
import { TOO_MANY_PATHS } from '../../src/program/chain-result.js'
import { trace } from '../../src/trace/trace.js'

const PACKET: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '198.51.100.9',
  destination: '10.96.0.1',
  destinationPort: 80,
}

function outcomesOf(dump: string, addresses = ['192.168.0.2']) {
  const parsed = parseDump(dump)
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  return trace(parsed.value.IPv4, PACKET, { addresses }).map(({ outcome, weight }) => ({
    ...outcome,
    weight,
  }))
}

const UNMATCHED = [{ kind: 'unmatched', to: 'network', masqueraded: false, weight: '1' }]

/** Calls a function with each number below a count, and joins the results. */
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('')

const iptables = (chains: number, rules: string) =>
  `*nat\n:PREROUTING ACCEPT [0:0]\n${lines(chains, (i) => `:C${i} - [0:0]\n`)}${rules}COMMIT\n`

const nftables = (chains: (start: string) => string) =>
  `table ip x {\n${chains('\t\ttype nat hook prerouting priority -100; policy accept;\n')}}\n`

const random = '-m statistic --mode random --probability'

const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`

const server = '-A -t 10.96.0.1:80 -s rr\n'
const realServers = (count: number) => lines(count, (i) => `-a -t 10.96.0.1:80 -r ${address(i)}:80 -m -w 1\n`)

describe('trace of chains that jump to every later chain at random', () => {
  it.each([6, 16, 60])('runs each chain once for %d chains of iptables', (count) => {
    const jumps = lines(count, (from) =>
      lines(count - from - 1, (i) => `-A C${from} ${random} 0.5 -j C${from + i + 1}\n`),
    )
    expect(outcomesOf(iptables(count, `-A PREROUTING -j C0\n${jumps}`))).toEqual(UNMATCHED)
  })

  it.each([6, 16, 60])('runs each chain once for %d chains of nftables', (count) => {
    const jump = (to: number) => `\t\tnumgen random mod 2 vmap { 0 : jump c${to} }\n`
    const chains = lines(count, (i) => `\tchain c${i} {\n${lines(count - i - 1, (to) => jump(i + to + 1))}\t}\n`)
    const dump = nftables((start) => `\tchain base {\n${start}\t\tjump c0\n\t}\n${chains}`)
    expect(outcomesOf(dump)).toEqual(UNMATCHED)
  })
})

describe('trace of random choices', () => {
  it('ends without an outcome if many paths reach a virtual server', () => {
    const mark = (i: number) => `-A PREROUTING ${random} 0.5 -j MARK --set-xmark 0x${1 << i}/0x${1 << i}\n`
    const rules = lines(10, mark).replaceAll(/0x(\d+)/g, (_, bit) => `0x${Number(bit).toString(16)}`)
    const dump = `*mangle\n:PREROUTING ACCEPT [0:0]\n${rules}COMMIT\n${server}${realServers(100)}`
    expect(outcomesOf(dump, [PACKET.destination])).toContainEqual(
      expect.objectContaining({ kind: 'unknown', reason: TOO_MANY_PATHS }),
    )
  })

  it('ends without an outcome if the probability is too long', () => {
    const rules = lines(
      500,
      (i) => `-A PREROUTING -p tcp ${random} 0.0${1 + (i % 9)} -j DNAT --to-destination ${address(i)}:80\n`,
    )
    const outcomes = outcomesOf(iptables(0, rules))
    expect(outcomes.at(-1)).toMatchObject({ kind: 'unknown', reason: TOO_MANY_PATHS })
    expect(outcomes.length).toBeGreaterThan(100)
  })

  it('determines each of 5,000 endpoints', () => {
    const count = 5_000
    const rules = lines(count, (i) => {
      const chance = i === count - 1 ? '' : `${random} ${(1 / (count - i)).toFixed(11)} `
      return `-A PREROUTING -p tcp ${chance}-j DNAT --to-destination ${address(i)}:80\n`
    })
    const elements = Array.from({ length: count }, (_, i) => `${i} : ${address(i)} . 80`).join()
    const map = `\t\tdnat ip to numgen random mod ${count} map { ${elements} }\n`
    const outcomes = [
      outcomesOf(iptables(0, rules)),
      outcomesOf(nftables((start) => `\tchain base {\n${start}${map}\t}\n`)),
      outcomesOf(`${server}${realServers(count)}`, [PACKET.destination]),
    ]
    for (const each of outcomes) {
      expect(each.length).toBe(count)
      expect(each.filter(({ kind, weight }) => kind === 'delivered' && weight === `1/${count}`).length).toBe(count)
    }
  })
})
