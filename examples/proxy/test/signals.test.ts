import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startApiServer } from '../bed/api-server.js'
import { NODE, service, slice } from '../bed/fake-node.js'
import { handleSignals } from '../src/signals.js'

it.each([
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGINT', 130],
  ['SIGINT', 'SIGTERM', 143],
])('handleSignals stops on %s, and ends on %s with exit code %i', (first, second, code) => {
  const source = new EventEmitter()
  const calls: unknown[] = []
  handleSignals(
    source,
    (signal) => calls.push(signal),
    (exitCode) => calls.push(exitCode),
  )
  source.emit(first)
  expect(calls).toEqual([first])
  source.emit(second)
  expect(calls).toEqual([first, code])
})

describe('the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-signals-'))
  const program = join(folder, 'proxy.mjs')

  beforeAll(async () => {
    const input = fileURLToPath(new URL('../src/main.ts', import.meta.url))
    const bundle = await rolldown({ input, platform: 'node' })
    await bundle.write({ file: program, format: 'esm', codeSplitting: false })
    return () => rmSync(folder, { recursive: true })
  })

  /** Starts the program with tools that succeed, until its first transaction runs, which ends when a file exists. */
  async function startInTransaction() {
    const tools = mkdtempSync(join(folder, 'tools-'))
    const file = (name: string) => join(tools, name)
    const write = (name: string, script: string) => {
      writeFileSync(file(name), `#!/bin/sh\n${script}\n`)
      chmodSync(file(name), 0o755)
    }
    write('iptables-save', 'exit 0')
    const wait = `while [ ! -e ${file('may-end')} ]; do /bin/sleep 0.05; done`
    write('iptables-restore', `: > ${file('began')}; ${wait}; /bin/cat > ${file('loaded')}`)
    // No tool of the machine may run.
    symlinkSync('/bin/sh', file('sh'))
    const api = await startApiServer(50)
    api.put('Node', NODE)
    api.put('Service', service('web', '10.96.0.10'))
    api.put('EndpointSlice', slice('web', '10.244.1.5'))
    const child = spawn(process.execPath, [program, '--master', api.url, ...QUIET_FLAGS], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: tools },
    })
    let log = ''
    child.stderr.on('data', (data) => {
      log += data
    })
    onTestFinished(() => {
      writeFileSync(file('may-end'), '')
      child.kill('SIGKILL')
      api.close()
    })
    await vi.waitFor(() => expect(existsSync(file('began')), log).toBe(true), 60_000)
    const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
    return {
      api,
      child,
      ended,
      log: () => log,
      letEnd: () => writeFileSync(file('may-end'), ''),
      loaded: () => existsSync(file('loaded')) && readFileSync(file('loaded'), 'utf8'),
    }
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes its transaction, ends its watches, and exits with 0',
    async (signal) => {
      const { api, child, ended, log, letEnd, loaded } = await startInTransaction()
      expect(api.openWatches()).toBe(3)
      child.kill(signal)
      await vi.waitFor(() => expect(api.openWatches(), log()).toBe(0), 30_000)
      expect([child.exitCode, loaded()]).toEqual([null, false])
      letEnd()
      expect(await ended, log()).toBe(0)
      expect(loaded()).toContain('--to-destination 10.244.1.5:8080')
      expect(log()).toContain('the rules stay')
    },
  )

  it('exits on a second signal while its transaction runs, which loads all rules or none', async () => {
    const { child, ended, log, letEnd, loaded } = await startInTransaction()
    child.kill('SIGTERM')
    await vi.waitFor(() => expect(log()).toContain('stopping'), 30_000)
    child.kill('SIGINT')
    expect(await ended, log()).toBe(130)
    expect(loaded()).toBe(false)
    letEnd()
    await vi.waitFor(() => expect(loaded()).toMatch(/--to-destination 10\.244\.1\.5:8080\n(.*\n)*COMMIT\n$/), 30_000)
  })
})

/** The flags of a proxy that changes no kernel setting and serves no port. */
const QUIET_FLAGS = [
  ...['--hostname-override=node-1', '--cluster-cidr=10.244.0.0/16', '--oom-score-adj=0'],
  ...['--healthz-bind-address=', '--metrics-bind-address=', '--iptables-localhost-nodeports=false'],
  ...['--conntrack-max-per-core=0', '--conntrack-min=0'],
  ...['--conntrack-tcp-timeout-established=0s', '--conntrack-tcp-timeout-close-wait=0s'],
]
