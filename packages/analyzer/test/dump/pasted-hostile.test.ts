import { readdirSync, readFileSync } from 'node:fs'
import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { anyText } from '../../../compiler/test/support/any-text.js'
import { CORPUS_DUMPS } from '../../../compiler/test/support/read-dump.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { trace } from '../../src/trace/trace.js'

// Lenient parsing never throws, is linear, and always produces states that can be printed and traced.

const FOLDER = new URL('../pastes/', import.meta.url)

const PASTES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'))

/** The test command uses a third of it. */
const QUARTER_MEGABYTE = fewRuns(256 * 1024)
const TWO_MINUTES = 120_000

function quarterMegabyteOf(unit: string): string {
  return unit.repeat(Math.ceil(QUARTER_MEGABYTE / unit.length)).slice(0, QUARTER_MEGABYTE)
}

const PACKET = { origin: 'pod', destinationPort: 53, protocol: 'UDP' } as const

const ADDRESSES = {
  IPv4: { source: '10.244.1.9', destination: '10.96.0.10' },
  IPv6: { source: 'fd00:10:244::9', destination: 'fd00:10:96::10' },
}

function readAll(text: string): void {
  const parsed = parseDump(text, { lenient: true })
  for (const { line, column, excerpt } of parsed.problems) {
    expect(line).toBeGreaterThan(0)
    expect(column).toBeGreaterThan(0)
    expect(excerpt).toMatch(/^\d+ \| .*\n +\| +\^$/u)
  }
  expect(parsed.problems.length).toBeLessThanOrEqual(100)
  if (!parsed.ok) return
  for (const family of IP_FAMILIES) {
    const state = parsed.value[family]
    const printed = print(state, { format: 'save' })
    // A line that is damaged may be printed as it was read, with its chain.
    const readAgain = parseDump(printed, { family, lenient: true })
    // Between other lines, a rule that never had a target may look cut.
    const problems = readAgain.problems.filter(({ code }) => code !== 'cutLine')
    if (parsed.problems.length === 0) expect(problems).toEqual([])
    else expect(readAgain.ok).toBe(true)
    expect(trace(state, { ...PACKET, ...ADDRESSES[family] }).length).toBeGreaterThan(0)
  }
}

describe('lenient parsing', { timeout: TWO_MINUTES }, () => {
  it.each([
    'a',
    ' ',
    '"',
    '\n',
    '#',
    '...\n',
    '$ iptables -S\n',
    '$ iptables -t nat -L\nChain A (1 references)\n',
    '-A A -j B\n',
    '-A A -j B\n-A B -j A\n',
    '-A A -m comment --comment "x\n',
    '-N A\n-A A -j B\n',
    ':A - [0:0]\n',
    'A all -- 0.0.0.0/0 0.0.0.0/0 /* x */ tcp dpt:80\n',
    '/* ',
    `${'x'.repeat(60)}\n`,
    `   jump ${'y'.repeat(60)}\n`,
    ' # # /* ',
    'Chain A (1 references)\ntarget prot opt source destination\nA all -- 0.0.0.0/0 0.0.0.0/0 /* /* */ */\n\n',
    'TCP  10.96.0.1:443 rr\n  -> 10.1.0.1:6443 Masq 1 0 0\n',
    'Name: A\nType: hash:ip,port\nHeader: family inet\nMembers:\n10.0.0.1,tcp:80\n',
    'add A 10.0.0.1,tcp:80\n',
    'table ip kube-proxy {\n',
    'chain services {\n',
    'table ip kube-proxy {\nchain a {\njump b\n}\n}\n',
    'map service-ips {\ntype ipv4_addr : verdict\nelements = { 10.0.0.1 : goto a,\n',
    '&gt; ',
    '\u001b[31m',
    '> ',
    '0 ',
    '7: kube-ipvs0    inet 10.0.0.1/32\n',
    '/',
    '/a iptables -L ',
    '|ip -z',
    ' -A AAA',
    '-A # ',
    'iptables x',
    '-A A -j B \u2026',
    'Members:\n1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,, x\n',
  ])('accepts a quarter of a megabyte of text that repeats %j', (unit) => {
    readAll(quarterMegabyteOf(unit))
  })

  it('accepts a command after a long path', () => {
    readAll(`${'/'.repeat(1000)}a iptables -L\n`)
  })
})

const ALL = [...PASTES, ...CORPUS_DUMPS.values()]
const LINES = ALL.flatMap((text) => text.split('\n'))

it('accepts any mixture of lines', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...LINES), { maxLength: 60 }), (lines) => readAll(lines.join('\n'))),
    { numRuns: fewRuns(300) },
  )
})

it('accepts any dump with changed characters', () => {
  const change = fc.tuple(fc.nat(), fc.constantFrom('', '"', '{', '}', '\n', ' ', '!', '-', '...', '\u0000', '\ud800'))
  fc.assert(
    fc.property(fc.constantFrom(...ALL), fc.array(change, { maxLength: 12 }), (text, changes) => {
      let changed = text
      for (const [place, character] of changes) {
        const at = place % (changed.length + 1)
        changed = `${changed.slice(0, at)}${character}${changed.slice(at + 1)}`
      }
      readAll(changed)
    }),
    { numRuns: fewRuns(200) },
  )
})

it('accepts any text that consists of fragments of dumps', () => {
  const pieces = fc.array(fc.oneof(anyText(), fc.constantFrom(...LINES), fc.constant('\n')), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(pieces, (parts) => readAll(parts.join(''))),
    { numRuns: fewRuns(200) },
  )
})
