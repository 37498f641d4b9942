import { DiagnosticsError } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandExecutor, type CommandInvocation, runCommands } from '../../src/commands/run-commands.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { FamilyResult } from '../../src/compilation/compile-result.js'
import type { Dump } from '../../src/dataplane/node-state.js'
import { isEmptyPatch } from '../../src/diff/diff.js'
import { createTracker } from '../../src/tracker/tracker.js'
import type { TrackedObject, Tracker, TrackerOptions } from '../../src/tracker/tracker-types.js'
import { afterRuns, EMPTY_MACHINE, isThere, type Machine } from '../support/machine.js'
import { machineOf, textsOfMachine } from '../support/machine-of.js'
import { at, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'

const CONFIGURATION = { clusterCIDR: '10.244.0.0/16' }
const OPTIONS: TrackerOptions = { nodeName: 'node-1', families: ['IPv4'], configuration: CONFIGURATION }
const OLD_POD = '10.244.1.9'

/** A node that executes commands when they are due: `beforeCommand` is awaited before each command. */
function slowNode(start: Machine, beforeCommand: (count: number) => unknown) {
  let machine = start
  let executed = 0
  let running = 0
  const execute: CommandExecutor = async ({ tool, args, input, purpose, onNonZeroExit }: CommandInvocation) => {
    running += 1
    expect(running).toBe(1)
    await beforeCommand(executed++)
    running -= 1
    if (onNonZeroExit === 'runNext') return isThere(machine, { tool, args }) ? 0 : 1
    machine = afterRuns(machine, [{ tool, args, input, purpose, allowFailure: onNonZeroExit === 'ignore' }])
    return 0
  }
  return { execute, texts: () => textsOfMachine(machine), executed: () => executed }
}

function change(tracker: Tracker, ...addresses: readonly string[]): void {
  tracker.upsert(slice(at(...addresses)), 'EndpointSlice')
}

function expectedTexts(...addresses: readonly string[]) {
  const input = { services: [service()], endpointSlices: [slice(at(...addresses))], configuration: CONFIGURATION }
  return textsOfMachine(machineOf(compile(input, { nodeName: 'node-1', families: ['IPv4'] })))
}

function started(): Tracker {
  const tracker = createTracker(OPTIONS)
  tracker.upsert(service(), 'Service')
  change(tracker, OLD_POD)
  return tracker
}

/** The rules that an earlier process left on the node, and their dump. */
function leftovers(): { readonly machine: Machine; readonly dump: Dump } {
  const input = { services: [service()], endpointSlices: [slice(at(OLD_POD))], configuration: CONFIGURATION }
  const result = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
  const [{ state }] = result.families as readonly [FamilyResult]
  return { machine: machineOf(result), dump: { IPv4: state, IPv6: { family: 'IPv6' } } }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof DiagnosticsError ? error.diagnostics[0]?.code : String(error)
}

function codeThrownBy(call: () => unknown): string | undefined {
  try {
    call()
  } catch (error) {
    return codeOf(error)
  }
  return undefined
}

/** An order of two updates: the commands of the first update wait for something that happens after the second call. */
const FORCED_ORDERS: readonly (readonly [string, (tracker: Tracker, execute: CommandExecutor) => Promise<unknown>])[] =
  [
    [
      'the second call is made before the first command',
      async (tracker, execute) => {
        change(tracker, '10.244.1.1', '10.244.1.3')
        const first = tracker.run(execute)
        change(tracker, '10.244.1.1', '10.244.1.2')
        await Promise.all([first, tracker.run(execute)])
      },
    ],
    [
      'the second call is made from the first command',
      async (tracker, execute) => {
        let second: Promise<unknown> | undefined
        change(tracker, '10.244.1.1', '10.244.1.3')
        await tracker.run((command) => {
          change(tracker, '10.244.1.1', '10.244.1.2')
          second ??= tracker.run(execute)
          return execute(command)
        })
        await second
      },
    ],
    [
      'the first command fails',
      async (tracker, execute) => {
        change(tracker, '10.244.1.1', '10.244.1.3')
        const first = tracker.run(() => 4)
        change(tracker, '10.244.1.1', '10.244.1.2')
        const second = tracker.run(execute)
        expect(await first).toMatchObject({ ok: false })
        expect(await second).toMatchObject({ ok: true, update: { full: true } })
      },
    ],
    [
      'the first command throws',
      async (tracker, execute) => {
        change(tracker, '10.244.1.1', '10.244.1.3')
        const error = new Error('the tool is missing')
        const first = tracker.run(() => {
          throw error
        })
        change(tracker, '10.244.1.1', '10.244.1.2')
        const second = tracker.run(execute)
        expect(await first).toMatchObject({ ok: false, error })
        expect(await second).toMatchObject({ ok: true, update: { full: true } })
      },
    ],
    [
      'the first call cannot read the node',
      async (tracker, execute) => {
        change(tracker, '10.244.1.1', '10.244.1.3')
        const first = tracker.run(execute, { readNode: () => Promise.reject(new Error('iptables-save')) })
        change(tracker, '10.244.1.1', '10.244.1.2')
        const second = tracker.run(execute)
        await expect(first).rejects.toThrow('iptables-save')
        await second
      },
    ],
  ]

describe('run of a tracker', () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 1))

  describe.each([
    ['without a dump', false],
    ['after a dump', true],
  ])('%s', (_, hasDump) => {
    it.each(FORCED_ORDERS)('leaves the rules of the last objects on the node if %s', async (_, act) => {
      const { machine, dump } = leftovers()
      const node = slowNode(hasDump ? machine : EMPTY_MACHINE, pause)
      const tracker = started()
      expect(await tracker.run(node.execute, hasDump ? { readNode: () => dump } : {})).toMatchObject({ ok: true })
      await act(tracker, node.execute)
      expect(node.texts()).toEqual(expectedTexts('10.244.1.1', '10.244.1.2'))
      const later = tracker.sync()
      expect(later.full).toBe(false)
      expect(isEmptyPatch(later.patch)).toBe(true)
    })
  })

  it('leaves the rules of the last objects on the node for any number of calls and any delays', async () => {
    let overlaps = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pods: fc.nat(4), delay: fc.nat(3), fails: fc.boolean() }), { minLength: 2, maxLength: 8 }),
        async (steps) => {
          const node = slowNode(EMPTY_MACHINE, async (count) => {
            for (let wait = steps[count % steps.length]?.delay ?? 0; wait > 0; wait--) await Promise.resolve()
          })
          const tracker = started()
          const calls: Promise<unknown>[] = []
          let ended = 0
          for (const { pods, delay, fails } of steps) {
            change(tracker, ...Array.from({ length: pods }, (_, index) => `10.244.2.${index + 1}`))
            if (calls.length > ended) overlaps++
            calls.push(tracker.run(fails ? () => 4 : node.execute).finally(() => ended++))
            for (let wait = delay * 5; wait > 0; wait--) await Promise.resolve()
          }
          await Promise.all(calls)
          await tracker.run(node.execute)
          const pods = Array.from({ length: steps.at(-1)?.pods ?? 0 }, (_, index) => `10.244.2.${index + 1}`)
          expect(node.texts()).toEqual(expectedTexts(...pods))
        },
      ),
      { numRuns: runs(60) },
    )
    expect(overlaps).toBeGreaterThan(20)
  })

  it('rejects for an invalid configuration, and updates the node after a correction', async () => {
    const node = slowNode(EMPTY_MACHINE, pause)
    const tracker = started()
    const configure = (fields: object) =>
      tracker.upsert({ kind: 'KubeProxyConfiguration', ...fields } as unknown as TrackedObject)
    configure({ mode: 'winkernel' })
    const codes = await Promise.all([1, 2].map(() => tracker.run(node.execute).then(String, codeOf)))
    expect(codes).toEqual(['invalidConfiguration', 'invalidConfiguration'])
    configure(CONFIGURATION)
    expect(await tracker.run(node.execute)).toMatchObject({ ok: true })
    expect(node.texts()).toEqual(expectedTexts(OLD_POD))
  })

  it('runs no command if nothing has changed', async () => {
    const node = slowNode(EMPTY_MACHINE, pause)
    const tracker = started()
    await tracker.run(node.execute)
    const before = node.executed()
    expect(await tracker.run(node.execute)).toMatchObject({ ok: true, update: { full: false } })
    expect(node.executed()).toBe(before)
  })

  it('treats the update as failed if it is marked as failed while it runs', async () => {
    const node = slowNode(EMPTY_MACHINE, pause)
    const tracker = started()
    const first = await tracker.run((command) => {
      tracker.markFailed()
      return node.execute(command)
    })
    expect(first.ok).toBe(true)
    expect((await tracker.run(node.execute)).update.full).toBe(true)
    expect((await tracker.run(node.execute)).update.full).toBe(false)
  })

  it('rejects invalid arguments and changes nothing', async () => {
    const tracker = started()
    const invalid = [tracker.run(undefined as never), tracker.run(() => 0, 7 as never)]
    expect(await Promise.all(invalid.map((each) => each.then(String, codeOf)))).toEqual([
      'invalidArgument',
      'invalidArgument',
    ])
    await expect(tracker.run(() => 0, { backend: 'other' as never })).rejects.toThrow(DiagnosticsError)
    expect((await tracker.run(() => 0)).update.full).toBe(true)
  })
})

describe('an update that is not confirmed', () => {
  it('prevents another update until it is marked as applied', async () => {
    const node = slowNode(EMPTY_MACHINE, () => {})
    const tracker = started()
    const { patch } = tracker.sync()
    expect(codeThrownBy(() => tracker.sync())).toBe('unconfirmedUpdate')
    expect(codeThrownBy(() => tracker.resync(leftovers().dump))).toBe('unconfirmedUpdate')
    expect(await tracker.run(node.execute).then(String, codeOf)).toBe('unconfirmedUpdate')
    await runCommands(toCommands(patch), node.execute)
    tracker.markApplied()
    change(tracker, '10.244.1.1')
    expect(tracker.sync().full).toBe(false)
  })

  it('prevents another update until it is marked as failed', () => {
    const tracker = started()
    tracker.sync()
    tracker.markFailed()
    expect(tracker.sync().full).toBe(true)
  })

  it('prevents sync and resync while run executes commands', async () => {
    const node = slowNode(EMPTY_MACHINE, () => {})
    const tracker = started()
    const codes: (string | undefined)[] = []
    await tracker.run((command) => {
      tracker.markApplied()
      codes.push(
        codeThrownBy(() => tracker.sync()),
        codeThrownBy(() => tracker.resync(leftovers().dump)),
      )
      return node.execute(command)
    })
    expect(new Set(codes)).toEqual(new Set(['unconfirmedUpdate']))
    expect(isEmptyPatch(tracker.sync().patch)).toBe(true)
  })

  it('names the function and the remedy in its error', () => {
    const tracker = started()
    tracker.sync()
    expect(() => tracker.sync()).toThrow(
      'error: Function sync: the last update of sync is not confirmed (expected markApplied or markFailed after the commands of each update) [unconfirmedUpdate]',
    )
  })

  it('does not exist if the patch is empty', () => {
    const tracker = started()
    tracker.sync()
    tracker.markApplied()
    expect(isEmptyPatch(tracker.sync().patch)).toBe(true)
    expect(isEmptyPatch(tracker.sync().patch)).toBe(true)
  })
})
