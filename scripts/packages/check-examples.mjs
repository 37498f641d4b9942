import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './root.mjs'
import { failureOf, problemsOf, run } from './run.mjs'

const CLUSTER = 'fixtures/seed-ngx-nodeport/cluster.yaml'

/** Checks an installation of all packages with pnpm: only the declared dependencies, and the examples. */
export async function checkExamples(packages, folder) {
  const files = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const peers = Object.fromEntries(['fast-check', 'vitest', 'zod'].map((name) => [name, `link:${placeOf(name)}`]))
  const manifest = { private: true, type: 'module', dependencies: { ...files, ...peers } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), `overrides: ${JSON.stringify(files)}\n`)
  const install = ['install', '--prefer-offline', '--no-frozen-lockfile']
  const failure = await failureOf('examples', 'pnpm', install, { cwd: folder })
  if (failure.length > 0) return failure
  copyExamples(folder)
  cpSync(join(root, 'scripts/packages/examples.tsconfig.json'), join(folder, 'tsconfig.json'))
  const inExample = (name) => ({ cwd: join(folder, 'examples', name) })
  return problemsOf(
    failureOf('command', 'pnpm', ['exec', 'kube-rules', 'print', '-f', join(root, CLUSTER)], { cwd: folder }),
    failureOf('types of the examples', join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }),
    failureOf('examples/controller', 'node', ['--test'], inExample('controller')),
    failureOf('examples/many-nodes', 'node', ['--test'], inExample('many-nodes')),
    failureOf('examples/own-backend', 'node', ['--test'], inExample('own-backend')),
    checkProxy(inExample('proxy')),
    failureOf('examples/vitest-matcher', join(root, 'node_modules/.bin/vitest'), ['run'], inExample('vitest-matcher')),
    checkStepOfCi(folder),
  )
}

/** Checks the types and the tests of the proxy, and that it can be bundled as one file. */
async function checkProxy(options) {
  const bin = join(root, 'node_modules/.bin')
  return problemsOf(
    failureOf('types of examples/proxy', join(bin, 'tsc'), ['-p', '.'], options),
    failureOf('examples/proxy', join(bin, 'vitest'), ['run'], options),
    failureOf('bundle of examples/proxy', 'node', ['build.mjs'], options),
  )
}

/** Copies the examples to a folder with our packages; the workspace provides their other dependencies. */
function copyExamples(folder) {
  const isTheirs = (path) => !/node_modules|\/examples\/\w+\/dist/.test(path)
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true, filter: isTheirs })
  for (const entry of readdirSync(join(folder, 'examples'), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const example = join('examples', entry.name)
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, example, 'package.json'), 'utf8'))
    const foreign = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@kube-'))
    for (const name of foreign) link(name, join(root, example), join(folder, example))
  }
}

/** Returns the place of a peer dependency of our packages, which users install in their project. */
function placeOf(name) {
  return realpathSync(join(root, 'examples/vitest-matcher/node_modules', name))
}

function link(name, from, to) {
  const place = join(to, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(realpathSync(join(from, 'node_modules', name)), place)
}

/**
 * Checks that the step of the workflow that tests the rules succeeds, and that it fails with the difference after a
 * manifest change.
 */
async function checkStepOfCi(folder) {
  const example = join(folder, 'examples/ci')
  const [, command] = /- run: (npm test)$/m.exec(readFileSync(join(example, 'workflow.yaml'), 'utf8')) ?? []
  if (command === undefined) return ['examples/ci: no step runs npm test']
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` }
  const step = () => run('sh', ['-c', command], { cwd: example, env })
  const { code, stdout, stderr } = await step()
  if (code !== 0) return [`examples/ci: fails\n${stdout}${stderr}`]
  const manifest = join(example, 'manifests/web.yaml')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('containerPort: 8080', 'containerPort: 9090'))
  const changed = await step()
  const isShown = changed.code === 1 && /^\+-A KUBE-SEP-.*:9090$/m.test(changed.stdout)
  return isShown
    ? []
    : [`examples/ci: ends with ${changed.code} where rules change\n${changed.stdout}${changed.stderr}`]
}
