import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../src/commands/registry.js'
import { run } from './support/run.js'

describe.each(commands)('kube-rules $name', ({ name, options, usage, examples, exitCodes }) => {
  it('prints the same help as kube-rules help', async () => {
    expect(await run(['help', name])).toEqual(await run([name, '--help']))
    expect(await run(['help', '--no-color'])).toEqual(await run(['--help']))
  })

  it.each([['--help'], ['-h'], ['--frob', '--help']])('prints its help if the arguments are %s %s', async (...args) => {
    const { exitCode, stdout, stderr } = await run([name, ...args])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain(`Usage: kube-rules ${usage}\n`)
    for (const option of Object.keys(await options())) expect(stdout).toContain(` --${option}`)
    for (const example of examples) expect(stdout).toContain(`  ${example}\n`)
  })

  it('prints the meaning of its exit codes', async () => {
    const { stdout } = await run([name, '--help'])
    const rows = stdout.slice(stdout.indexOf('Exit codes:\n')).split('\n').slice(1, -1)
    const codes = rows.map((row) => row.trim().split('  ')[0])
    expect(codes).toEqual([...new Set([...exitCodes.map(([code]) => code), '2'])].sort())
    for (const [code, meaning] of exitCodes) expect(rows).toContain(`  ${code}  ${meaning}`)
  })

  it('prints help lines of at most 100 characters', async () => {
    const { stdout } = await run([name, '--help'])
    const tooLong = stdout.split('\n').filter((line) => line.length > 100)
    expect(tooLong).toEqual([])
  })

  it('has a reference page with every option', async () => {
    const text = readFileSync(new URL(`../../../docs/reference/cli/${name}.md`, import.meta.url), 'utf8')
    for (const option of Object.keys(await options())) expect(text).toContain(`--${option}`)
  })
})
