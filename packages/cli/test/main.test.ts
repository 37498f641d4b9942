import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterJson, service } from './support/objects.js'

const bundleCommand = fileURLToPath(new URL('../../../scripts/bundle-command.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'kube-rules-'))
const main = join(directory, 'kube-rules.mjs')

const runMain = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, [main, ...args], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })

/** Enough rules to fill a pipe several times. */
const manyServices = clusterJson(
  ...Array.from({ length: 3000 }, (_, index) => service(`s-${index}`, [`10.1.${index >> 8}.${index & 255}`])),
)

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [bundleCommand, main], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`not bundled: ${stderr}`)
})

afterAll(() => rmSync(directory, { recursive: true }))

describe('the bundled command', () => {
  it('prints its version', () => {
    expect(runMain(['--version'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('names itself kubectl kube-rules in help texts as a plugin of kubectl', () => {
    const plugin = join(directory, 'kubectl-kube_rules')
    symlinkSync(main, plugin)
    const { stdout } = spawnSync(plugin, ['doctor', '--help'], { encoding: 'utf8' })
    expect(stdout).toMatch(/^Usage: kubectl kube-rules doctor /)
    expect(stdout).toContain('\n  kubectl kube-rules doctor --live\n')
    expect(runMain(['doctor', '--help']).stdout).toBe(stdout.replaceAll('kubectl kube-rules', 'kube-rules'))
  })

  it('reads a large standard input and writes the whole output before it exits', () => {
    const { status, stdout, stderr } = runMain(['print', '-f', '-'], manyServices)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.match(/has no endpoints/g)).toHaveLength(3000)
    expect(stdout).toMatch(/\nCOMMIT\n$/)
  })

  it('exits with 2 and prints one line without a stack trace if a file is missing', () => {
    const { status, stdout, stderr } = runMain(['print', '-f', 'no/such/file.yaml'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toBe('error: no/such/file.yaml: no such file or directory\n')
  })

  it('exits with 1 if there is a difference', () => {
    const web = clusterJson(service('web', ['10.0.0.1']))
    const old = join(directory, 'old.json')
    writeFileSync(old, web)
    expect(runMain(['diff', old, '-'], web)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const stat = runMain(['diff', old, '-', '--stat'], clusterJson(service('x', ['10.0.0.2'])))
    expect(stat).toMatchObject({ status: 1, stdout: 'removed default/web:http\nadded default/x:http\n', stderr: '' })
  })

  it('deletes the debugging Pod if the user interrupts the command', async () => {
    const log = join(directory, 'kubectl.log')
    const kubectl = `#!/bin/sh
echo "$*" >>${log}
case "$*" in
  debug*) echo 'Creating debugging pod node-debugger-n-1 with container debugger on node n.' ;;
  'get pod '*) echo '{"status":{"phase":"Running"}}' ;;
  exec*) echo waiting >>${log}; exec sleep 60 ;;
  get*) echo '{"items":[]}' ;;
esac
`
    const tools = join(directory, 'tools')
    mkdirSync(tools)
    writeFileSync(join(tools, 'kubectl'), kubectl, { mode: 0o755 })
    const child = spawn(process.execPath, [main, 'verify', '--live', 'n', '--debug-image', 'i', '--yes'], {
      env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
      detached: true,
    })
    const hasStarted = () => existsSync(log) && readFileSync(log, 'utf8').includes('waiting\n')
    while (!hasStarted()) await sleep(50)
    // A terminal interrupts the whole process group.
    process.kill(-(child.pid ?? 0), 'SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    const deletion = 'delete pod node-debugger-n-1 -n kube-system --now --wait=false --ignore-not-found\n'
    expect(readFileSync(log, 'utf8').endsWith(deletion)).toBe(true)
    expect(readFileSync(log, 'utf8').split(deletion)).toHaveLength(2)
  })

  it('exits quietly if the reader closes the pipe', async () => {
    const child = spawn(process.execPath, [main, 'print', '-f', '-'])
    const stderr: string[] = []
    child.stderr.on('data', (chunk) => stderr.push(String(chunk)))
    child.stdout.once('data', () => child.stdout.destroy())
    child.stdin.end(manyServices)
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect({ status, stderr: stderr.join('') }).toEqual({ status: 0, stderr: '' })
  })
})

// These tests wait for seconds, all at the same time.
describe.concurrent('progress on a terminal', () => {
  const input = join(directory, 'objects.json')
  const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

  beforeAll(() => writeFileSync(input, clusterJson(service('web', ['10.96.0.1']))))

  /**
   * Runs the command on a pseudo terminal, with objects that arrive after `wait`, and returns what the terminal receives,
   * which is also in the file `received`.
   */
  const onTerminal = async (received: string, wait: string, env: Readonly<Record<string, string>> = {}) => {
    const command = `(${wait}; cat ${input}) | ${process.execPath} ${main} print -f - > ${received}.out`
    const environment = { PATH: process.env.PATH, TERM: 'xterm', ...env }
    const child = spawn('script', ['-qefc', command, received], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const texts: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text) => texts.push(text))
    await once(child, 'close')
    return texts.join('')
  }

  it.skipIf(!hasTerminal)(
    'appears after two seconds, and is erased at the end (needs script of util-linux)',
    async ({ expect }) => {
      const received = join(directory, 'received')
      // The file begins with the command, whose pattern does not match itself.
      const untilProgress = `for _ in $(seq 600); do grep -q 'reading objects: [0-9]' ${received} && break; sleep 0.1; done`
      const shown = await onTerminal(received, untilProgress)
      expect(shown.split('\r\u001b[K')[1]).toMatch(/^reading objects: (?:[2-9]|\d\d+) s/)
      expect(shown.split('\r\u001b[K').at(-1)).not.toContain(' s')
      expect(shown).not.toMatch(/reading objects: [01] s/)
    },
  )

  it.skipIf(!hasTerminal)('is not printed in CI (needs script of util-linux)', async ({ expect }) => {
    const shown = await onTerminal(join(directory, 'received-in-ci'), 'sleep 2.5', { CI: 'true' })
    expect(shown).not.toContain('reading objects')
  })

  it('is not printed into a pipe', ({ expect }) => {
    expect(runMain(['print', '-f', input])).toMatchObject({ status: 0, stderr: '' })
  })
})

describe.concurrent('an interrupted command', () => {
  it('prints nothing', async ({ expect }) => {
    const child = spawn(process.execPath, [main, 'print', '-f', '-'])
    const texts: string[] = []
    child.stdout.on('data', (text) => texts.push(String(text)))
    child.stdin.write('{')
    setTimeout(() => child.kill('SIGINT'), 500)
    const signal = await new Promise((resolve) => child.on('exit', (_, by) => resolve(by)))
    expect({ signal, texts }).toEqual({ signal: 'SIGINT', texts: [] })
  })
})
