import { describe, expect, it } from 'vitest'
import { branch } from '../../../../compiler/test/dataplane/netfilter/branches.js'
import {
  asFarAsGiven,
  dependsOnOtherRules,
  OTHER_RULES,
  OTHER_TABLES,
  pastMissing,
} from '../../../src/dataplane/netfilter/missing.js'

const assuming = (what: string, holds: boolean) => branch({ assumptions: [{ what, holds }] })
const plain = branch()
const [rules, noRules] = [assuming(OTHER_RULES, true), assuming(OTHER_RULES, false)]
const [tables, noTables] = [assuming(OTHER_TABLES, true), assuming(OTHER_TABLES, false)]
const [other, noOther] = [assuming('10.0.0.1 is an address of the node', true), assuming('anything', false)]

describe('paths of a partial dump', () => {
  it('are those that do not depend on missing rules, or assume them', () => {
    const given = [plain, rules, tables, other, noOther]
    expect(asFarAsGiven([...given, noRules, noTables])).toEqual(given)
  })

  it('are all paths if there are no others', () => {
    const ways = [noRules, noTables]
    expect(asFarAsGiven(ways)).toBe(ways)
  })

  it('depend on rules that were not given, or not', () => {
    expect([[plain, rules], [noRules], [plain, tables, noOther], []].map(dependsOnOtherRules)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a path after a partial chain', () => {
  const past = {
    reason: 'not all is known',
    goOn: (way: typeof plain) => [{ way, reason: '' }],
    stop: (way: typeof plain, reason: string) => ({ way, reason }),
  }

  it.each([
    [undefined, OTHER_RULES],
    [OTHER_TABLES, OTHER_TABLES],
  ] as const)('forks: %s', (question, what) => {
    expect(pastMissing(plain, past, question)).toEqual([
      { way: assuming(what, true), reason: '' },
      { way: assuming(what, false), reason: 'not all is known' },
    ])
  })

  it('forks only once', () => {
    expect(pastMissing(rules, past)).toEqual([{ way: rules, reason: '' }])
    expect(pastMissing(noRules, past)).toEqual([{ way: noRules, reason: '' }])
    expect(pastMissing(tables, past)).toHaveLength(2)
  })
})
