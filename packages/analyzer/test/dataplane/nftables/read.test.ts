import { describe, expect, it } from 'vitest'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { detectNftablesDump, readNftablesLines } from '../../../src/dataplane/nftables/read.js'
import { parseDump } from '../../../src/dump/parse-dump.js'

const LISTED = 'table ip kube-proxy {\n\tchain services {\n\t\taccept\n\t}\n}\n'
const WRITTEN = 'add table ip kube-proxy\nadd chain ip kube-proxy services\nadd rule ip kube-proxy services accept\n'
const JSON_TEXT =
  '{"nftables": [{"metainfo": {"version": "1.0.6"}}, {"table": {"family": "ip", "name": "kube-proxy", "handle": 1}}, ' +
  '{"chain": {"family": "ip", "table": "kube-proxy", "name": "services", "handle": 2}}, ' +
  '{"rule": {"family": "ip", "table": "kube-proxy", "chain": "services", "handle": 3, "expr": [{"accept": null}]}}]}\n'

/** Returns the problem of the only text, or of the first. */
function problemOf(...texts: readonly string[]) {
  const parsed = parseDump(texts)
  if (parsed.ok) throw new Error('it was read')
  return parsed.problems[0]
}

describe('lines that belong to tables', () => {
  it.each([
    ['table ip kube-proxy {', true],
    ['\ttable inet filter { # handle 7', true],
    ['add rule ip kube-proxy services accept', true],
    ['delete element ip6 kube-proxy cluster-ips { fd00::1 }', true],
    ['{"nftables": [', true],
    ['add KUBE-CLUSTER-IP 10.0.0.1,tcp:80', false],
    ['add rule 10.0.0.1', false],
    ['*nat', false],
    ['tables', false],
    ['a table ip t {', false],
    ['my {"nftables": [', false],
    ['  { "nftables" : [', true],
    ['{"other": [', false],
    ['please add rule ip t c drop', false],
    ...['add', 'create', 'insert', 'replace', 'flush', 'delete', 'destroy'].map((verb): [string, boolean] => [
      `  ${verb}  chain  ip  t c`,
      true,
    ]),
    ...['table', 'chain', 'rule', 'set', 'map', 'element', 'counter'].map((what): [string, boolean] => [
      `add ${what} ip6 t x`,
      true,
    ]),
    ...['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'].map((family): [string, boolean] => [
      `add table ${family} t`,
      true,
    ]),
    ['add table t', false],
    ['list table ip t', false],
    ['add quota ip t q', false],
  ])('are recognized: %s: %s', (line, isOne) => {
    expect(detectNftablesDump(line) !== undefined).toBe(isOne)
  })

  it('end at the closing brace of the table, even if the brace is in the first line', () => {
    const end = detectNftablesDump('table ip t {')
    if (typeof end !== 'function') throw new Error('it ends in its line')
    expect(['\tchain a {', '\t}', '}'].map(end)).toEqual([false, false, true])
    expect(['table ip t { }', 'table ip t { } ', 'add table ip t', JSON_TEXT].map(detectNftablesDump)).toEqual(
      Array(4).fill('line'),
    )
  })
})

describe('nftables tables in a dump', () => {
  it.each([
    ['as nft lists them', LISTED],
    ['as commands', WRITTEN],
    ['as JSON', JSON_TEXT],
  ])('are parsed %s', (_what, text) => {
    const { tables = [] } = readDump(text).IPv4.nftables ?? {}
    expect(tables.map(({ family, name }) => `${family} ${name}`)).toEqual(['ip kube-proxy'])
    expect(tables[0]?.chains[0]).toMatchObject({ name: 'services', rules: [{ statements: [{ kind: 'accept' }] }] })
    expect(readDump(text).IPv6.nftables).toBeUndefined()
  })

  it('belong to the IP families of their packets', () => {
    const of = (family: string) => {
      const dump = readDump(`table ${family} t {\n}\n`)
      return [dump.IPv4, dump.IPv6].map(({ nftables }) => nftables?.tables.length ?? 0)
    }
    expect([of('ip'), of('ip6'), of('inet'), of('bridge'), of('netdev')]).toEqual([
      [1, 0],
      [0, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ])
  })

  it('may be mixed with output of other tools', () => {
    const { iptables, nftables } = readDump(`*nat\nCOMMIT\n${LISTED}*filter\nCOMMIT\ntable ip other {\n}\n`).IPv4
    expect(iptables?.tables.map(({ name }) => name)).toEqual(['nat', 'filter'])
    expect(nftables?.tables.map(({ name }) => name)).toEqual(['kube-proxy', 'other'])
  })

  it('may continue in the next text of the dump', () => {
    const { tables = [] } = readDump([LISTED, 'add rule ip kube-proxy services drop\n']).IPv4.nftables ?? {}
    expect(tables[0]?.chains[0]?.rules).toHaveLength(2)
  })
})

describe('a problem in nftables output', () => {
  it('has a position in the text that contains it', () => {
    const text = '*nat\nCOMMIT\ntable ip t {\n\tchain a {\n\t\tjump "x\n\t}\n}\n'
    expect(problemOf(LISTED, text)).toMatchObject({ text: 1, line: 5, excerpt: expect.stringContaining('5 | ') })
    expect(problemOf('add table ip t\nadd chain ip t\n')).toMatchObject({ text: 0, line: 2, code: 'missingWord' })
  })

  it('is reported for a duplicate table or a command that the kernel would reject', () => {
    expect(problemOf(LISTED, LISTED)).toMatchObject({ text: 1, line: 1, code: 'duplicateName' })
    expect(problemOf('add table ip t\nadd rule ip t none accept\n')).toMatchObject({ line: 2, code: 'rejectedCommand' })
  })

  it('is reported for JSON of another program or a duplicate table in JSON', () => {
    expect(problemOf(LISTED, '{"nftables": [{"chain": 1}]}\n')).toMatchObject({ text: 1, code: 'invalidJson' })
    expect(problemOf(LISTED, JSON_TEXT)).toMatchObject({ text: 1, line: 1, code: 'duplicateName' })
    const other = JSON_TEXT.replaceAll('kube-proxy', 'other')
    expect(readDump([`${LISTED}${other}${LISTED.replace('kube-proxy', 'third')}`]).IPv4.nftables?.tables).toHaveLength(
      3,
    )
  })

  const lines = (source: string, line: number, text = 0) => ({ source, text, line, family: undefined })

  it.each<readonly [string, ReturnType<typeof lines>[], string]>([
    [
      'in a single text',
      [lines('add chain ip t\n', 9)],
      '0 9:15 missingWord a name is expected here\n9 | add chain ip t\n  |               ^',
    ],
    ['in adjacent lines', [lines(LISTED, 3), lines('what\n', 8)], '0 8:1 unknownCommand'],
    ['in lines with other lines between them', [lines(LISTED, 3), lines('what', 20)], '0 20:1 unknownCommand'],
    ['in lines of several texts', [lines(LISTED, 3), lines('what', 8, 1)], '1 8:1 unknownCommand'],
    [
      'in several texts with an equal beginning',
      [lines(LISTED, 1), lines(LISTED, 1, 1)],
      '1 1:10 duplicateName table ip kube-proxy already exists',
    ],
    ['in lines after JSON', [lines(JSON_TEXT, 1), lines('what\n', 2)], '0 2:1 unknownCommand'],
    ['in JSON after lines', [lines('add table ip t\n', 1), lines('{"nftables": 5}\n', 2)], '0 2:1 invalidJson'],
    [
      'in the second of two JSON texts',
      [lines(JSON_TEXT, 1), lines(JSON_TEXT, 2)],
      '0 2:1 duplicateName table ip kube-proxy already exists\n2 | {"nftables"',
    ],
  ])('has its position in the original text: %s', (_, given, message) => {
    const [problem, ...others] = readNftablesLines(given).problems
    expect(others).toEqual([])
    expect(
      problem &&
        `${problem.text} ${problem.line}:${problem.column} ${problem.code} ${problem.message}\n${problem.excerpt}`,
    ).toMatch(new RegExp(`^${message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`))
  })

  it('does not remove the parsed states', () => {
    const { states, problems } = readNftablesLines([
      { source: LISTED, text: 0, line: 1, family: undefined },
      { source: 'add chain ip t\n', text: 0, line: 9, family: undefined },
    ])
    expect(problems).toHaveLength(1)
    expect(states.IPv4?.tables).toHaveLength(1)
  })
})
