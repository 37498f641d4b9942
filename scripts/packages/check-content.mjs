import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entryPointsOf } from './pack.mjs'
import { root } from './root.mjs'
import { failureOf, problemsOf } from './run.mjs'

const REPOSITORY = 'https://github.com/kube-rules/kube-rules'

/** Checks a packed package: its files, its package.json, its README, and the reports of tools. */
export function checkContent(packed) {
  return problemsOf(checkFiles(packed), checkManifest(packed), checkReadme(packed), checkWithTools(packed))
}

function checkFiles({ name, files, content }) {
  const unmapped = files.filter((file) => /^lib\/.*\.js$/.test(file) && !isMapped(join(content, file)))
  return [
    [!files.some((file) => /^(lib|dist)\/.*\.m?js$/.test(file)), 'holds no *.js'],
    [unmapped.length > 0, `holds files without the sources for a debugger: ${unmapped}`],
    [files.some((file) => /\.ts$/.test(file) && !file.endsWith('.d.ts')), 'holds sources beside the source maps'],
    ...['LICENSE', 'NOTICE'].map((file) => [!isSame(join(root, file), join(content, file)), `holds not our ${file}`]),
  ].flatMap(([wrong, message]) => (wrong ? [`${name}: ${message}`] : []))
}

/** Reports whether the source map of a file contains the sources. A file that only names other files needs none. */
function isMapped(file) {
  if (!/^(const|function|class) /m.test(readFileSync(file, 'utf8'))) return true
  if (!existsSync(`${file}.map`)) return false
  const { sources, sourcesContent = [] } = JSON.parse(readFileSync(`${file}.map`, 'utf8'))
  return sources.length > 0 && sources.every((_, index) => typeof sourcesContent[index] === 'string')
}

function isSame(file, other) {
  return existsSync(other) && readFileSync(file).equals(readFileSync(other))
}

function checkManifest({ name, directory, manifest }) {
  const text = JSON.stringify(manifest)
  return [
    [/"(workspace|catalog):/.test(text), 'refers to the workspace'],
    [text.includes('@kube-rules/source'), 'has the condition @kube-rules/source'],
    [manifest.repository?.url !== `git+${REPOSITORY}.git`, 'repository.url'],
    [manifest.repository?.directory !== `packages/${directory}`, 'repository.directory'],
    [manifest.homepage !== `${REPOSITORY}/tree/main/packages/${directory}#readme`, 'homepage'],
    [manifest.bugs?.url !== `${REPOSITORY}/issues`, 'bugs.url'],
  ].flatMap(([wrong, what]) => (wrong ? [`${name}: package.json is wrong: ${what}`] : []))
}

/**
 * Checks a README for readers on a registry page, without the repository: it has install instructions, and its links
 * are absolute.
 */
function checkReadme({ name, files, content }) {
  if (!files.includes('README.md')) return [`${name}: holds no README.md`]
  const text = readFileSync(join(content, 'README.md'), 'utf8')
  const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => link)
  return [
    ...(new RegExp(`^ {4}npm install .*${name}( |$)`, 'm').test(text) ? [] : ['says not how to install it']),
    ...(links.length > 0 ? [] : ['links to nothing']),
    ...links.flatMap((link) => (leadsSomewhere(link) ? [] : [`links to ${link}, which is not there`])),
  ].map((message) => `${name}: README.md ${message}`)
}

function leadsSomewhere(link) {
  const [, path] = link.match(`^${REPOSITORY}/(?:blob|tree)/main/([^#]*)`) ?? []
  return path === undefined ? link === REPOSITORY : existsSync(join(root, path))
}

function checkWithTools({ name, tarball, manifest }) {
  const options = { cwd: root }
  const hasEntryPoints = entryPointsOf(manifest).length > 0
  return problemsOf(
    failureOf(name, 'publint', ['run', tarball, '--strict'], options),
    hasEntryPoints ? failureOf(name, 'attw', [tarball, '--profile', 'esm-only', '--no-emoji'], options) : [],
  )
}
