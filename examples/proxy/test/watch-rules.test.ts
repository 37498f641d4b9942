import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { SILENT } from '../bed/fake-node.js'
import { isReading, type StartRuleMonitor, watchRules } from '../src/watch-rules.js'

const NEWGEN = 'NEWGEN: GENID=7 PID=16 NAME=nft'
const TIMES = { late: 20, gap: 60, gapAfterEnd: 90, longestGap: 400, restart: 10 }

// A busy machine must not change the order of events.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const pause = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

/** Watches the lines of a monitor that the test writes. */
function watched({ isRead = false, becomesReady = true } = {}) {
  const monitor = { starts: 0, line: (_: string) => {}, ready: () => {}, end: (_: string) => {} }
  const start: StartRuleMonitor = ({ onLine, onReady, onEnd }) => {
    Object.assign(monitor, { starts: monitor.starts + 1, line: onLine, ready: onReady, end: onEnd })
    if (becomesReady) setImmediate(onReady)
    return { stop: () => {} }
  }
  const reports: number[] = []
  const log = { ...SILENT, warning: vi.fn() }
  const onForeignChange = () => reports.push(performance.now())
  const rules = watchRules({ start, onForeignChange, isRead: () => isRead, log, times: TIMES })
  onTestFinished(rules.stop)
  return { monitor, reports, rules, log }
}

it('a transaction of another program is reported, and several in a short time once', async () => {
  const { monitor, reports } = watched()
  for (let turn = 0; turn < 3; turn++) monitor.line(NEWGEN)
  monitor.line(' EVENT: -6 -t nat -D KUBE-SERVICES')
  await pause(50)
  expect(reports).toHaveLength(1)
  monitor.line(NEWGEN)
  await vi.waitFor(() => expect(reports).toHaveLength(2))
  expect(Number(reports[1]) - Number(reports[0])).toBe(60)
})

it.each([
  ['one table', 'add rule x', 1, 0],
  ['two tables', '*nat\nCOMMIT\n*filter\nCOMMIT\n', 2, 0],
  ['one table, and another program commits at the same time', '*nat\nCOMMIT\n', 2, 1],
])('own commands that commit %s', async (_, input, transactions, expected) => {
  const { monitor, reports, rules } = watched()
  const run = async () => {
    for (let turn = 0; turn < transactions; turn++) monitor.line(NEWGEN)
    return { status: 0, stdout: '', stderr: '' }
  }
  await rules.runOwn(run, 'iptables-restore', [], input)
  await pause(60)
  expect(reports).toHaveLength(expected)
})

it('a transaction that an own command did not commit hides no later one of another program', async () => {
  const { monitor, reports, rules } = watched()
  await rules.runOwn(async () => ({ status: 1, stdout: '', stderr: 'busy' }), 'nft', ['-f', '-'])
  await pause(30)
  const other = rules.runOwn(
    async () => {
      await pause(60)
      return { status: 0, stdout: '', stderr: '' }
    },
    'nft',
    ['-f', '-'],
  )
  for (let turn = 0; turn < 2; turn++) monitor.line(NEWGEN)
  await other
  expect(reports).toHaveLength(1)
})

it.each([
  ['take at most a hundredth of the time', 3, 300],
  ['delay no change for longer than the limit', 30, 400],
  ['of a large node take at most a tenth of the time', 60, 600],
])('reads of all rules %s', async (_, cost, gap) => {
  const { monitor, reports, rules } = watched()
  rules.setCost(cost)
  monitor.line(NEWGEN)
  await pause(50)
  monitor.line(NEWGEN)
  await pause(150)
  expect(reports).toHaveLength(1)
  await vi.waitFor(() => expect(reports).toHaveLength(2))
  expect(Number(reports[1]) - Number(reports[0])).toBe(gap)
})

it('a monitor that a large transaction ended is started again, and the rules are read', async () => {
  const { monitor, reports } = watched()
  monitor.line(NEWGEN)
  await vi.waitFor(() => expect(reports).toHaveLength(1))
  monitor.end('1')
  await vi.waitFor(() => expect(monitor.starts).toBe(2))
  await vi.waitFor(() => expect(reports).toHaveLength(2))
})

it('a monitor that a large own transaction ended is started again, and the rules are read, because others are lost', async () => {
  const { monitor, reports, rules } = watched()
  const run = async () => {
    monitor.end('1')
    return { status: 0, stdout: '', stderr: '' }
  }
  await rules.runOwn(run, 'nft', ['-f', '-'], 'add rule\n'.repeat(10_000))
  await vi.waitFor(() => expect(monitor.starts).toBe(2))
  await vi.waitFor(() => expect(reports).toHaveLength(1))
})

it.each([
  ['read', true, 1],
  ['not read', false, 0],
])('when the first monitor is ready after the rules were %s', async (_, isRead, expected) => {
  const { reports } = watched({ isRead })
  await pause(50)
  expect(reports).toHaveLength(expected)
})

it('the rules are read after the next monitor is ready, not before', async () => {
  const { monitor, reports } = watched({ becomesReady: false })
  monitor.ready()
  monitor.end('1')
  await vi.waitFor(() => expect(monitor.starts).toBe(2))
  await pause(150)
  expect(reports).toHaveLength(0)
  monitor.ready()
  await vi.waitFor(() => expect(reports).toHaveLength(1))
})

it('a monitor that was ready once is never given up, and the rules are read after each start', async () => {
  const { monitor, reports, log } = watched()
  await pause(0)
  for (let turn = 1; turn <= 8; turn++) {
    await vi.waitFor(() => expect(monitor.starts).toBe(turn))
    monitor.end('1')
  }
  await vi.waitFor(() => expect(monitor.starts).toBe(9))
  expect(log.warning).toHaveBeenCalledWith('xtables-monitor ends again and again', { error: '1' })
  await vi.waitFor(() => expect(reports.length).toBeGreaterThan(5))
})

it('large own transactions do not count as failures of a monitor', async () => {
  const { monitor, rules, log } = watched()
  const run = async () => {
    for (let turn = 1; turn <= 6; turn++) {
      await vi.waitFor(() => expect(monitor.starts).toBe(turn))
      monitor.end('1')
    }
    return { status: 0, stdout: '', stderr: '' }
  }
  await rules.runOwn(run, 'nft', ['-f', '-'], 'add rule\n'.repeat(10_000))
  await vi.waitFor(() => expect(monitor.starts).toBe(7))
  expect(log.warning).not.toHaveBeenCalled()
})

it('a monitor that does not work is given up with a warning', async () => {
  const { monitor, log, reports } = watched({ becomesReady: false })
  for (let turn = 1; turn <= 5; turn++) {
    await vi.waitFor(() => expect(monitor.starts).toBe(turn))
    monitor.end('spawn xtables-monitor ENOENT')
  }
  await pause(30)
  expect(monitor.starts).toBe(5)
  expect(reports).toEqual([])
  expect(log.warning).toHaveBeenCalledOnce()
})

it.each([
  ['nft', ['list', 'tables'], true],
  ['nft', ['-f', '-'], false],
  ['iptables-save', [], true],
  ['iptables', ['-w', '5', '-t', 'nat', '-S', 'KUBE-SERVICES'], true],
  ['iptables', ['-w', '5', '-t', 'nat', '-I', 'INPUT'], false],
  ['conntrack', ['-D'], true],
])('%s %j only reads: %s', (tool, args, expected) => {
  expect(isReading(tool, args)).toBe(expected)
})
