// Packs every package (build first) and checks what a user would get: publint, are-the-types-wrong, the files inside,
// and that everything it exports loads with `import` and with `require`. Run it as `pnpm packages`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'check-packages-'))

try {
  const problems = checkAll()
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? 'packages: all checks hold' : `packages: ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(project, { recursive: true })
}

function checkAll() {
  const packed = readdirSync(join(root, 'packages')).map(pack)
  for (const { name } of packed) linkDependencies(name)
  return packed.flatMap((one) => [...checkContent(one), ...checkWithTools(one), ...checkLoading(one)])
}

/** Packs one package and unpacks it into the node_modules of an otherwise empty project. */
function pack(directory) {
  const folder = join(root, 'packages', directory)
  const { filename } = JSON.parse(
    execFileSync('pnpm', ['pack', '--json', '--pack-destination', project], { cwd: folder }),
  )
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  mkdirSync(installed(name), { recursive: true })
  execFileSync('tar', ['-xzf', filename, '-C', installed(name), '--strip-components=1'])
  return { name, folder, tarball: filename, manifest: manifestOf(name) }
}

/** Links the dependencies that are not ours to where the workspace has them. */
function linkDependencies(name) {
  const directory = join(root, 'packages', name.replace('@kube-rules/', ''), 'node_modules')
  const foreign = Object.keys(manifestOf(name).dependencies ?? {}).filter((one) => !one.startsWith('@kube-rules/'))
  for (const dependency of foreign) {
    const link = join(installed(name), 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(directory, dependency), link)
  }
}

function checkContent({ name, manifest }) {
  const files = readdirSync(installed(name), { recursive: true })
  const text = JSON.stringify(manifest)
  return [
    [!files.some((file) => /^dist\/.*\.js$/.test(file)), 'holds no dist/*.js'],
    [files.some((file) => isStale(file, files)), 'holds files in dist whose source is gone: remove dist and build'],
    [!files.includes('LICENSE'), 'holds no LICENSE'],
    [files.some((file) => file.endsWith('.tsbuildinfo')), 'holds a tsbuildinfo'],
    [JSON.stringify(manifest.exports).includes('@kube-rules/source'), 'exports the condition @kube-rules/source'],
    [/"(workspace|catalog):/.test(text), 'refers to the workspace in package.json'],
  ].flatMap(([wrong, message]) => (wrong ? [`${name}: ${message}`] : []))
}

function isStale(file, files) {
  return /^dist\/.*\.js$/.test(file) && !files.includes(file.replace(/^dist/, 'src').replace(/js$/, 'ts'))
}

function checkWithTools({ name, tarball, manifest }) {
  const hasEntryPoints = entryPointsOf(manifest).length > 0
  return [
    ...failureOf(name, 'publint', ['run', tarball, '--strict']),
    ...(hasEntryPoints ? failureOf(name, 'attw', [tarball, '--profile', 'esm-only', '--no-emoji']) : []),
  ]
}

/** `require` fails where a module of the graph has a top-level await. */
function checkLoading({ name, manifest }) {
  const imports = entryPointsOf(manifest).flatMap((entry) => {
    const specifier = JSON.stringify(entry.replace('.', name))
    return [
      ...failureOf(name, 'node', ['--input-type=commonjs', '--eval', `require(${specifier})`]),
      ...failureOf(name, 'node', ['--input-type=module', '--eval', `await import(${specifier})`]),
    ]
  })
  const commands = Object.values(manifest.bin ?? {}).flatMap((file) =>
    failureOf(name, 'node', [join(installed(name), file), '--version']),
  )
  return [...imports, ...commands]
}

function entryPointsOf(manifest) {
  return Object.keys(manifest.exports ?? {}).filter((entry) => entry !== './package.json')
}

/** Runs a command in the project. Returns its output as the one problem where it fails. */
function failureOf(name, command, args) {
  try {
    execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    return [`${name}: ${command} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`]
  }
}

function installed(name) {
  return join(project, 'node_modules', name)
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8'))
}
