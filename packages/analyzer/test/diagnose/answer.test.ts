import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DIAGNOSIS_CODES } from '../../src/diagnose/diagnosis.js'

it('docs/reference/diagnoses.md has exactly one row for every code', () => {
  const page = readFileSync(new URL('../../../../docs/reference/diagnoses.md', import.meta.url), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code)
  expect(rows.sort()).toEqual([...DIAGNOSIS_CODES].sort())
})
