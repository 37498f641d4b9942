import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findRuleChanges } from '../../packages/analyzer/src/versions/rule-changes.ts'
import { readCluster, toCompileInput } from '../../packages/application/src/cluster.ts'
import { compile } from '../../packages/compiler/src/compilation/compile.ts'
import { versionsOf } from '../../packages/compiler/src/model/configuration/versions.ts'
import { print } from '../../packages/compiler/src/print/print.ts'
import { descriptionsOf } from '../history/feature-descriptions.mjs'
import { changedLines, printHistory } from '../history/print-history.mjs'

const library = { compile, findRuleChanges, versionsOf, print }
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('docs/explanation/history.md', () => {
  const name = 'scripts/history/cluster.yaml'
  const yaml = read(name)
  const source = read('packages/compiler/src/model/configuration/features.ts')
  const page = printHistory(library, toCompileInput(readCluster({ objects: [{ name, text: yaml }] })), yaml, source)

  it('equals the output of `pnpm history`', () => {
    expect(read('docs/explanation/history.md')).toBe(page)
  })

  it('describes the cause of every change', () => {
    const changes = page.split(/^### /m).filter((section) => section.includes('```diff'))
    expect(changes.length).toBeGreaterThan(20)
    for (const change of changes)
      expect(change).toMatch(/^(?:From|Only before) 1\.\d\d.*:\n\n- [A-Z`k].*\. \(`\w+`\)$/m)
    expect(page).not.toContain('undefined')
  })
})

describe('changedLines', () => {
  it('returns removed and added lines in order, without unchanged lines', () => {
    expect(changedLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual(['-b', '+x', '+d'])
    expect(changedLines([], ['a'])).toEqual(['+a'])
    expect(changedLines(['a'], [])).toEqual(['-a'])
    expect(changedLines(['a'], ['a'])).toEqual([])
  })
})

describe('descriptionsOf', () => {
  it('joins the lines of a description', () => {
    const source = '  /** One\n   * two. */\n  a: {},\n  /**\n   * Three\n   * four.\n   */\n  b: {},\n'
    expect([...descriptionsOf(source)]).toEqual([
      ['a', 'One two.'],
      ['b', 'Three four.'],
    ])
  })
})
