import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { root } from './root.mjs'

const CLI = join(root, 'packages/cli')

/** Bundles the command from its source as one self-contained file for Node.js, with the licenses of its contents. */
export async function bundleCommand() {
  const { code, modules } = await bundle({
    input: join(CLI, 'src/main.ts'),
    platform: 'node',
    format: 'esm',
    conditions: ['@kube-rules/source', 'import', 'node'],
    plugins: [{ name: 'version', load: (id) => (id === join(CLI, 'src/version.ts') ? versionModule() : null) }],
  })
  const folders = new Set(modules.flatMap((file) => file.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []))
  const licences = [...folders].sort().map(licenceOf)
  return `${code}\n/*\nkube-rules ${version()}\n\n${readFileSync(join(root, 'NOTICE'), 'utf8')}\n${licences.join('\n')}*/\n`
}

/** Embeds the version, because the single file has no package.json beside it. */
function versionModule() {
  return `export const readPackageVersion = async () => ${JSON.stringify(version())}`
}

function version() {
  return JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')).version
}

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no licence that the bundle could hold`)
  return `Contains ${name} ${version}:\n\n${readFileSync(join(folder, file), 'utf8').replaceAll('*/', '* /')}`
}
