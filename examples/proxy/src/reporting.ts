import { createProxyHealth, processBehaviorOf } from '@kube-rules/proxy-kit'
import { createEventRecorder } from './events.js'
import { createServiceHealth } from './health.js'
import { type Machine, readCounters } from './machine.js'
import { createMetrics } from './metrics.js'
import type { ProxyOptions } from './proxy.js'
import type { RunTool } from './run-tool.js'

export type Reporting = ReturnType<typeof createReporting>

/** Creates what reports the state of the proxy: its health, its metrics, events, and health-check node ports. */
export function createReporting(
  { connect, complete, mode, nodeName, kubernetesVersion, files, log }: ProxyOptions,
  machine: Machine,
  run: RunTool,
) {
  const { healthNeedsNode } = processBehaviorOf(kubernetesVersion)
  const health = createProxyHealth(2 * complete[mode].syncPeriod, { needsNode: healthNeedsNode })
  const metrics = createMetrics(machine.counters && (() => readCounters(run)), mode, () =>
    files.read('/proc/self/net/netstat'),
  )
  for (const ip_family of machine.families) metrics.conntrackDeleted.inc({ ip_family }, 0)
  const recordEvent = createEventRecorder(connect, nodeName, log, metrics.requests)
  const serviceHealth = createServiceHealth(health, log, ({ namespace, name, port }, error) => {
    const note = `node ${nodeName} failed to start healthcheck "${namespace}/${name}" on port ${port}: ${error}`
    recordEvent('Warning', 'FailedToStartServiceHealthcheck', 'Listen', note, { namespace, name })
  })
  return { health, metrics, recordEvent, serviceHealth }
}
