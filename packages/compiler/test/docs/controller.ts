import { createTracker, type Run, script, type WatchEvent } from '@kube-rules/compiler'

const tracker = createTracker({ nodeName: 'node-1', configuration: { clusterCIDR: '10.244.0.0/16' } })

/** For every event of the watches. False for objects that no rules depend on. */
export function onEvent(event: WatchEvent): boolean {
  return tracker.apply(event)
}

/** For a moment after events came in. `make` tells whether a tool succeeded; false: try again. */
export async function sync(make: (run: Run) => Promise<boolean>): Promise<boolean> {
  const { patch, full } = tracker.sync()
  for (const run of script(patch, { ensure: full })) {
    if (run.unless !== undefined && (await make({ ...run, args: run.unless }))) continue
    if ((await make(run)) || run.mayFail) continue
    tracker.failed()
    return false
  }
  return true
}
