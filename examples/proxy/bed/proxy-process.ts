import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The tools that can be made to fail. */
const TOOLS = ['iptables-restore', 'ip6tables-restore', 'nft', 'ipset', 'ipvsadm']

/** The milliseconds after which a proxy that does not end is killed. It may have to wait for a tool that hangs. */
const LONGEST_END = 90_000

/** Creates a proxy in a separate process, optionally with tools that fail on demand. */
export function createProxyProcess(args: readonly string[], canFail: boolean, onLine: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-bed-'))
  const marker = join(folder, 'fail')
  for (const tool of canFail ? TOOLS : []) {
    const real = execFileSync('sh', ['-c', `command -v ${tool} || true`], { encoding: 'utf8' }).trim()
    if (real === '') continue
    writeFileSync(join(folder, tool), `#!/bin/sh\n[ ! -e ${marker} ] || exit 4\nexec ${real} "$@"\n`)
    chmodSync(join(folder, tool), 0o755)
  }
  let child: ChildProcess | undefined
  let isEnding = false
  let hasStarted = false
  let crashes = 0
  let ticksBefore = 0
  let line = ''

  function start(): void {
    const file = fileURLToPath(new URL('proxy-under-test.mjs', import.meta.url))
    const flags = ['--optimize-for-size', '--max-semi-space-size=1', file, ...args]
    child = spawn(process.execPath, flags, {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    })
    isEnding = hasStarted = false
    child.on('exit', (status, signal) => {
      if (isEnding) return
      crashes += 1
      onLine(`the proxy has ended by itself with ${signal ?? status}`)
    })
    child.stderr?.on('data', (data) => {
      const lines = `${line}${data}`.split('\n')
      line = lines.pop() ?? ''
      hasStarted ||= lines.some((each) => each.includes('"started"'))
      for (const each of lines) onLine(each)
    })
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (child === undefined || !isRunning()) return
    ticksBefore += ticksOf(child.pid)
    isEnding = true
    const ended = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => {
      onLine(`the proxy has not ended ${LONGEST_END} ms after ${signal}`)
      child?.kill('SIGKILL')
    }, LONGEST_END)
    await ended
    clearTimeout(timer)
  }

  function isRunning(): boolean {
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  return {
    start,
    end,
    failTools: (fails: boolean) => (fails ? writeFileSync(marker, '') : rmSync(marker, { force: true })),
    /** The resident memory of the proxy process, without its tools, in MiB. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readIfThere(`/proc/${child?.pid}/status`))?.[1] ?? 0) / 1024,
    /** The greatest resident memory of the proxy process so far, in MiB. */
    peakMemory: () => Number(/VmHWM:\s+(\d+)/.exec(readIfThere(`/proc/${child?.pid}/status`))?.[1] ?? 0) / 1024,
    /** The processor time of all processes so far in seconds, including the time of their tools. */
    processorTime: () => (ticksBefore + ticksOf(child?.pid)) / 100,
    /** The processor time of the current process in seconds, without its tools. */
    ownProcessorTime: () => ownTicksOf(child?.pid) / 100,
    isRunning,
    /** The number of times that the proxy has ended without a signal of the bed. */
    crashes: () => crashes,
    /** Reports whether SIGTERM ended the proxy with status 0. */
    hasStopped: () => child?.exitCode === 0,
    /** Ends the proxy as soon as it handles signals. */
    close: async () => {
      while (isRunning() && !hasStarted) await sleep(20)
      await end('SIGTERM')
      rmSync(folder, { recursive: true })
    },
  }
}

export type ProxyProcess = ReturnType<typeof createProxyProcess>

/** Returns the clock ticks of a process: user, system, the ticks of its ended children, and the ticks of its shell. */
function ticksOf(pid: number | undefined): number {
  const fields = readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')
  const children = readIfThere(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
  return children.reduce((sum, child) => sum + ticksOf(Number(child)), own)
}

function ownTicksOf(pid: number | undefined): number {
  const fields = readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
