import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { failureOf, problemsOf, run } from './run.mjs'

const JEST = ['jest@30.5.2', 'fast-check@4.10.2']

/** Installs the packages with npm next to Jest, then checks the types and runs the tests of a user of Jest. */
export async function checkJest(packages, folder) {
  cpSync(join(root, 'scripts/packages/jest-consumer'), folder, { recursive: true })
  const tarballs = packages.filter(({ name }) => name !== '@kube-rules/cli').map(({ tarball }) => tarball)
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const { code } = await run('npm', [...install, ...tarballs, ...JEST], { cwd: folder })
  if (code !== 0) {
    console.log(`${JEST[0]} cannot be installed here: not run`)
    return []
  }
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' }
  return problemsOf(
    failureOf('types of jest-consumer', join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }),
    failureOf('jest-consumer', join(folder, 'node_modules/.bin/jest'), ['--ci'], { cwd: folder, env }),
  )
}
