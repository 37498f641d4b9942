import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompileResult, compile } from '../src/compile.js'
import type { Stage } from '../src/dataplane/netfilter/stage.js'
import { type ApplyPlanOptions, isEmpty, plan } from '../src/result-patch.js'
import { createTracker, type TrackedKind, type TrackedObject, type Tracker } from '../src/tracker.js'
import type { Cluster } from './support/clusters.js'
import { type History, histories } from './support/edits.js'
import { loaded, textsOf } from './support/iptables-states.js'
import { EMPTY_MACHINE, type Machine, runStages } from './support/machine.js'
import { iptablesStates } from './support/renderings.js'

type TrackedObjects = ReadonlyMap<string, readonly [TrackedKind, TrackedObject]>

/** What a tracker that is told of an input holds: of objects with one name the last. */
function trackedObjects(cluster: Cluster): TrackedObjects {
  const listed: readonly (readonly [TrackedKind, readonly unknown[]])[] = [
    ['Service', cluster.services],
    ['EndpointSlice', cluster.endpointSlices],
    ['Endpoints', cluster.endpoints],
    ['Node', cluster.nodes],
    ['KubeProxyConfiguration', [cluster.configuration]],
  ]
  const objects = listed.flatMap(([kind, list]) => list.map((object) => [kind, object as TrackedObject] as const))
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

/** The updates of a history that a tracker follows, each told to `onSync` with its plan. */
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

/** The machine on which nothing but the full text of a result was loaded. */
function loadedMachine(result: CompileResult): Machine {
  const tables = iptablesStates(result).map((state) => [state.family, loaded(state)])
  return { ...EMPTY_MACHINE, ...Object.fromEntries(tables) }
}

function textsOfMachine({ IPv4, IPv6 }: Machine) {
  return { IPv4: textsOf(IPv4), IPv6: textsOf(IPv6) }
}

/**
 * The machine after those of the runs that succeed. Where there are leftovers of a plan that failed, a chain may not be
 * deleted, because one that nobody knows of leads to it.
 */
function runSome(start: Machine, stages: readonly Stage[], mayFail: boolean) {
  let machine = start
  for (const [count, stage] of stages.entries()) {
    try {
      machine = runStages(machine, [stage])
    } catch (error) {
      if (!mayFail || !/ leads to /.test(String(error))) throw error
      return { machine, count }
    }
  }
  return { machine, count: stages.length }
}

const planOptions: fc.Arbitrary<ApplyPlanOptions> = fc.record({ backend: fc.constantFrom('nft', 'legacy') })

describe('a tracker', () => {
  it('leads a machine through a history to what a full load gives each time', () => {
    fc.assert(
      fc.property(histories, planOptions, (history, options) => {
        let machine = EMPTY_MACHINE
        follow(history, ({ patch, result }) => {
          machine = runStages(machine, plan(patch, options))
          expect(textsOfMachine(machine)).toEqual(textsOfMachine(loadedMachine(result)))
        })
      }),
      { numRuns: 20 },
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
            configuration: listOf('KubeProxyConfiguration')[0],
            host: history.inputs[0]?.host,
          } as Cluster
          expect(result).toEqual(compile(input, history.options))
        })
      }),
      { numRuns: 8 },
    )
  })

  it('has nothing to do where it is told the same again', () => {
    fc.assert(
      fc.property(histories, (history) => {
        follow(history, ({ result }, held, tracker) => {
          for (const [kind, object] of held.values()) tracker.upsert(object, kind)
          const again = tracker.sync()
          expect(again.result).toBe(result)
          expect(isEmpty(again.patch)).toBe(true)
        })
      }),
      { numRuns: 8 },
    )
  })

  it('sets right whatever a plan that failed on its way left behind', () => {
    fc.assert(
      fc.property(
        histories,
        planOptions,
        fc.array(fc.nat(30), { minLength: 7, maxLength: 7 }),
        (history, options, cuts) => {
          let machine = EMPTY_MACHINE
          let count = 0
          let hasLeftovers = false
          follow(history, ({ patch, full }, _, tracker) => {
            const stages = plan(patch, { ...options, ensure: full })
            const cut = (cuts[count++] ?? 0) % 3 === 0 ? (cuts[count] ?? 0) % (stages.length + 1) : stages.length
            const ran = runSome(machine, stages.slice(0, cut), hasLeftovers)
            machine = ran.machine
            if (ran.count === stages.length) return
            hasLeftovers = true
            tracker.failed()
            const retry = tracker.sync()
            expect(retry.full).toBe(true)
            machine = runStages(machine, plan(retry.patch, { ...options, ensure: true }))
            const want = textsOfMachine(loadedMachine(retry.result))
            expect(textsOfMachine(machine)).toMatchObject(want)
          })
        },
      ),
      { numRuns: 20 },
    )
  })
})
