import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/**
 * Packs every published package into a folder. Returns the `tarball` and its contents (`files`, relative to `content`;
 * `manifest`).
 */
export function packAll(folder) {
  return publishedPackages().map((directory) => pack(directory, folder))
}

/** Returns the folders of published packages. */
export function publishedPackages() {
  return readdirSync(join(root, 'packages')).filter((name) => !manifestOf(name).private)
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
}

function pack(directory, folder) {
  const args = ['pack', '--json', '--pack-destination', folder]
  const output = execFileSync('pnpm', args, { cwd: join(root, 'packages', directory), encoding: 'utf8' })
  // The output of `prepack` comes first.
  const { filename } = JSON.parse(output.slice(output.indexOf('{')))
  const content = join(folder, directory)
  mkdirSync(content)
  execFileSync('tar', ['-xzf', filename, '-C', content, '--strip-components=1'])
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'))
  const files = readdirSync(content, { recursive: true })
  return { name: manifest.name, directory, tarball: filename, content, files, manifest }
}

/** Returns the public entry points of a package: `.` and its subpaths, without `internal`. */
export function entryPointsOf(manifest) {
  return Object.keys(manifest.exports ?? {}).filter((entry) => !/^\.\/(package\.json|internal)$|\*/.test(entry))
}
