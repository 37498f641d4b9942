import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../src/cli-context.js'
import { highlightChanges, shouldUseColor } from '../../src/report.js'
import { memoryFiles, runMissingTool, unattended } from '../support/run.js'

function contextOf(fields: Partial<CliContext> = {}, isTTY = true): CliContext {
  const stream = (tty: boolean) => ({ isTTY: tty, write: async () => {} })
  const readStdin = async () => new Uint8Array()
  return {
    ...unattended,
    args: [],
    env: {},
    stdout: stream(isTTY),
    stderr: stream(false),
    files: memoryFiles({}),
    readStdin,
    runTool: runMissingTool,
    startPhase: () => {},
    ...fields,
  }
}

describe('shouldUseColor', () => {
  it('checks the requested stream: standard output or standard error', () => {
    expect(shouldUseColor(contextOf(), 'stdout')).toBe(true)
    expect(shouldUseColor(contextOf(), 'stderr')).toBe(false)
  })

  it.each([
    ['a dumb terminal', { env: { TERM: 'dumb' } }],
    ['NO_COLOR', { env: { NO_COLOR: '1', TERM: 'xterm' } }],
    ['--no-color', { args: ['--no-color'] }],
  ])('returns false for %s', (_, fields) => {
    expect(shouldUseColor(contextOf(fields), 'stdout')).toBe(false)
  })

  it('returns true for other terminals if NO_COLOR is empty', () => {
    expect(shouldUseColor(contextOf({ env: { TERM: 'xterm', NO_COLOR: '' } }), 'stdout')).toBe(true)
  })
})

describe('highlightChanges', () => {
  const [green, red, end] = ['\u001b[32m', '\u001b[31m', '\u001b[39m']

  it.each([
    ['    + -A KUBE-X -j ACCEPT', `${green}    + -A KUBE-X -j ACCEPT${end}`],
    ['    - -A KUBE-X -j ACCEPT', `${red}    - -A KUBE-X -j ACCEPT${end}`],
    ['added default/x:http (IPv4)', `${green}added default/x:http (IPv4)${end}`],
    ['removed default/x:http', `${red}removed default/x:http${end}`],
    ['+2 -1 endpoints default/web:http', `${green}+2${end} ${red}-1${end} endpoints default/web:http`],
    ['changed default/web', 'changed default/web'],
    ['-A KUBE-X -j ACCEPT', '-A KUBE-X -j ACCEPT'],
    ['  nat/KUBE-X missing: no - way', '  nat/KUBE-X missing: no - way'],
    ['no drift', 'no drift'],
  ])('colors the line %j according to its change', (line, painted) => {
    expect(highlightChanges(contextOf(), `${line}\n${line}\n`)).toBe(`${painted}\n${painted}\n`)
    expect(highlightChanges(contextOf({}, false), line)).toBe(line)
  })
})
