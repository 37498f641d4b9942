import { describe, expect, it } from 'vitest'
import {
  dependsOnMissingRules,
  forkAtMissingContent,
  MISSING_CONTENT_CONDITION,
  MISSING_TABLES_CONDITION,
  preferKnownPaths,
} from '../../../src/dataplane/netfilter/missing.js'
import { branch } from './branches.js'

const assuming = (condition: string, value: boolean) => branch({ assumptions: [{ condition, value }] })
const plain = branch()
const [rules, noRules] = [assuming(MISSING_CONTENT_CONDITION, true), assuming(MISSING_CONTENT_CONDITION, false)]
const [tables, noTables] = [assuming(MISSING_TABLES_CONDITION, true), assuming(MISSING_TABLES_CONDITION, false)]
const [other, noOther] = [assuming('10.0.0.1 is an address of the node', true), assuming('anything', false)]

describe('preferred paths through a partial dump', () => {
  it('exclude paths with missing rules if there are other paths', () => {
    const given = [plain, rules, tables, other, noOther]
    expect(preferKnownPaths([...given, noRules, noTables])).toEqual(given)
  })

  it('include all paths if missing rules affect every path', () => {
    const paths = [noRules, noTables]
    expect(preferKnownPaths(paths)).toBe(paths)
  })

  it('are marked as dependent on missing rules if they contain an assumption about missing rules', () => {
    expect([[plain, rules], [noRules], [plain, tables, noOther], []].map(dependsOnMissingRules)).toEqual([
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
    continuePath: (path: typeof plain) => [{ path, reason: '' }],
    stop: (path: typeof plain, reason: string) => ({ path, reason }),
  }

  it.each([
    [undefined, MISSING_CONTENT_CONDITION],
    [MISSING_TABLES_CONDITION, MISSING_TABLES_CONDITION],
  ] as const)('forks with an assumption about missing content: %s', (question, what) => {
    expect(forkAtMissingContent(plain, past, question)).toEqual([
      { path: assuming(what, true), reason: '' },
      { path: assuming(what, false), reason: 'not all is known' },
    ])
  })

  it('does not fork again if the path already contains the assumption', () => {
    expect(forkAtMissingContent(rules, past)).toEqual([{ path: rules, reason: '' }])
    expect(forkAtMissingContent(noRules, past)).toEqual([{ path: noRules, reason: '' }])
    expect(forkAtMissingContent(tables, past)).toHaveLength(2)
  })
})
