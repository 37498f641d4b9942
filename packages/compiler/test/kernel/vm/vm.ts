import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ran, type Sandbox, succeeded } from '../sandbox/sandbox.js'

const BUILDER = fileURLToPath(new URL('build-image.mjs', import.meta.url))
const NEWLINE = 10

/** Additional requirements of a test: programs and folders of this machine, memory in MiB, and processors. */
interface Extras {
  readonly files: readonly string[]
  readonly memory: number
  readonly processors: number
}

const PLAIN: Extras = { files: [], memory: 512, processors: 1 }

/**
 * Boots a virtual machine with ip_vs in its kernel, by plain emulation. It does not need root, but QEMU, apt, and the
 * tools of this machine, which it copies. The machine ends with the tests, after two minutes without requests, and after `seconds`.
 */
export async function openVirtualMachine(seconds = 3600, extras: Extras = PLAIN): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'kube-rules-image-'))
  execFileSync(process.execPath, [BUILDER, folder, ...extras.files], { stdio: ['ignore', 'ignore', 'inherit'] })
  const qemu = ['qemu-system-x86_64', ...qemuArguments(folder, extras)]
  const child = spawn('timeout', ['--signal=KILL', String(seconds), ...qemu])
  const answers = readAnswers(child.stdout)
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', () => resolve({ status: null, stdout: '', stderr: 'the virtual machine ended' }))
  })
  try {
    await Promise.race([answers.ready, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  } finally {
    // The machine does not read its boot files again.
    rmSync(folder, { recursive: true })
  }

  let requests = 0
  const run = (script: string, input: string): Promise<Ran> => {
    const id = String(requests++)
    const [scriptBytes, inputBytes] = [Buffer.from(script), Buffer.from(input)]
    child.stdin.write(`${id} ${scriptBytes.length} ${inputBytes.length}\n`)
    child.stdin.write(Buffer.concat([scriptBytes, inputBytes]))
    return Promise.race([answers.to(id), ended])
  }
  return {
    run: (command, input = '') => run(quoted(command), input),
    start: async (command) => succeeded(await run(`${quoted(command)} > /dev/null 2>&1 &`, '')),
    close: async () => {
      child.kill()
      await ended
    },
  }
}

function qemuArguments(folder: string, { memory, processors }: Extras): readonly string[] {
  return [
    ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-M', 'q35'],
    ...['-m', String(memory), '-smp', String(processors)],
    ...['-display', 'none', '-no-reboot', '-nodefaults'],
    ...['-serial', `file:${join(folder, 'console')}`],
    ...['-chardev', 'stdio,id=agent,signal=off', '-serial', 'chardev:agent'],
    ...['-kernel', join(folder, 'kernel'), '-initrd', join(folder, 'initrd')],
    ...['-append', 'console=ttyS0 quiet loglevel=3 panic=-1'],
  ]
}

/** Formats a command as a line of shell. The path prevents busybox from using its own limited `ip`. */
function quoted(command: readonly string[]): string {
  const words = command.map((word) => (word === 'ip' ? '/usr/sbin/ip' : word))
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

interface Answers {
  readonly ready: Promise<void>
  /** Returns the result of the request with that number. */
  readonly to: (id: string) => Promise<Ran>
}

/** Reads `ready`, then for each request `ID STATUS LENGTH LENGTH` and outputs of these lengths. */
function readAnswers(stream: NodeJS.ReadableStream): Answers {
  const waiting = new Map<string, (ran: Ran) => void>()
  let received = Buffer.alloc(0)
  let setReady = () => {}
  const ready = new Promise<void>((resolve) => {
    setReady = resolve
  })
  stream.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    for (let answer = firstAnswer(received); answer !== undefined; answer = firstAnswer(received)) {
      received = received.subarray(answer.length)
      if (answer.id === 'ready') setReady()
      else waiting.get(answer.id)?.(answer.ran)
    }
  })
  return { ready, to: (id) => new Promise((resolve) => waiting.set(id, resolve)) }
}

function firstAnswer(
  received: Buffer,
): { readonly id: string; readonly ran: Ran; readonly length: number } | undefined {
  const end = received.indexOf(NEWLINE)
  if (end < 0) return undefined
  const [id = '', status, outputLength = 0, errorLength = 0] = received.toString('utf8', 0, end).trim().split(' ')
  const errorsAt = end + 1 + Number(outputLength)
  const length = errorsAt + Number(errorLength)
  if (received.length < length) return undefined
  const stdout = received.toString('utf8', end + 1, errorsAt)
  return { id, length, ran: { status: Number(status), stdout, stderr: received.toString('utf8', errorsAt, length) } }
}
