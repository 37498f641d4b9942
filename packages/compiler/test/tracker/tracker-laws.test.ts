import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ScriptPatchOptions, script } from '../../src/commands/script.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { Run } from '../../src/dataplane/netfilter/run.js'
import { diff, isEmpty, type ResultPatch } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { createTracker, type TrackedKind, type TrackedObject, type Tracker } from '../../src/tracker/tracker.js'
import type { Cluster } from '../support/clusters.js'
import { type History, histories } from '../support/edits.js'
import { afterRuns, EMPTY_MACHINE, type Machine } from '../support/machine.js'
import { machineOf, textsOfMachine } from '../support/machine-of.js'
import { runs } from '../support/runs.js'

/** A patch without the order of its changes, of which several do the same. */
function unordered({ families }: ResultPatch): readonly object[] {
  return families.map(({ patch, ...rest }) => ({
    ...rest,
    patch: { ...patch, changes: patch.changes.map((change) => JSON.stringify(change)).sort() },
  }))
}

/** Without what the commands have to know of the node. */
function withoutStart(patch: object): object {
  return { ...patch, start: undefined }
}

type TrackedObjects = ReadonlyMap<string, readonly [TrackedKind, TrackedObject]>

/** The objects of an input by kind. */
function listsOf(cluster: Cluster): readonly (readonly [TrackedKind, readonly TrackedObject[]])[] {
  return [
    ['Service', cluster.services],
    ['EndpointSlice', cluster.endpointSlices],
    ['Endpoints', cluster.endpoints],
    ['Node', cluster.nodes],
    ['ServiceCIDR', cluster.serviceCIDRs],
    ['KubeProxyConfiguration', [cluster.configuration]],
  ]
}

/** What a tracker that is told of an input holds: of objects with one name the last. */
function trackedObjects(cluster: Cluster): TrackedObjects {
  const objects = listsOf(cluster).flatMap(([kind, list]) => list.map((object) => [kind, object] as const))
  return new Map(objects.map((each) => [keyOf(each), each]))
}

function keyOf([kind, object]: readonly [TrackedKind, TrackedObject]): string {
  const { metadata } = { ...(object as Service) }
  return `${kind} ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

/** Tells the tracker of what is gone, and of what is another object than before. */
function tell(tracker: Tracker, before: TrackedObjects, after: TrackedObjects): void {
  for (const [key, [kind, object]] of before) if (!after.has(key)) tracker.delete(object, kind)
  for (const [key, [kind, object]] of after) if (before.get(key)?.[1] !== object) tracker.upsert(object, kind)
}

/** The updates of a history that a tracker follows, each told to `onSync`. */
function follow(
  { inputs, options }: History,
  onSync: (update: ReturnType<Tracker['sync']>, held: TrackedObjects, tracker: Tracker) => void,
): void {
  const tracker = createTracker({ ...options, host: inputs[0]?.host })
  let held: TrackedObjects = new Map()
  for (const input of inputs) {
    const next = trackedObjects(input)
    tell(tracker, held, next)
    held = next
    onSync(tracker.sync(), held, tracker)
  }
}

/**
 * The machine after those of the runs that succeed. Where there are leftovers of a script that failed, a chain may not be
 * deleted, because one that nobody knows of leads to it.
 */
function runSome(start: Machine, runs: readonly Run[], mayFail: boolean) {
  let machine = start
  for (const [count, run] of runs.entries()) {
    try {
      machine = afterRuns(machine, [run])
    } catch (error) {
      if (!mayFail || !/ leads to /.test(String(error))) throw error
      return { machine, count }
    }
  }
  return { machine, count: runs.length }
}

const scriptOptions: fc.Arbitrary<ScriptPatchOptions> = fc.record({ backend: fc.constantFrom('nft', 'legacy') })

describe('a tracker', () => {
  it('leads a machine through a history to what a full load gives each time', () => {
    fc.assert(
      fc.property(histories, scriptOptions, (history, options) => {
        let machine = EMPTY_MACHINE
        follow(history, ({ patch, result }) => {
          machine = afterRuns(machine, script(patch, options))
          expect(textsOfMachine(machine)).toEqual(textsOfMachine(machineOf(result)))
        })
      }),
      { numRuns: runs(20) },
    )
  })

  it('comes to what a compile of everything it holds comes to', () => {
    fc.assert(
      fc.property(histories, (history) => {
        follow(history, ({ result }, held) => {
          const listOf = (wanted: TrackedKind) =>
            [...held.values()].flatMap(([kind, each]) => (kind === wanted ? [each] : []))
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

  it('has nothing to do where it is told the same again', () => {
    fc.assert(
      fc.property(histories, (history) => {
        follow(history, ({ result }, held, tracker) => {
          for (const [kind, object] of held.values()) tracker.upsert(object, kind)
          const again = tracker.sync()
          expect(again.result).toEqual(result)
          expect(isEmpty(again.patch)).toBe(true)
        })
      }),
      { numRuns: runs(8) },
    )
  })

  it('that is told of lists comes to what a new one comes to, and to the same patch', () => {
    let changed = 0
    fc.assert(
      fc.property(histories, (history) => {
        const { host } = history.inputs[0] as Cluster
        const relisted = createTracker({ ...history.options, host })
        let applied: CompileResult | undefined
        for (const input of history.inputs) {
          const fresh = createTracker({ ...history.options, host })
          for (const [kind, items] of listsOf(input)) {
            relisted.replace(kind, items)
            fresh.replace(kind, items)
          }
          const update = relisted.sync()
          const { result } = fresh.sync()
          expect(update.result).toEqual(result)
          const wanted = applied === undefined ? reconcile(undefined, result) : diff(applied, result)
          expect(unordered(update.patch).map(withoutStart)).toEqual(unordered(wanted).map(withoutStart))
          applied = update.result
          if (!update.full && !isEmpty(update.patch)) changed++
        }
      }),
      { numRuns: 15 },
    )
    expect(changed).toBeGreaterThan(5)
  })

  it('that is told of lists comes to what one that is told of each change comes to', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const relisted = createTracker({ ...history.options, host: history.inputs[0]?.host })
        const inputs = [...history.inputs]
        follow(history, ({ result, patch }) => {
          for (const [kind, items] of listsOf(inputs.shift() as Cluster)) relisted.replace(kind, items)
          const update = relisted.sync()
          expect(update.result).toEqual(result)
          expect(unordered(update.patch)).toEqual(unordered(patch))
        })
      }),
      { numRuns: runs(8) },
    )
  })

  it('sets right whatever runs that failed on their way left behind', () => {
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
            const runs = script(patch, options)
            const cut = (cuts[count++] ?? 0) % 3 === 0 ? (cuts[count] ?? 0) % (runs.length + 1) : runs.length
            const ran = runSome(machine, runs.slice(0, cut), hasLeftovers)
            machine = ran.machine
            if (ran.count === runs.length) return
            hasLeftovers = true
            tracker.failed()
            const retry = tracker.sync()
            expect(retry.full).toBe(true)
            machine = afterRuns(machine, script(retry.patch, options))
            const want = textsOfMachine(machineOf(retry.result))
            expect(textsOfMachine(machine)).toMatchObject(want)
          })
        },
      ),
      { numRuns: runs(20) },
    )
  })
})
