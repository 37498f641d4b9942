import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { publishedPackages } from '../packages/pack.mjs'
import { nextVersion, notesOf, parseChange, sectionOf, withSection } from '../release/changes.mjs'

const ROOT = new URL('../../', import.meta.url)
const textOf = (path) => readFileSync(new URL(path, ROOT), 'utf8')

const ADDED = "---\n'@kube-rules/compiler': minor\n'@kube-rules/cli': patch\n---\n\n### Added\n\n- a verb\n"
const FIXED = "---\n'@kube-rules/cli': patch\n---\n\n### Fixed\n\n- a word\n\n### Added\n\n- an option\n"

describe('parseChange', () => {
  it('returns the part of the version to increase, and the text of each section', () => {
    const sections = new Map([['Added', '- a verb']])
    expect(parseChange('added.md', ADDED)).toEqual({ bump: 'minor', sections })
  })

  it.each([
    ['### Added\n\n- a verb\n', 'begins not with packages between lines of ---'],
    [ADDED.replace('compiler', 'compilers'), "not a package: '@kube-rules/compilers': minor"],
    [ADDED.replace('minor', 'small'), 'not one of patch, minor, major: small'],
    [ADDED.replace('### Added', ''), 'every line belongs under one of ### Added, Changed'],
    [ADDED.replace('### Added', '### News'), 'no such section: News'],
    [ADDED.replace('- a verb', ''), 'says nothing under Added'],
    [FIXED.replace('Fixed', 'Rule output'), 'a change of rule output is at least minor'],
  ])('rejects a file with another structure', (text, message) => {
    expect(() => parseChange('x.md', text)).toThrow(`x.md: ${message}`)
  })

  it('reads all unreleased changes without an error', () => {
    const files = readdirSync(new URL('.changeset/', ROOT)).filter((file) => file !== 'README.md')
    const changes = files.map((file) => parseChange(file, textOf(`.changeset/${file}`)))
    expect(changes).toHaveLength(files.length)
  })
})

describe('a release', () => {
  const changes = [parseChange('added.md', ADDED), parseChange('fixed.md', FIXED)]

  it.each([
    ['1.2.3', ['patch'], '1.2.4'],
    ['1.2.3', ['patch', 'minor', 'patch'], '1.3.0'],
    ['1.2.3', ['minor', 'major'], '2.0.0'],
    ['0.0.0', ['minor'], '0.1.0'],
  ])('after version %s with the changes %s gets the version %s', (version, bumps, next) => {
    expect(
      nextVersion(
        version,
        bumps.map((bump) => ({ bump })),
      ),
    ).toBe(next)
  })

  it('becomes the first section of the changelog, which provides the notes of the release', () => {
    const first = withSection('# Changelog\n\nAbout.\n', sectionOf('0.1.0', '2026-11-22', changes))
    const text = '## [0.1.0] - 2026-11-22\n\n### Added\n\n- a verb\n- an option\n\n### Fixed\n\n- a word\n'
    expect(first).toBe(`# Changelog\n\nAbout.\n\n${text}`)
    const second = withSection(first, sectionOf('0.1.1', '2026-12-01', changes.slice(1)))
    expect(second.endsWith(`\n\n${text}`)).toBe(true)
    expect(notesOf(second, '0.1.1')).toBe('### Added\n\n- an option\n\n### Fixed\n\n- a word\n')
    expect(notesOf(second, '0.1.0')).toBe(text.slice(text.indexOf('### Added')))
    expect(notesOf(second, '0.2.0')).toBeUndefined()
  })
})

describe('the workflow that publishes', () => {
  const workflow = textOf('.github/workflows/release.yaml')
  const { scripts, packageManager } = JSON.parse(textOf('package.json'))

  it('runs only existing scripts, with the pinned package manager', () => {
    const runs = [...workflow.matchAll(/run: npx -y (\S+) (\S+)/g)].map(([, manager, script]) => ({ manager, script }))
    expect(runs.map(({ script }) => script)).toEqual([
      'install',
      'test',
      'lint',
      'packages',
      'tarballs',
      'bundle',
      'krew',
    ])
    for (const { manager, script } of runs) {
      expect(manager).toBe(packageManager)
      expect(script === 'install' || scripts[script]).toBeTruthy()
    }
  })

  it('publishes every package after its dependencies, with provenance', () => {
    const names = workflow.match(/for name in (.*); do/)[1].split(' ')
    expect([...names].sort()).toEqual(publishedPackages().sort())
    for (const [at, name] of names.entries()) {
      const { dependencies = {} } = JSON.parse(textOf(`packages/${name}/package.json`))
      const ours = Object.keys(dependencies).flatMap((each) => each.match(/^@kube-rules\/(.*)/)?.[1] ?? [])
      expect(ours.filter((each) => !names.slice(0, at).includes(each))).toEqual([])
    }
    expect(workflow).toMatch(/npm publish \S+ --provenance/)
  })

  it('pins actions by commit instead of by tag', () => {
    const uses = [...workflow.matchAll(/uses: (.*)/g)].map(([, each]) => each)
    for (const each of uses) expect(each).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
})
