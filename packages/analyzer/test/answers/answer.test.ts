import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ANSWER_CODES } from '../../src/answers/answer.js'

it('docs/answers.md has exactly one row for every code', () => {
  const page = readFileSync(new URL('../../../../docs/answers.md', import.meta.url), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code)
  expect(rows.sort()).toEqual([...ANSWER_CODES].sort())
})
