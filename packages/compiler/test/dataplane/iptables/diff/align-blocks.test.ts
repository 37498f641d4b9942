import { describe, expect, it } from 'vitest'
import type { RuleBlock } from '../../../../src/dataplane/iptables/ast.js'
import { alignBlocks } from '../../../../src/dataplane/iptables/diff/align-blocks.js'

const shared = new Map<string, RuleBlock>()

/** Builds blocks from `a b*`: blocks by owner, `-` for none; an asterisk creates a different object. */
function blocks(text: string): readonly RuleBlock[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, index) => {
      const owner = word.replace('*', '').replace(/^-$/, '')
      const fresh: RuleBlock = { owner, chains: [], rules: [] }
      const key = owner === '' ? `- ${index === 0}` : owner
      const known = shared.get(key) ?? fresh
      shared.set(key, known)
      return word.endsWith('*') ? fresh : known
    })
}

function aligned(before: string, after: string) {
  const name = (block: RuleBlock | undefined) => block && (block.owner === '' ? '-' : block.owner)
  return alignBlocks(blocks(before), blocks(after))?.map(
    (pair) => `${pair.at} ${name(pair.before)} ${name(pair.after)}`,
  )
}

describe('alignBlocks', () => {
  it.each<[string, string, readonly string[]]>([
    ['', '', []],
    ['- a b -', '- a b -', []],
    ['- a b -', '- a b* -', ['2 b b']],
    ['- a -', '-* a -*', ['0 - -', '2 - -']],
    ['- a c -', '- a b c -', ['2 undefined b']],
    ['- a b c -', '- a c -', ['2 b undefined']],
    ['- a b -', '- b* c -', ['1 a undefined', '2 b b', '3 undefined c']],
    ['- a b c d -', '- x b c* y -', ['1 a undefined', '2 undefined x', '3 c c', '4 d undefined', '5 undefined y']],
    ['-', '- a', ['1 undefined a']],
    ['- b -', '- a b* c -', ['1 undefined a', '1 b b', '2 undefined c']],
    // The order of owners differs from the order of their texts: `a/TCP` is before `a-b/TCP`.
    ['- a/T a-b/T -', '- a/T* x a-b/T* -', ['1 a/T a/T', '2 undefined x', '2 a-b/T a-b/T']],
  ])('for %j and %j returns the pairs of different blocks', (before, after, pairs) => {
    expect(aligned(before, after)).toEqual(pairs)
  })

  it('returns undefined if owners swap positions', () => {
    expect(aligned('- a b -', '- b a -')).toBeUndefined()
    expect(aligned('- a x b -', '- b y a -')).toBeUndefined()
  })
})
