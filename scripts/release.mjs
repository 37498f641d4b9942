// Makes a release from .changeset: writes the next version into every package and a section into CHANGELOG.md, and
// removes the files. Run it as `pnpm release`, review, commit, and push the tag that it prints:
// .github/workflows/release.yaml publishes. With --notes VERSION it only prints the changelog section of a version, and
// fails if the packages have a different version.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './packages/root.mjs'
import { nextVersion, notesOf, parseChange, sectionOf, withSection } from './release/changes.mjs'

const CHANGELOG = join(root, 'CHANGELOG.md')
const manifests = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'package.json'))
const { values } = parseArgs({ options: { notes: { type: 'string' } } })

if (values.notes === undefined) release()
else printNotes(values.notes)

function release() {
  const files = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
  if (files.length === 0) throw new Error('nothing to release: .changeset has no changes')
  const paths = files.sort().map((file) => join(root, '.changeset', file))
  const changes = paths.map((path) => parseChange(path, readFileSync(path, 'utf8')))
  const version = nextVersion(currentVersion(), changes)
  const section = sectionOf(version, new Date().toISOString().slice(0, 10), changes)
  writeFileSync(CHANGELOG, withSection(readFileSync(CHANGELOG, 'utf8'), section))
  for (const path of manifests) {
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"version": "[^"]*"/, `"version": "${version}"`))
  }
  for (const path of paths) rmSync(path)
  console.log(`Review and commit, then: git tag v${version} && git push origin v${version}`)
}

function printNotes(version) {
  if (currentVersion() !== version) throw new Error(`the packages have version ${currentVersion()}, not ${version}`)
  const notes = notesOf(readFileSync(CHANGELOG, 'utf8'), version)
  if (notes === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}`)
  process.stdout.write(notes)
}

function currentVersion() {
  const versions = new Set(manifests.map((path) => JSON.parse(readFileSync(path, 'utf8')).version))
  if (versions.size !== 1) throw new Error(`the packages have several versions: ${[...versions].join(', ')}`)
  return [...versions][0]
}
