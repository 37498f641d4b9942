import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** The options that `strict` does not include and that readers of a tutorial may have. */
const STRICTEST = ['--noUncheckedIndexedAccess', '--noPropertyAccessFromIndexSignature', '--exactOptionalPropertyTypes']

/** The beginnings of the lines of proxy.mjs that have types in TypeScript, in the order of the page. */
const TYPED = [
  'import { createTracker',
  'import { CoreV1Api',
  'function run',
  'async function execute',
  'let timer',
  'const sources',
  '  const upsert',
]

/** Returns the program of the tutorial in TypeScript, as the page describes it. */
function typedProxy(): string {
  const page = readFileSync(new URL('build-a-proxy.md', TUTORIALS), 'utf8')
  const typed = /^```ts\n(.*?)\n```$/ms.exec(page)?.[1]?.split('\n') ?? []
  const { content = '' } = readTutorial('build-a-proxy.md').files.find(({ name }) => name === 'proxy.mjs') ?? {}
  expect(typed).toHaveLength(TYPED.length)
  const lines = content.split('\n').map((line) => {
    const index = TYPED.findIndex((beginning) => line.startsWith(beginning))
    return index === -1 ? line : `${typed[index]}`
  })
  return lines.join('\n')
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

  it.skipIf(!isBuilt)('describes a proxy in TypeScript that compiles (needs a build)', () => {
    const folder = mkdtempSync(join(directory, 'typed-'))
    symlinkSync(readerPackagesFor([]), join(folder, 'node_modules'))
    const { files } = readTutorial('build-a-proxy.md')
    writeFileSync(join(folder, 'tsconfig.json'), files.find(({ name }) => name === 'tsconfig.json')?.content ?? '')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'proxy.ts'), typedProxy())
    const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
    const args = ['--noEmit', '--skipLibCheck', '--typeRoots', join(modules, '@types'), ...STRICTEST]
    const { status, stdout } = spawnSync(join(modules, '.bin/tsc'), args, { cwd: folder, encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('names the version of the client that the example uses', () => {
    const { dependencies } = JSON.parse(
      readFileSync(new URL('../../examples/controller/package.json', TUTORIALS), 'utf8'),
    )
    const page = readFileSync(new URL('build-a-proxy.md', TUTORIALS), 'utf8')
    expect(page).toContain(` @kubernetes/client-node@${dependencies['@kubernetes/client-node']}\n`)
  })

  it.skipIf(!hasShell || !isBuilt).each(pages.filter(usesPackages))(
    'contains the output of its programs: %s (needs bash and a build)',
    follow,
  )
})
