import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/commands/registry.js'
import { run } from '../support/run.js'

const hasShell = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

async function scriptOf(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['completion', shell])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

describe('completion', () => {
  it.each([
    [[], 'a shell is needed: bash, zsh or kubectl'],
    [['fish'], 'no completion for fish; expected bash, zsh or kubectl'],
    [['bash', 'zsh'], 'unexpected argument zsh'],
  ])('rejects the arguments %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await run(['completion', ...args])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe(`error: ${message}\nRun 'kube-rules completion --help' for help.\n`)
  })

  it.each(['bash', 'zsh'])('contains every command and option for %s', async (shell) => {
    const script = await scriptOf(shell)
    for (const { name, options } of commands) {
      expect(script).toMatch(new RegExp(`(^|['( ])${name}[:' )]`, 'm'))
      for (const option of Object.keys(await options())) expect(script).toContain(`--${option}`)
    }
  })
})

describe.skipIf(!hasShell('bash'))('completion in bash (skipped if bash is missing)', () => {
  it.each([
    [['pr'], ['print', 'prove']],
    [
      [''],
      ['print', 'diff', 'verify', 'explain', 'compare', 'doctor', 'prove', 'collect', 'completion', 'help', 'version'],
    ],
    [['help', 'ex'], ['explain']],
    [['print', '--fam'], ['--family']],
    [
      ['print', '--mode', ''],
      ['iptables', 'ipvs', 'nftables', 'userspace'],
    ],
    [['diff', 'a', '--mode', 'ipv'], ['ipvs']],
    [['verify', '-o', 'j'], ['json']],
    [['print', '-f', 'x'], []],
    [['diff', 'ol'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'kubectl'],
    ],
    [['frob', '-'], []],
  ])('completes the words %j to %j', async (words, completions) => {
    const script = await scriptOf('bash')
    const line = ['kube-rules', ...words].map((word) => `'${word}'`).join(' ')
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _kube_rules; printf '%s\\n' "\${COMPREPLY[@]}"`
    const output = execFileSync('bash', ['-c', `set -u; ${script}\n${ask}`], { encoding: 'utf8' })
    expect(output.split('\n').filter((word) => word !== '')).toEqual(completions)
  })
})

describe.skipIf(!hasShell('zsh'))('completion in zsh (skipped if zsh is missing)', () => {
  it('has valid syntax', async () => {
    execFileSync('zsh', ['-n', '-c', await scriptOf('zsh')])
  })
})
