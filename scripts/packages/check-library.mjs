import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { bundle } from './bundle.mjs'
import { entryPointsOf } from './pack.mjs'
import { root } from './root.mjs'
import { failureOf, problemsOf, run } from './run.mjs'

/**
 * The maximum download, in bytes after gzip, of an application that compiles, prints, diffs and runs commands: 74 kB
 * for the versions from 1.30 on, 11 kB for older versions, and 6 kB for the text formats `save` and `listing`.
 */
const MAXIMUM_BUNDLE = 95_000

const DENO = 'deno@2.9.6'

/** The oldest compiler that the types are for. */
const OLDEST_TYPESCRIPT = 'typescript@5.0.4'

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']

/** Installs only the library with npm in an empty folder, without zod, and checks it. */
export async function checkLibrary(packages, folder) {
  const own = packages.filter(({ name }) => name !== '@kube-rules/cli')
  cpSync(join(root, 'scripts/packages/consumer'), folder, { recursive: true })
  const tarballs = own.map(({ tarball }) => tarball)
  const [failure, deno, oldestTypescript] = await Promise.all([
    failureOf('library', 'npm', [...INSTALL, ...tarballs], { cwd: folder }),
    installTool(join(folder, 'deno'), DENO, 'deno'),
    installTool(join(folder, 'typescript'), OLDEST_TYPESCRIPT, 'tsc'),
  ])
  if (failure.length > 0) return failure
  const { code, stdout, stderr } = await run('node', ['esm.mjs'], { cwd: folder })
  const expected = stdout
  return problemsOf(
    code === 0 && expected.includes('--to-destination 10.244.2.7:8080') ? [] : [`esm.mjs: ${expected}${stderr}`],
    existsSync(join(folder, 'node_modules/zod')) ? ['library: brings zod to people who read no schemas'] : [],
    checkLoading(own, folder),
    checkAnswer('require.cjs', expected, run('node', ['require.cjs'], { cwd: folder })),
    failureOf('strict.ts', join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }),
    checkDeclarations(folder),
    oldestTypescript === undefined
      ? []
      : failureOf(OLDEST_TYPESCRIPT, oldestTypescript, ['-p', folder], { cwd: folder }),
    checkBrowser(folder, expected),
    checkDeno(deno, folder, expected),
  )
}

/** Checks that the declarations of a consumer name no module that may change without a version. */
async function checkDeclarations(folder) {
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--outDir',
    join(folder, 'declarations'),
  ]
  const failure = await failureOf('declarations.ts', join(root, 'node_modules/.bin/tsc'), ['-p', folder, ...options], {
    cwd: folder,
  })
  if (failure.length > 0) return failure
  const emitted = readFileSync(join(folder, 'declarations/declarations.d.ts'), 'utf8').split('\n')
  return emitted.filter((line) => /\/internal|lib\//.test(line)).map((line) => `declarations.ts: ${line}`)
}

/** Checks loading. `require` fails if a module of the graph has a top-level await. */
function checkLoading(packages, folder) {
  const specifiers = packages
    .flatMap(({ name, manifest }) => entryPointsOf(manifest).map((entry) => entry.replace('.', name)))
    // Only these entry points require zod, Jest and Vitest, which their users install.
    .filter((specifier) => !/\/types\/schema$|\/testing\/(jest|vitest)$/.test(specifier))
  const list = JSON.stringify(specifiers)
  return problemsOf(
    failureOf('require', 'node', ['--input-type=commonjs', '--eval', `${list}.map(require)`], { cwd: folder }),
    failureOf('import', 'node', ['--eval', `Promise.all(${list}.map((each) => import(each)))`], { cwd: folder }),
  )
}

async function checkAnswer(what, expected, running) {
  const { stdout, stderr } = await running
  return stdout === expected ? [] : [`${what}: not the answer of Node\n${stdout}${stderr}`]
}

async function checkBrowser(folder, expected) {
  const { code } = await bundle({
    input: join(folder, 'browser.mjs'),
    platform: 'browser',
    format: 'iife',
    minify: true,
  })
  const size = gzipSync(code, { level: 9 }).length
  console.log(`browser: ${size} bytes after gzip of ${MAXIMUM_BUNDLE} allowed`)
  const context = { TextEncoder }
  runInNewContext(code, context)
  return [
    ...(size <= MAXIMUM_BUNDLE ? [] : [`browser: ${size} bytes after gzip, ${MAXIMUM_BUNDLE} are allowed`]),
    ...(/["'`]node:/.test(code) ? ['browser: the bundle imports modules of Node'] : []),
    ...(`${context.answered}\n` === expected ? [] : [`browser: not the answer of Node\n${context.answered}`]),
  ]
}

/** Installs a tool in a folder of its own. Returns its command; undefined if npm cannot install it on this machine. */
async function installTool(folder, tool, binary) {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  await run('npm', [...INSTALL, '--ignore-scripts', tool], { cwd: folder })
  const command = join(folder, 'node_modules/.bin', binary)
  if ((await run(command, ['--version'])).code === 0) return command
  console.log(`${tool} cannot be installed here: not run`)
  return undefined
}

function checkDeno(command, folder, expected) {
  if (command === undefined) return []
  const args = ['run', '--quiet', '--no-lock', '--node-modules-dir=manual', '--allow-read', 'esm.mjs']
  return checkAnswer('Deno', expected, run(command, args, { cwd: folder }))
}
