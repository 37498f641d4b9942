import { describe, expect, it } from 'vitest'
import { EMPTY_TABLES, restore } from './restore-interpreter.js'

const start = restore(
  EMPTY_TABLES,
  '*nat\n:A - [0:0]\n:B - [0:0]\n-A A -j B\n-A A -s 10.0.0.1 -m comment --comment "-j NOWHERE" -j ACCEPT\n-I OUTPUT 1 -j A\nCOMMIT\n',
)

/** Returns the rules of a chain of nat after these lines. */
function after(lines: readonly string[], chain = 'A'): readonly string[] | undefined {
  const held = restore(start, `${['*nat', ...lines, 'COMMIT'].join('\n')}\n`)
  return held
    .get('nat')
    ?.get(chain)
    ?.map(({ spec }) => spec)
}

const SECOND = '-s 10.0.0.1 -m comment --comment "-j NOWHERE" -j ACCEPT'

describe('the interpreter of iptables-restore', () => {
  it.each<[string, readonly string[], readonly string[] | undefined]>([
    ['keeps chains that are not mentioned', [], ['-j B', SECOND]],
    ['flushes a declared chain', [':A - [0:0]', '-A A -j DROP'], ['-j DROP']],
    ['inserts at the top', ['-I A -j DROP'], ['-j DROP', '-j B', SECOND]],
    ['inserts after the last rule', ['-I A 3 -j DROP'], ['-j B', SECOND, '-j DROP']],
    ['replaces', ['-R A 2 -j DROP'], ['-j B', '-j DROP']],
    ['removes by number', ['-D A 1'], [SECOND]],
    ['removes by content', ['-D A -j B'], [SECOND]],
    ['creates and flushes', ['-N C', '-F A', '-A A -j C'], ['-j C']],
    ['removes a chain', ['-D OUTPUT 1', '-F A', '-X A'], undefined],
  ])('%s', (_, lines, rules) => {
    expect(after(lines)).toEqual(rules)
  })

  it('keeps a built-in chain that is declared', () => {
    expect(after([':OUTPUT ACCEPT [0:0]'], 'OUTPUT')).toEqual(['-j A'])
  })

  it.each<[string, readonly string[]]>([
    ['a jump to a missing chain', ['-A A -j C']],
    ['a rule in a chain that does not exist', ['-A C -j DROP']],
    ['a chain that exists', ['-N A']],
    ['a chain that is still referenced', ['-F B', '-X B']],
    ['a chain with rules', ['-D OUTPUT 1', '-X A']],
    ['a chain that does not exist', ['-X C']],
    ['a built-in chain', ['-X INPUT']],
    ['a number beyond the end', ['-D A 3']],
    ['a position beyond the end', ['-I A 4 -j DROP']],
    ['the number 0', ['-R A 0 -j DROP']],
    ['a missing rule', ['-D A -j DROP']],
    ['a rule instead of itself', ['-R A 1 -j B']],
    ['a name that is too long', [`:${'A'.repeat(29)} - [0:0]`]],
    ['an unknown command', ['-E A C']],
  ])('rejects %s', (_, lines) => {
    expect(() => after(lines)).toThrow()
  })

  it.each(['*nat\nCOMMIT', '*nat\n', '*nut\nCOMMIT\n', '*nat\n*filter\nCOMMIT\n', '-A A -j B\n'])(
    'rejects %j',
    (input) => {
      expect(() => restore(start, input)).toThrow()
    },
  )

  it('changes the tables before a failing one and keeps the others', () => {
    const commits: string[] = []
    const input = '*filter\n:C - [0:0]\nCOMMIT\n*nat\n-X C\nCOMMIT\n'
    expect(() => restore(start, input, (_, table) => commits.push(table))).toThrow()
    expect(commits).toEqual(['filter'])
  })
})
