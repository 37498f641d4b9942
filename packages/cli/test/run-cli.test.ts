import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { commands } from '../src/commands/registry.js'
import { run, systemError } from './support/run.js'

// The list of commands and usage errors must not load these modules. The help of one command may.
vi.mock('@kube-rules/compiler', () => {
  throw new Error('the compiler was loaded')
})
vi.mock('@kube-rules/types/schema', () => {
  throw new Error('the schemas were loaded')
})

const COMMANDS = 'there are print, diff, verify, explain, compare, doctor, prove, collect, completion'

describe('kube-rules', () => {
  it.each(['--version', '-V', 'version'])('%s prints the version of its package', async (word) => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(await run([word])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each(['--help', '-h', 'help'])('%s lists every command', async (option) => {
    const { exitCode, stdout, stderr } = await run([option])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: kube-rules COMMAND/)
    const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
    for (const { name, summary } of commands) expect(rows).toContainEqual([name, summary])
  })

  it.each([
    [[], 'a command is missing'],
    [['frob'], `unknown command frob; ${COMMANDS}`],
    [['--frob'], 'unknown option --frob; the first argument must be a command'],
    [['-f', 'a.yaml'], 'unknown option -f; the first argument must be a command'],
    [['constructor'], `unknown command constructor; ${COMMANDS}`],
    [['\u001b[2J'], `unknown command \\u001b[2J; ${COMMANDS}`],
    [['pirnt'], 'unknown command pirnt; did you mean print?'],
    [['Verify', '-f', 'x'], 'unknown command Verify; did you mean verify?'],
    [['versoin'], 'unknown command versoin; did you mean version?'],
    [['help', 'exlpain'], 'unknown command exlpain; did you mean explain?'],
    [['render', 'kind.json'], 'unknown command render; objects are given with -f: print -f kind.json'],
    [['my file.yaml'], "unknown command my file.yaml; objects are given with -f: print -f 'my file.yaml'"],
  ])('rejects the arguments %j', async (args, message) => {
    const stderr = `error: ${message}\nRun 'kube-rules --help' for help.\n`
    expect(await run(args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('exits quietly if the reader closes the pipe', async () => {
    const stdoutError = systemError('EPIPE', 'broken pipe')
    expect(await run(['--help'], { stdoutError })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  it('reports an error if the output cannot be written', async () => {
    const stdoutError = systemError('ENOSPC', 'no space left on device')
    const stderr = 'error: cannot write the output: no space left on device\n'
    expect(await run(['--help'], { stdoutError })).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('keeps its exit code if messages cannot be written', async () => {
    const stderrError = systemError('ENOSPC', 'no space left on device')
    expect(await run(['frob'], { stderrError })).toEqual({ exitCode: 2, stdout: '', stderr: '' })
  })

  it('prints no stack trace for an unexpected error', async () => {
    const stdoutError = new TypeError('x is not a function')
    const stderr = 'error: this is a bug in kube-rules: x is not a function\n'
    expect(await run(['--help'], { stdoutError })).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})
