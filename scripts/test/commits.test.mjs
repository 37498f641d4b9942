import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkSubjects, readCommits } from '../language/commits.mjs'

const check = (subject) => checkSubjects([{ id: '1234567', subject }])

describe('checkSubjects', () => {
  it.each([
    'docs: explain the architecture in five short pages',
    'test(kernel): skip rules that are last',
    'dataplane/nft: print sets',
    `docs: ${'x'.repeat(66)}`,
  ])('accepts "%s"', (subject) => {
    expect(check(subject)).toEqual([])
  })

  it.each(['Explain the architecture', 'docs explain the architecture', 'docs:explain', 'docs: ', ': explain'])(
    'reports "%s" because it has no area or no summary',
    (subject) => {
      expect(check(subject)).toEqual([`commit 1234567 "${subject}": expected "area: summary"`])
    },
  )

  it('reports a subject of more than 72 characters', () => {
    const subject = `docs: ${'x'.repeat(67)}`
    expect(check(subject)).toEqual([`commit 1234567 "${subject}": 73 characters (expected at most 72)`])
  })
})

describe('readCommits', () => {
  it('returns no commits if there is no history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-rules-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expect(readCommits(folder)).toEqual([])
  })
})
