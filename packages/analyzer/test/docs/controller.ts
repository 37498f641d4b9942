import { type CommandExecutor, createTracker, type WatchEvent } from '@kube-rules/compiler'

const tracker = createTracker({ nodeName: 'node-1', configuration: { clusterCIDR: '10.244.0.0/16' } })

/** Handles an event of the watches. Returns false for objects that do not affect rules. */
export function onEvent(event: WatchEvent): boolean {
  return tracker.apply(event)
}

/**
 * Synchronizes the rules shortly after events. `execute` runs one tool and returns its exit status. If the result is
 * false, try again.
 */
export async function sync(execute: CommandExecutor): Promise<boolean> {
  const { ok } = await tracker.run(execute)
  return ok
}
