import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AREAS, checkSubjects, readCommits } from '../language/commits.mjs'

const check = (subject, date = '2026-11-29') => checkSubjects([{ id: '1234567', date, subject }])

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

describe('the areas of commits', () => {
  it.each(['compiler: store lists as arrays', 'explain, verify: name the rule'])('accepts "%s"', (subject) => {
    expect(check(subject, '2026-11-30')).toEqual([])
  })

  it('reports areas that CONTRIBUTING.md does not list, from 30 November 2026 on', () => {
    const subject = 'verify, language: count words'
    expect(check(subject, '2026-11-30')).toEqual([
      `commit 1234567 "${subject}": unknown area language (expected ${AREAS.join(', ')})`,
    ])
    expect(check(subject, '2026-11-29')).toEqual([])
  })

  it('are those that CONTRIBUTING.md lists', () => {
    const text = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
    const list = text.slice(text.indexOf('The areas are'))
    const others = ['diff', 'reconcile', 'prove']
    const listed = [...list.matchAll(/`(\w+)`/g)].map(([, area]) => area).filter((area) => !others.includes(area))
    expect(listed).toEqual(AREAS)
  })
})

describe('readCommits', () => {
  it('returns no commits if there is no history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-rules-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expect(readCommits(folder)).toEqual([])
  })
})
