import type { Metrics } from './metrics.js'
import type { ApiObject } from './reflect.js'

const KINDS = ['Service', 'EndpointSlice'] as const

const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** Counts the changes of Services and EndpointSlices until an update has programmed them. */
export function createPendingChanges({ changes, pending }: Metrics, startTime: number) {
  const counts = { Service: 0, EndpointSlice: 0 }
  let triggers: number[] = []
  return {
    add: (changed: string, { metadata }: ApiObject, isGone: boolean): void => {
      const kind = KINDS.find((each) => each === changed)
      if (kind === undefined) return
      changes[kind].inc()
      pending[kind].inc()
      counts[kind] += 1
      const trigger = Date.parse(metadata.annotations?.[TRIGGER_TIME] ?? '')
      // A deleted object, and an object from before the start, have the time of an earlier change.
      if (kind === 'EndpointSlice' && !isGone && trigger > startTime) triggers.push(trigger)
    },
    /** Returns the changes so far, for an update that programs them. Later ones belong to the next update. */
    take: () => {
      const [taken, seen] = [triggers, { ...counts }]
      triggers = []
      return {
        /** The times when the changes were triggered. */
        triggers: taken,
        markProgrammed: (): void => {
          for (const kind of KINDS) {
            pending[kind].dec(seen[kind])
            counts[kind] -= seen[kind]
          }
        },
        markFailed: (): void => {
          triggers = [...taken, ...triggers]
        },
      }
    },
  }
}
