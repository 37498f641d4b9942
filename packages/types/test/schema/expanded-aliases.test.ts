import { describe, expect, it } from 'vitest'
import { findAliasExpansion } from '../../src/schema/expanded-aliases.js'
import { parseManifests } from '../../src/schema/parse-manifests.js'

/** Repeats a value 10 times in a list, and the list 10 times in a list, and so on. */
function nestedAliases(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = Array.from({ length: 10 }, () => value)
  return value
}

describe('findAliasExpansion', () => {
  it.each([
    // Level 1 has 10 texts and 1 list: 11 values. Level 2 has 10 of them and 1 list: 111. Level 4 has 11,111.
    [3, undefined],
    [4, 'aliases expand 14 values to 11111 (expected at most 10000)'],
    [9, 'aliases expand 19 values to more than 1000000000 (expected at most 10000)'],
    [500, 'aliases expand 510 values to more than 1000000000 (expected at most 10000)'],
  ])('limits lists that are nested in %d levels', (levels, message) => {
    expect(findAliasExpansion('&a *a', nestedAliases(levels))).toBe(message)
  })

  it('allows ten times the values of a long text', () => {
    const shared = Array.from({ length: 999 }, (_, index) => index)
    const written = Array.from({ length: 999 }, (_, index) => index)
    // The text has 2,000 values: 1 list, the shared list of 1,000, and 999 others. Each alias adds 1,000.
    expect(findAliasExpansion('&a *a', [...Array(19).fill(shared), ...written])).toBeUndefined()
    expect(findAliasExpansion('&a *a', [...Array(20).fill(shared), ...written])).toBe(
      'aliases expand 2000 values to 21000 (expected at most 20000)',
    )
  })

  it('does not limit a text without aliases', () => {
    expect(findAliasExpansion('a: 1', nestedAliases(9))).toBeUndefined()
  })

  it('counts a list within itself once, and any depth', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    expect(findAliasExpansion('&a *a', cyclic)).toBeUndefined()
    let deep: unknown = 1
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    expect(findAliasExpansion('&a *a', deep)).toBeUndefined()
  })
})

it('parseManifests reports aliases that multiply the values of a text', () => {
  const { diagnostics } = parseManifests('&a *a', { parseYaml: () => nestedAliases(4) })
  expect(diagnostics).toMatchObject([
    { code: 'invalidValue', message: 'aliases expand 14 values to 11111 (expected at most 10000)' },
  ])
})
