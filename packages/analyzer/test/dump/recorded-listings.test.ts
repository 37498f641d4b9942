import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'

const FOLDER = new URL('./recorded/', import.meta.url)

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8')
}

function rulesOf(text: string, family: 'IPv4' | 'IPv6'): readonly string[] {
  const parsed = parseDump(text, { lenient: true })
  if (!parsed.ok) throw new Error('nothing was read')
  expect(parsed.problems).toEqual([])
  const lines = print(parsed.value[family], { format: 'save' }).split('\n')
  return lines.filter((line) => line.startsWith('-A ')).sort()
}

describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.listing')))('the recorded listing %s', (file) => {
  const [family = '', table = ''] = file.split('.')
  const tool = family === 'ipv6' ? 'ip6tables' : 'iptables'
  const rules = read(`${family}.${table}.rules`)
    .split('\n')
    .filter((line) => line.startsWith('-A '))
    .sort()

  it('is parsed as the recorded rules', () => {
    const text = `$ ${tool} -t ${table} -L -n -v\n${read(file)}`
    expect(rulesOf(text, family === 'ipv6' ? 'IPv6' : 'IPv4')).toEqual(rules)
  })

  it('equals the printed listing of the rules, except for matches that other programs use', () => {
    const parsed = parseDump(`$ ${tool} -t ${table} -S\n${read(`${family}.${table}.rules`)}`, { lenient: true })
    if (!parsed.ok) throw new Error('nothing was read')
    const listing = { verbose: read(file).includes(' pkts bytes '), protocolNumbers: true }
    const text = print(parsed.value[family === 'ipv6' ? 'IPv6' : 'IPv4'], { format: 'listing', listing })
    const [command, ...printed] = text.split('\n')
    expect(command).toBe(`# ${tool} -t ${table} -L -n${listing.verbose ? ' -v' : ''}`)
    const listed = read(file).split('\n')
    expect(printed).toHaveLength(listed.length)
    const others = printed.filter((line, index) => line !== listed[index])
    expect(others.filter((line) => !/ -m [a-z]| --tcp-flags | -f$/.test(line))).toEqual([])
    expect(others.length).toBeLessThan(7)
  })

  it('without its command is parsed to the same rules if chains and targets imply the table', () => {
    if (table === 'filter') expect(rulesOf(read(file), 'IPv4')).toEqual(rules)
    else expect(rulesOf(`# nothing\n${read(file)}`, family === 'ipv6' ? 'IPv6' : 'IPv4').length).toBe(rules.length)
  })

  it('without its command has only chains of its table', () => {
    const parsed = parseDump(`# nothing\n${read(file)}`, { lenient: true })
    if (!parsed.ok) throw new Error('nothing was read')
    const tables = [parsed.value.IPv4, parsed.value.IPv6].flatMap((state) => state.iptables?.tables ?? [])
    expect(new Set(tables.map(({ name }) => name))).toEqual(new Set([table]))
  })
})
