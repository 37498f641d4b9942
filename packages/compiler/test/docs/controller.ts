import { createTracker, plan, type Run, type WatchEvent } from '@kube-rules/compiler'

const tracker = createTracker({ nodeName: 'node-1', configuration: { clusterCIDR: '10.244.0.0/16' } })

/** For every event of the watches. False for objects that no rules depend on. */
export function onEvent(event: WatchEvent): boolean {
  return tracker.apply(event)
}

/** For a moment after events came in. `run` tells whether a tool succeeded; false: try again. */
export async function sync(run: (stage: Run) => Promise<boolean>): Promise<boolean> {
  const { patch, full } = tracker.sync()
  for (const stage of plan(patch, { ensure: full })) {
    if (stage.unless !== undefined && (await run({ ...stage, args: stage.unless }))) continue
    if ((await run(stage)) || stage.mayFail) continue
    tracker.failed()
    return false
  }
  return true
}
