import type { Diagnostic } from '@kube-rules/compiler'
import { expect, it } from 'vitest'
import { createLogger, type LogOptions } from '../src/log.js'
import { createDiagnosticLog } from '../src/log-diagnostics.js'

const NOW = Date.UTC(2026, 10, 29, 14, 13, 33, 7)

function logTo(lines: string[], options: LogOptions = {}) {
  return createLogger((line) => lines.push(line), { now: () => NOW, ...options })
}

it('the text format is that of klog', () => {
  const lines: string[] = []
  const log = logTo(lines)
  log.info('listed', { kind: 'Node', objects: 1, missing: undefined })
  log.warning('waiting "here"')
  log.error('a command failed', { error: 'busy\n' })
  const header = (level: string) => `${level}1129 14:13:33.007000 ${`${process.pid}`.padStart(7)} kube-rules-proxy:1]`
  expect(lines).toEqual([
    `${header('I')} "listed" kind="Node" objects=1\n`,
    `${header('W')} "waiting \\"here\\""\n`,
    `${header('E')} "a command failed" error="busy\\n"\n`,
  ])
})

it('the JSON format has the keys of Kubernetes, and errors have no verbosity', () => {
  const lines: string[] = []
  const log = logTo(lines, { format: 'json', verbosity: 4 })
  log.detail(4, 'a detail', { kind: 'Node' })
  log.error('a command failed', { error: 'busy', tool: 'nft' })
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ts: NOW, caller: 'kube-rules-proxy:1', msg: 'a detail', v: 4, kind: 'Node' },
    { ts: NOW, caller: 'kube-rules-proxy:1', msg: 'a command failed', tool: 'nft', err: 'busy' },
  ])
})

it.each([
  [0, 0],
  [3, 0],
  [4, 1],
])('with verbosity %i, %i lines of verbosity 4 are written', (verbosity, count) => {
  const lines: string[] = []
  logTo(lines, { verbosity }).detail(4, 'a detail')
  expect(lines).toHaveLength(count)
})

it('copies of a line within a minute are only counted', () => {
  const lines: string[] = []
  let now = NOW
  const log = logTo(lines, { now: () => now, format: 'json' })
  for (const seconds of [0, 20, 59, 60]) {
    now = NOW + seconds * 1000
    log.info('again')
  }
  expect(lines.map((line) => JSON.parse(line).repeated)).toEqual([undefined, 2])
})

const diagnostic = (severity: Diagnostic['severity'], kind: string, name: string): Diagnostic => {
  return { severity, code: 'deprecated', object: { kind, name }, message: 'is old', expected: undefined }
}

it('diagnostics of objects are details that are logged once; errors and those of the Node are always logged', () => {
  const lines: string[] = []
  const report = createDiagnosticLog(logTo(lines))
  const all = [
    ...[diagnostic('info', 'Service', 'a'), diagnostic('warning', 'EndpointSlice', 'b')],
    ...[diagnostic('error', 'Service', 'c'), diagnostic('warning', 'Node', 'node-1')],
  ]
  report(all)
  report([])
  report(all)
  expect(lines.map((line) => line.slice(line.indexOf('] ') + 2))).toEqual([
    '"an object has a problem" severity="error" diagnostic="Service c: is old [deprecated]"\n',
    '"the node has a problem" severity="warning" diagnostic="Node node-1: is old [deprecated]"\n',
    '"objects have problems; --v=4 lists them" problems=2\n',
  ])
})

it('--v lists the diagnostics of objects by severity', () => {
  const linesAt = (verbosity: number) => {
    const lines: string[] = []
    createDiagnosticLog(logTo(lines, { verbosity }))([
      diagnostic('info', 'Service', 'a'),
      diagnostic('warning', 'Service', 'b'),
    ])
    return lines.join('').match(/Service \w/g) ?? []
  }
  expect([0, 2, 4].map(linesAt)).toEqual([[], ['Service b'], ['Service a', 'Service b']])
})
