import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Capability, REQUIRED, requireCapabilities, TRIALS } from './capabilities.js'
import { inNewNamespace, openSandbox, sandboxCommand, succeeded } from './sandbox.js'
import { iptablesTools } from './tools.js'

const NEEDS: readonly Capability[] = ['iptables-nft', 'network']

/** Returns the processes of the machine with a text in their command line. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

const untilGone = (text: string) => expect.poll(() => processesWith(text)).toEqual([])

it('a sandbox has its own rules and network namespaces', async (context) => {
  await requireCapabilities(context, NEEDS)
  const [one, other] = [openSandbox(), openSandbox()]
  const { restore, save } = iptablesTools('IPv4', 'nft')
  succeeded(await one.run([restore], '*filter\n:KUBE-WORLD - [0:0]\nCOMMIT\n'))
  succeeded(await one.run(['ip', 'netns', 'add', 'only-here']))
  expect((await one.run([save])).stdout).toContain('KUBE-WORLD')
  expect((await other.run([save])).stdout).toBe('')
  expect((await other.run(['ip', 'netns', 'list'])).stdout).toBe('')
  expect(await inNewNamespace(one, async (run) => (await run([save])).stdout)).toBe('')
  await Promise.all([one.close(), other.close()])
})

it('a closed sandbox ends all of its processes', async (context) => {
  await requireCapabilities(context, NEEDS)
  const sandbox = openSandbox()
  // Another run on this machine has another number.
  const marker = `sleep 1234.${process.pid}`
  await sandbox.start(['sh', '-c', `echo started; setsid ${marker}`])
  expect(processesWith(marker)).not.toEqual([])
  await sandbox.close()
  await untilGone(marker)
  expect((await sandbox.run(['true'])).status).toBeNull()
})

it('a sandbox ends if the process that opened it is killed', async (context) => {
  await requireCapabilities(context, NEEDS)
  const seconds = Number(`600.${process.pid}1`)
  const opener = spawn(process.execPath, ['-e', OPENER, ...sandboxCommand(seconds)])
  await once(opener.stdout, 'data')
  expect(processesWith(`agent.mjs ${seconds}`)).not.toEqual([])
  opener.kill('SIGKILL')
  await untilGone(`agent.mjs ${seconds}`)
})

/** Opens a sandbox and waits; prints the output of its first command. */
const OPENER = `
  const [program, ...args] = process.argv.slice(1)
  const sandbox = require('node:child_process').spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'] })
  sandbox.stdin.write(JSON.stringify({ id: 0, command: ['echo', 'open'] }) + String.fromCharCode(10))
`

it('a sandbox and its commands end after the timeout', async (context) => {
  await requireCapabilities(context, NEEDS)
  const sandbox = openSandbox({ seconds: 1 })
  const { status, stderr } = await sandbox.run(['sleep', '60'])
  expect({ status, stderr }).toEqual({ status: null, stderr: 'the namespace ended with status 124' })
})

it('each capability in KUBE_RULES_E2E_REQUIRE has a check', () => {
  expect(REQUIRED.filter((name) => !(name in TRIALS))).toEqual([])
})
