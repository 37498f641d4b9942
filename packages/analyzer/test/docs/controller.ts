import { applyRuns, createTracker, type Execute, script, type WatchEvent } from '@kube-rules/compiler'

const tracker = createTracker({ nodeName: 'node-1', configuration: { clusterCIDR: '10.244.0.0/16' } })

/** For every event of the watches. False for objects that no rules depend on. */
export function onEvent(event: WatchEvent): boolean {
  return tracker.apply(event)
}

/** For a moment after events came in. `execute` runs one tool and tells whether it ended with 0; false: try again. */
export async function sync(execute: Execute): Promise<boolean> {
  const { patch } = tracker.sync()
  const { ok } = await applyRuns(script(patch), execute)
  if (!ok) tracker.failed()
  return ok
}
