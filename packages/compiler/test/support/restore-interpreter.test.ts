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

describe('the iptables-restore interpreter', () => {
  it.each<[string, readonly string[], readonly string[] | undefined]>([
    ['keeps chains that are not mentioned', [], ['-j B', SECOND]],
    ['flushes a chain that is declared', [':A - [0:0]', '-A A -j DROP'], ['-j DROP']],
    ['inserts a rule at the top', ['-I A -j DROP'], ['-j DROP', '-j B', SECOND]],
    ['inserts a rule after the last rule', ['-I A 3 -j DROP'], ['-j B', SECOND, '-j DROP']],
    ['replaces a rule', ['-R A 2 -j DROP'], ['-j B', '-j DROP']],
    ['removes a rule by number', ['-D A 1'], [SECOND]],
    ['removes a rule by content', ['-D A -j B'], [SECOND]],
    ['creates a chain and flushes another chain', ['-N C', '-F A', '-A A -j C'], ['-j C']],
    ['removes an empty chain without references', ['-D OUTPUT 1', '-F A', '-X A'], undefined],
  ])('%s', (_, lines, rules) => {
    expect(after(lines)).toEqual(rules)
  })

  it('keeps the rules of a declared built-in chain', () => {
    expect(after([':OUTPUT ACCEPT [0:0]'], 'OUTPUT')).toEqual(['-j A'])
  })

  it.each<[string, readonly string[]]>([
    ['a jump to a missing chain', ['-A A -j C']],
    ['a rule in a missing chain', ['-A C -j DROP']],
    ['the creation of an existing chain', ['-N A']],
    ['the removal of a chain that is still referenced', ['-F B', '-X B']],
    ['the removal of a chain with rules', ['-D OUTPUT 1', '-X A']],
    ['the removal of a missing chain', ['-X C']],
    ['the removal of a built-in chain', ['-X INPUT']],
    ['the removal of a rule after the last rule', ['-D A 3']],
    ['an insertion after the end of the chain', ['-I A 4 -j DROP']],
    ['the rule number 0', ['-R A 0 -j DROP']],
    ['the removal of a missing rule', ['-D A -j DROP']],
    ['the replacement of a rule by itself', ['-R A 1 -j B']],
    ['a chain name that is too long', [`:${'A'.repeat(29)} - [0:0]`]],
    ['an unknown command', ['-E A C']],
  ])('rejects %s', (_, lines) => {
    expect(() => after(lines)).toThrow()
  })

  it.each(['*nat\nCOMMIT', '*nat\n', '*nut\nCOMMIT\n', '*nat\n*filter\nCOMMIT\n', '-A A -j B\n'])(
    'rejects the invalid input %j',
    (input) => {
      expect(() => restore(start, input)).toThrow()
    },
  )

  it('keeps the changes of those tables that precede a failed table', () => {
    const commits: string[] = []
    const input = '*filter\n:C - [0:0]\nCOMMIT\n*nat\n-X C\nCOMMIT\n'
    expect(() => restore(start, input, (_, table) => commits.push(table))).toThrow()
    expect(commits).toEqual(['filter'])
  })
})
