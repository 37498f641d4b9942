import { describe, expect, it } from 'vitest'
import type { RuleBlock, Table } from '../../../src/dataplane/iptables/ast.js'
import type { ListReplacement } from '../../../src/internal/list-changes.js'
import { assembleTable, type StaticBlocks, staticBlocksOf } from '../../../src/targets/shared/block-list.js'

const blockNamed = (owner: string): RuleBlock => ({ owner, chains: [], rules: [] })
const FIXED: StaticBlocks = { head: blockNamed('head'), tail: blockNamed('tail') }
const HEAD = { name: 'nat', jumps: [] } as const
const COUNTS = { chains: 0, rules: 0 }

const blocks = new Map<string, RuleBlock>()

/** Returns the single block of a part, always the same object; none for `-`. */
function blockOf(part: string): RuleBlock | undefined {
  if (part.startsWith('-')) return undefined
  const block = blocks.get(part) ?? blockNamed(part)
  blocks.set(part, block)
  return block
}

const partsOf = (parts: readonly string[]) => ({ list: () => parts, counts: COUNTS })
const made = (parts: readonly string[], fixed = FIXED) => assembleTable(HEAD, fixed, partsOf(parts), blockOf, undefined)

/** Builds the table after replacements in `before`, without the full list of parts. */
function changed(
  before: readonly string[],
  table: Table | undefined,
  replacements: readonly ListReplacement<string>[],
  fixed = FIXED,
): Table {
  const unused = { list: () => [], counts: COUNTS }
  return assembleTable(HEAD, fixed, unused, blockOf, { parts: before, replacements, table })
}

const owners = (table: Table) => table.blocks.map(({ owner }) => owner).join(' ')

describe('an iptables table', () => {
  it('has the blocks of contributions between its two fixed blocks', () => {
    expect(owners(made(['a', '-', 'b']))).toBe('head a b tail')
    expect(owners(made([]))).toBe('head tail')
    expect([made([]).name, made([]).jumps]).toEqual(['nat', HEAD.jumps])
  })

  it.each<[readonly string[], ListReplacement<string>, string]>([
    [['a', 'b', 'c'], { at: 1, removed: 1, added: ['x'] }, 'head a x c tail'],
    [['a', 'b', 'c'], { at: 0, removed: 0, added: ['x', 'y'] }, 'head x y a b c tail'],
    [['a', 'b', 'c'], { at: 3, removed: 0, added: ['x'] }, 'head a b c x tail'],
    [['a', 'b', 'c'], { at: 1, removed: 2, added: [] }, 'head a tail'],
    [['-', 'b', '-', 'd'], { at: 3, removed: 1, added: ['x'] }, 'head b x tail'],
    [['-', 'b', '-', 'd'], { at: 2, removed: 1, added: ['x'] }, 'head b x d tail'],
    [['-', 'b', '-', 'd'], { at: 0, removed: 2, added: ['-', 'x', '-'] }, 'head x d tail'],
    [['-', 'b', '-', 'd'], { at: 1, removed: 1, added: ['-'] }, 'head d tail'],
  ])('with the contributions %j is updated by %j', (before, replacement, expected) => {
    const table = changed(before, made(before), [replacement])
    expect(owners(table)).toBe(expected)
    expect([table.name, table.jumps]).toEqual(['nat', HEAD.jumps])
  })

  it('is updated by several replacements at once', () => {
    const before = ['a', '-', 'c', 'd']
    const replacements = [
      { at: 0, removed: 1, added: ['x'] },
      { at: 1, removed: 1, added: ['y'] },
      { at: 3, removed: 1, added: [] },
    ]
    expect(owners(changed(before, made(before), replacements))).toBe('head x y c tail')
  })

  it('can be updated with different fixed blocks', () => {
    const [head, tail] = [blockNamed('other head'), blockNamed('other tail')]
    expect(owners(changed(['a'], made(['a']), [], { ...FIXED, head }))).toBe('other head a tail')
    expect(owners(changed(['a'], made(['a']), [], { ...FIXED, tail }))).toBe('head a other tail')
  })

  it('is the identical object if none of its blocks changes', () => {
    const before = made(['a', '-'])
    expect(changed(['a', '-'], before, [])).toBe(before)
    expect(changed(['a', '-'], before, [{ at: 1, removed: 1, added: ['-x', '-y'] }])).toBe(before)
  })

  it('has only the fixed blocks if there is no earlier table', () => {
    expect(owners(changed(['a'], undefined, []))).toBe('head tail')
  })
})

describe('staticBlocksOf', () => {
  it('returns the first and the last block of a table', () => {
    expect(staticBlocksOf(made(['a', 'b']))).toEqual(FIXED)
    expect(staticBlocksOf({ ...HEAD, blocks: [FIXED.head] })).toEqual({ head: FIXED.head, tail: FIXED.head })
    expect(staticBlocksOf({ ...HEAD, blocks: [] })).toBeUndefined()
  })
})
