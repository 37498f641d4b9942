import { describe, expect, it } from 'vitest'
import { parseDump } from '../../src/dump/parse-dump.js'
import { parsePastedCommand } from '../../src/dump/pasted/command-line.js'

describe('the filter of a pasted command', () => {
  it.each([
    ...['grep KUBE', 'egrep KUBE', 'fgrep KUBE', 'zgrep KUBE', 'rg KUBE', 'ag KUBE'],
    ...['sudo grep KUBE', 'grep -i kube', 'grep KUBE | grep SVC', 'grep KUBE | cat', 'grep KUBE | tee rules.txt'],
  ])('is a search with every line that has a word: | %s', (programs) => {
    expect(parsePastedCommand(`$ iptables-save | ${programs}`)?.filter).toBe('search')
  })

  it.each([
    ...[
      'grep -v cali',
      'grep -c KUBE',
      'grep -A3 KUBE',
      'grep -B 2 KUBE',
      'grep -m5 KUBE',
      'grep -o KUBE',
      'grep -5 x',
    ],
    ...['grep --after-context=3 KUBE', 'grep --count KUBE', 'grepcidr 10.0.0.0/8', 'rgrep KUBE', 'pgrep KUBE'],
    ...['head -20', 'tail -n 5', 'awk /KUBE/', 'sed -n 1,5p', 'sort', 'catdoc', 'lesspipe', 'grep KUBE | head'],
  ])('omits any lines: | %s', (programs) => {
    expect(parsePastedCommand(`$ iptables-save | ${programs}`)?.filter).toBe('cut')
  })

  it.each(['less', 'more', 'cat', 'tee rules.txt', 'nl', 'column -t'])('omits nothing: | %s', (program) => {
    expect(parsePastedCommand(`$ iptables-save | ${program}`)).toEqual({ tool: 'iptables-save', args: [] })
  })

  it.each(['less', 'more', 'cat | less'])('omits lines of tools that print no end: | %s', (programs) => {
    expect(parsePastedCommand(`$ ipset list | ${programs}`)?.filter).toBe('cut')
    expect(parsePastedCommand(`$ ipvsadm -Ln | ${programs}`)?.filter).toBe('cut')
    expect(parsePastedCommand(`$ iptables -t nat -nL | ${programs}`)?.filter).toBeUndefined()
  })
})

describe('commands that add rules', () => {
  it('add equal rules twice', () => {
    const command = 'iptables -t nat -A KUBE-MARK-MASQ -j MARK --or-mark 0x4000\n'
    const parsed = parseDump(command.repeat(2), { lenient: true })
    const tables = parsed.ok ? parsed.value.IPv4.iptables?.tables : undefined
    expect(tables?.map(({ name, blocks }) => [name, blocks.map(({ rules }) => rules)])).toMatchObject([
      ['nat', [[{ chain: 'KUBE-MARK-MASQ' }, { chain: 'KUBE-MARK-MASQ' }]]],
    ])
  })
})
