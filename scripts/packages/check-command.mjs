import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from './bundle-command.mjs'
import { root } from './root.mjs'
import { failureOf, problemsOf, run } from './run.mjs'

const CASE = join(root, 'fixtures/seed-ngx-nodeport')
const CLUSTER = join(CASE, 'cluster.yaml')

/** The version for the example of `@kube-rules/types`, whose users install zod. */
const { version: ZOD_VERSION } = JSON.parse(
  readFileSync(join(root, 'packages/types/node_modules/zod/package.json'), 'utf8'),
)

/** Commands with the same output, errors and exit code from the package and from the single file. */
const COMMANDS = [
  ['--version'],
  ['explain', '--help'],
  ['print', '-f', CLUSTER, '--mode', 'ipvs', '-o', 'json'],
  ['verify', '-f', CLUSTER, '--mode', 'iptables', '--dump', join(CASE, 'iptables.ipv4.save')],
  ['explain', '-f', CLUSTER, '--all'],
  ['print', '-f', 'not-there.yaml'],
]

/** Checks an installation of all packages with npm: the command, the examples of the READMEs, and the single file. */
export async function checkCommand(packages, folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const tarballs = packages.map(({ tarball }) => tarball)
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs, `zod@${ZOD_VERSION}`]
  const failure = await failureOf('command', 'npm', args, { cwd: folder })
  if (failure.length > 0) return failure
  return problemsOf(
    ...packages.map((packed) => checkReadmeExample(packed, folder)),
    checkSingleFile(folder),
    checkGolden(folder),
    checkDocumentTypes(folder),
  )
}

/** Checks that the types of the documents need nothing but the package, and that `kind` determines the type. */
function checkDocumentTypes(folder) {
  const lines = [
    "import type { JsonDocument } from '@kube-rules/cli/documents'",
    "export const verdictOf = (document: JsonDocument) => (document.kind === 'verify' ? document.verdict : undefined)",
    "export const verdict: 'equal' | undefined = verdictOf(JSON.parse('{}')) === 'noDrift' ? 'equal' : undefined",
    '// @ts-expect-error: no such kind',
    "export const isOther = (document: JsonDocument) => document.kind === 'other'",
  ]
  writeFileSync(join(folder, 'documents.ts'), `${lines.join('\n')}\n`)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', '']
  return failureOf('types of documents', join(root, 'node_modules/.bin/tsc'), [...options, 'documents.ts'], {
    cwd: folder,
  })
}

async function checkGolden(folder) {
  const args = ['print', '-f', CLUSTER, '--mode', 'iptables', '--family', '4']
  const { stdout, stderr } = await run(join(folder, 'node_modules/.bin/kube-rules'), args, { cwd: folder })
  const expected = readFileSync(join(CASE, 'iptables.ipv4.restore'), 'utf8')
  return stdout === expected ? [] : [`command: prints not what the fixture has\n${stderr}`]
}

/** Runs the first example of a README and checks the output below it. */
async function checkReadmeExample({ name, directory, content }, folder) {
  const text = readFileSync(join(content, 'README.md'), 'utf8')
  const [, language, code, expected] = text.match(/^```(js|sh)\n(.*?)^```\n+```\n(.*?)^```$/ms) ?? []
  if (code === undefined) return [`${name}: README.md has no example with what it prints`]
  const file = join(folder, `readme-${directory}.${language === 'js' ? 'mjs' : 'sh'}`)
  writeFileSync(file, code)
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` }
  const { stdout, stderr } = await run(language === 'js' ? 'node' : 'sh', [file], { cwd: folder, env })
  return stdout === expected ? [] : [`${name}: the example of README.md prints\n${stdout}${stderr}`]
}

/** Checks that the single file, in an otherwise empty folder, works as the command. */
async function checkSingleFile(folder) {
  const alone = join(folder, '..', 'alone')
  mkdirSync(alone)
  writeFileSync(join(alone, 'kube-rules.mjs'), await bundleCommand())
  const problems = COMMANDS.map(async (args) => {
    const [ofPackage, ofFile] = await Promise.all([
      run(join(folder, 'node_modules/.bin/kube-rules'), args, { cwd: alone }),
      run('node', ['kube-rules.mjs', ...args], { cwd: alone }),
    ])
    const isSame = JSON.stringify(ofFile) === JSON.stringify(ofPackage)
    return isSame ? [] : [`kube-rules.mjs ${args.join(' ')}: not as the package\n${ofFile.stdout}${ofFile.stderr}`]
  })
  return problemsOf(...problems)
}
