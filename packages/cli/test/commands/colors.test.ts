import { describe, expect, it } from 'vitest'
import { clusterJson, service, slice } from '../support/objects.js'
import { run, type Sandbox } from '../support/run.js'

const files = {
  'old.json': clusterJson(service('web', ['10.0.0.1'])),
  'new.json': clusterJson(service('x', ['10.0.0.2']), slice('x', '10.1.0.1')),
}
const [green, end] = ['\u001b[32m', '\u001b[39m']

const onTerminal = (args: readonly string[], sandbox: Sandbox = {}) =>
  run(args, { files, stdoutIsTTY: true, ...sandbox })

describe('colors in the output', () => {
  it('distinguish additions from removals in a summary', async () => {
    const { stdout } = await onTerminal(['diff', 'old.json', 'new.json', '--stat'])
    expect(stdout).toBe(`\u001b[31mremoved default/web:http${end}\n${green}added default/x:http${end}\n`)
  })

  it('distinguish additions from removals in a verify report', async () => {
    const { stdout: dump } = await run(['print', '-f', 'old.json', '--format', 'save'], { files })
    const args = ['verify', '-f', 'new.json', '--dump', 'dump', '--family', '4']
    const { stdout } = await onTerminal(args, { files: { ...files, dump } })
    expect(stdout).toContain(`${green}    + -A `)
    expect(stdout).toContain('\u001b[31m    - -A ')
    for (const other of [['--script'], ['-o', 'json'], ['--no-color']]) {
      expect((await onTerminal([...args, ...other], { files: { ...files, dump } })).stdout).not.toContain('\u001b')
    }
  })

  it('are not used in machine-readable text', async () => {
    for (const args of [
      ['print', '-f', 'new.json'],
      ['diff', 'old.json', 'new.json'],
      ['diff', 'old.json', 'new.json', '-o', 'json'],
    ]) {
      expect((await onTerminal(args)).stdout).not.toContain('\u001b')
    }
  })

  it.each(['dumb', 'xterm'])('depend on the type of the terminal: %s', async (TERM) => {
    const { stdout } = await onTerminal(['diff', 'old.json', 'new.json', '--stat'], { env: { TERM } })
    expect(stdout.includes('\u001b')).toBe(TERM !== 'dumb')
  })
})
