import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { type CommandOptions, toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import { diff, isEmptyPatch, type ResultPatch } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { createTracker } from '../../src/tracker/tracker.js'
import type { TrackedObject, TrackedObjectKind, Tracker, TrackerUpdate } from '../../src/tracker/tracker-types.js'
import { type History, histories } from '../support/edits.js'
import { afterRuns, EMPTY_MACHINE, type Machine } from '../support/machine.js'
import { machineAfter, machineOf, textsOfMachine, withoutPreservedJumps } from '../support/machine-of.js'
import { isWhole, runs } from '../support/runs.js'

/** Removes the order of a patch's changes, because several orders are equivalent. */
function unordered({ families }: ResultPatch): readonly object[] {
  return families.map(({ patch, ...rest }) => ({
    ...rest,
    patch: { ...patch, changes: patch.changes.map((change) => JSON.stringify(change)).sort() },
  }))
}

/** Omits the facts about the node that only the commands need. */
function withoutFacts(patch: object): object {
  return { ...patch, start: undefined, keepsSharedChains: undefined }
}

/**
 * Generates histories in which the Nodes of the first input stay and only change their labels. A tracker keeps the
 * addresses and networks of its first Node, unlike `compile`: `node-start.test.ts` covers these.
 */
const historiesOfSteadyNodes: fc.Arbitrary<History> = histories.map((history) => {
  const first = history.inputs[0]?.nodes ?? []
  const inputs = history.inputs.map((input) => {
    const nodes = first.map((node) => {
      const name = node.metadata?.name
      const next = input.nodes.find(({ metadata }) => metadata?.name === name) ?? node
      return { ...node, metadata: { name, labels: next.metadata?.labels } }
    })
    return { ...input, nodes }
  })
  return { ...history, inputs }
})

type TrackedObjects = ReadonlyMap<string, readonly [TrackedObjectKind, TrackedObject]>

/** Returns the objects of an input by kind. */
function listsOf(cluster: Cluster): readonly (readonly [TrackedObjectKind, readonly TrackedObject[]])[] {
  return [
    ['Service', cluster.services],
    ['EndpointSlice', cluster.endpointSlices],
    ['Endpoints', cluster.endpoints],
    ['Node', cluster.nodes],
    ['ServiceCIDR', cluster.serviceCIDRs],
    ['KubeProxyConfiguration', [cluster.configuration]],
  ]
}

/**
 * Returns the objects that a tracker has after an input. If several objects have the same name, the tracker has the
 * last object.
 */
function trackedObjects(cluster: Cluster): TrackedObjects {
  const objects = listsOf(cluster).flatMap(([kind, list]) => list.map((object) => [kind, object] as const))
  return new Map(objects.map((each) => [keyOf(each), each]))
}

function keyOf([kind, object]: readonly [TrackedObjectKind, TrackedObject]): string {
  const { metadata } = { ...(object as Service) }
  const { namespace, name }: Readonly<Record<string, unknown>> = { ...metadata }
  // A tracker has one object without a name: names that are not text do not identify an object.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  return `${kind} ${textOf(namespace)}/${textOf(name)}`
}

/** Reports deleted objects and objects with a new identity to the tracker. */
function tell(tracker: Tracker, before: TrackedObjects, after: TrackedObjects): void {
  for (const [key, [kind, object]] of before) if (!after.has(key)) tracker.delete(object, kind)
  for (const [key, [kind, object]] of after) if (before.get(key)?.[1] !== object) tracker.upsert(object, kind)
}

/** Returns an update, and marks it as applied. A test of a failed update marks it as failed later. */
function sync(tracker: Tracker): TrackerUpdate {
  const update = tracker.sync()
  tracker.markApplied()
  return update
}

/** Applies a history to a tracker, and calls `onSync` for each update. */
function follow(
  { inputs, options }: History,
  onSync: (update: TrackerUpdate, held: TrackedObjects, tracker: Tracker) => void,
): void {
  const tracker = createTracker({ ...options, host: inputs[0]?.host })
  let held: TrackedObjects = new Map()
  for (const input of inputs) {
    const next = trackedObjects(input)
    tell(tracker, held, next)
    held = next
    onSync(sync(tracker), held, tracker)
  }
}

/** Expects that the commands of each patch of a history leave the rules of a full load. */
function expectStateOfFullLoad(history: History, options: CommandOptions): void {
  let machine = EMPTY_MACHINE
  let previous: CompileResult | undefined
  follow(history, ({ patch, result }) => {
    const expected = machineAfter({ machine, previous, next: result, patch })
    machine = afterRuns(machine, toCommands(patch, options))
    const [found, wanted] = [machine, expected].map((each) => textsOfMachine(withoutPreservedJumps(each, patch)))
    expect(found).toEqual(wanted)
    previous = result
  })
}

function hasNewFamily(previous: CompileResult, next: CompileResult): boolean {
  return next.families.some(({ family }) => previous.families.every((each) => each.family !== family))
}

/**
 * Runs commands until the first failure. After a failed script the deletion of a chain may fail, because an unknown
 * leftover chain jumps to it.
 */
function runSome(start: Machine, commands: readonly ToolCommand[], allowFailure: boolean) {
  let machine = start
  for (const [count, command] of commands.entries()) {
    try {
      machine = afterRuns(machine, [command])
    } catch (error) {
      if (!allowFailure || !/ leads to /.test(String(error))) throw error
      return { machine, count }
    }
  }
  return { machine, count: commands.length }
}

const scriptOptions: fc.Arbitrary<CommandOptions> = fc.record({ backend: fc.constantFrom('nft', 'legacy') })

describe('a tracker', () => {
  it('returns patches that keep a node in the state of a full load during a whole history', () => {
    fc.assert(fc.property(histories, scriptOptions, expectStateOfFullLoad), { numRuns: runs(20) })
  })

  it('preserves the rule of KUBE-FIREWALL that an earlier patch preserved if nothing changes', () => {
    const none = { services: [], endpointSlices: [], endpoints: [], nodes: [], serviceCIDRs: [], host: undefined }
    const guarded: Cluster = { ...none, configuration: {} }
    const unguarded: Cluster = { ...none, configuration: { iptables: { localhostNodePorts: false } } }
    expectStateOfFullLoad(
      {
        inputs: [guarded, unguarded, { ...unguarded }],
        options: { mode: 'iptables', nodeName: 'node-1', kubernetesVersion: '1.33' },
      },
      { backend: 'nft' },
    )
  })

  it('returns the result of compile for all its objects', () => {
    fc.assert(
      fc.property(historiesOfSteadyNodes, (history) => {
        follow(history, ({ result }, held) => {
          const listOf = (expected: TrackedObjectKind) =>
            [...held.values()].flatMap(([kind, each]) => (kind === expected ? [each] : []))
          const input = {
            services: listOf('Service'),
            endpointSlices: listOf('EndpointSlice'),
            endpoints: listOf('Endpoints'),
            nodes: listOf('Node'),
            serviceCIDRs: listOf('ServiceCIDR'),
            configuration: listOf('KubeProxyConfiguration')[0],
            host: history.inputs[0]?.host,
          } as Cluster
          expect(result).toEqual(compile(input, history.options))
        })
      }),
      { numRuns: runs(8) },
    )
  })

  it('returns an empty patch if the objects are unchanged', () => {
    fc.assert(
      fc.property(histories, (history) => {
        follow(history, ({ result }, held, tracker) => {
          for (const [kind, object] of held.values()) tracker.upsert(object, kind)
          const again = sync(tracker)
          expect(again.result).toEqual(result)
          expect(isEmptyPatch(again.patch)).toBe(true)
        })
      }),
      { numRuns: runs(8) },
    )
  })

  it('returns the same results for complete lists as a new tracker does', () => {
    let changed = 0
    fc.assert(
      fc.property(historiesOfSteadyNodes, (history) => {
        const { host } = history.inputs[0] as Cluster
        const relisted = createTracker({ ...history.options, host })
        let applied: CompileResult | undefined
        for (const input of history.inputs) {
          const fresh = createTracker({ ...history.options, host })
          for (const [kind, items] of listsOf(input)) {
            relisted.replace(kind, items)
            fresh.replace(kind, items)
          }
          const update = sync(relisted)
          const { result } = sync(fresh)
          expect(update.result).toEqual(result)
          expect(update.full).toBe(applied === undefined || hasNewFamily(applied, result))
          // An update for a new family also removes what an earlier kube-proxy may have left, which the patch law checks.
          if (applied === undefined || !update.full) {
            const expected = applied === undefined ? reconcile(undefined, result) : diff(applied, update.result)
            expect(unordered(update.patch).map(withoutFacts)).toEqual(unordered(expected).map(withoutFacts))
          }
          applied = update.result
          if (!update.full && !isEmptyPatch(update.patch)) changed++
        }
      }),
      { numRuns: runs(15) },
    )
    if (isWhole) expect(changed).toBeGreaterThan(5)
  })

  it('returns the same results for complete lists as it does for individual changes', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const relisted = createTracker({ ...history.options, host: history.inputs[0]?.host })
        const inputs = [...history.inputs]
        follow(history, ({ result, patch }) => {
          for (const [kind, items] of listsOf(inputs.shift() as Cluster)) relisted.replace(kind, items)
          const update = sync(relisted)
          expect(update.result).toEqual(result)
          expect(unordered(update.patch)).toEqual(unordered(patch))
        })
      }),
      { numRuns: runs(8) },
    )
  })

  it('returns a patch that repairs the node after commands were interrupted', () => {
    fc.assert(
      fc.property(
        histories,
        scriptOptions,
        fc.array(fc.nat(30), { minLength: 7, maxLength: 7 }),
        (history, options, cuts) => {
          let machine = EMPTY_MACHINE
          let count = 0
          let hasLeftovers = false
          follow(history, ({ patch }, _, tracker) => {
            const commands = toCommands(patch, options)
            const cut = (cuts[count++] ?? 0) % 3 === 0 ? (cuts[count] ?? 0) % (commands.length + 1) : commands.length
            const ran = runSome(machine, commands.slice(0, cut), hasLeftovers)
            machine = ran.machine
            if (ran.count === commands.length) return
            hasLeftovers = true
            tracker.markFailed()
            const retry = sync(tracker)
            expect(retry.full).toBe(true)
            machine = afterRuns(machine, toCommands(retry.patch, options))
            const want = textsOfMachine(machineOf(retry.result))
            expect(textsOfMachine(machine)).toMatchObject(want)
          })
        },
      ),
      { numRuns: runs(20) },
    )
  })
})
