import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readerPackagesFor, readTutorial, type Step, TUTORIALS } from './support/tutorial-steps.js'

// Follows every tutorial step by step: saves its files, runs each command, and compares each output.

const bundleCommand = fileURLToPath(new URL('../../../scripts/bundle-command.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tutorials-'))
const main = join(directory, 'kube-rules.mjs')

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [bundleCommand, main], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`not bundled: ${stderr}`)
})

afterAll(() => rmSync(directory, { recursive: true }))

/** Follows a tutorial in a folder of its own. */
async function follow(page: string): Promise<void> {
  const { files, steps } = readTutorial(page)
  expect(files.length).toBeGreaterThan(0)
  expect(steps.length).toBeGreaterThan(1)
  const folder = mkdtempSync(join(directory, 'reader-'))
  symlinkSync(readerPackagesFor(files), join(folder, 'node_modules'))
  for (const { name, content } of files) writeFileSync(join(folder, name), content)
  for (const step of steps.filter(({ needsRoot }) => !needsRoot)) {
    const { stdout, stderr } = await run(step, folder)
    const { command, output } = step
    expect({ command, stdout }).toEqual({ command, stdout: output })
    expect(stderr).not.toMatch(/^error|command not found/m)
  }
}

/** Runs a command to its end, or until it has printed its output and the reader stops it. */
async function run({ command, output, isStopped }: Step, cwd: string) {
  const script = `kube-rules() { ${process.execPath} ${main} "$@"; }\n${command}`
  const env = { ...process.env, NO_COLOR: '1' }
  const child = spawn('bash', ['-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const pressCtrlC = () => child.exitCode ?? child.signalCode ?? process.kill(-(child.pid as number), 'SIGINT')
  onTestFinished(() => void pressCtrlC())
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      printed[stream] += text
      if (isStopped && printed.stdout.length >= output.length) pressCtrlC()
    })
  }
  await once(child, 'close')
  return printed
}

describe('a tutorial', () => {
  const hasShell = process.platform === 'linux' && spawnSync('bash', ['-c', 'true']).status === 0
  const isBuilt = existsSync(join(readerPackagesFor([]), '@kube-rules/compiler/dist/index.js'))
  const pages = readdirSync(TUTORIALS)
  const usesPackages = (page: string) => readTutorial(page).files.some(({ name }) => name.endsWith('.mjs'))

  it.skipIf(!hasShell).each(pages.filter((page) => !usesPackages(page)))(
    'contains the output of its commands: %s (needs bash and GNU sed)',
    follow,
  )

  it.skipIf(!hasShell || !isBuilt).each(pages.filter(usesPackages))(
    'contains the output of its programs: %s (needs bash and a build)',
    follow,
  )
})
