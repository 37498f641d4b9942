import type { CompileResult, IpFamily } from '@kube-rules/compiler'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { COUNTERS } from './machine.js'

/** `count` numbers from `start`, each `factor` times or `width` more than the one before. */
const exponential = (start: number, factor: number, count: number) =>
  Array.from({ length: count }, (_, at) => start * factor ** at)
const linear = (start: number, width: number, count: number) =>
  Array.from({ length: count }, (_, at) => start + width * at)

const SYNC_BUCKETS = exponential(0.001, 2, 15)
const PROGRAMMING_BUCKETS = [...linear(0.25, 0.25, 2), ...linear(1, 1, 59), ...linear(60, 5, 12), ...linear(120, 30, 7)]

const FAMILY = ['ip_family'] as const
const SYNC = 'SyncProxyRules latency in seconds'

/** Creates the metrics of kube-proxy, under their names and labels in 1.34 and newer. */
export function createMetrics(readCounters: () => Promise<ReadonlyMap<string, number>>, kubernetesVersion: string) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const common = (name: string, help: string) => ({ name: `kubeproxy_${name}`, help, registers })
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter<L>({ ...common(name, help), labelNames })
  const gauge = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Gauge<L>({ ...common(name, help), labelNames })
  const histogram = (name: string, help: string, buckets = SYNC_BUCKETS) =>
    new Histogram({ ...common(name, help), labelNames: FAMILY, buckets })
  new Gauge({
    name: 'kubernetes_build_info',
    help: 'The emulated version',
    labelNames: ['git_version'],
    registers,
  }).set({ git_version: kubernetesVersion }, 1)
  for (const [name, counterName] of Object.entries(COUNTERS)) {
    const custom: Gauge = new Gauge({
      ...{ name, help: 'Packets of a counter of nfacct', registers },
      collect: async () => {
        const packets = (await readCounters()).get(counterName)
        if (packets !== undefined) custom.set(packets)
      },
    })
  }
  const restores = 'sync_proxy_rules_iptables'
  return {
    registry,
    syncDuration: histogram('sync_proxy_rules_duration_seconds', SYNC),
    fullSyncDuration: histogram('sync_full_proxy_rules_duration_seconds', `${SYNC} for full resyncs`),
    partialSyncDuration: histogram('sync_partial_proxy_rules_duration_seconds', `${SYNC} for partial resyncs`),
    networkProgramming: histogram(
      'network_programming_duration_seconds',
      'In Cluster Network Programming Latency in seconds',
      PROGRAMMING_BUCKETS,
    ),
    lastSync: gauge(
      'sync_proxy_rules_last_timestamp_seconds',
      'The last time proxy rules were successfully synced',
      ...FAMILY,
    ),
    lastQueued: gauge(
      'sync_proxy_rules_last_queued_timestamp_seconds',
      'The last time a sync of proxy rules was queued',
      ...FAMILY,
    ),
    changes: {
      Service: counter('sync_proxy_rules_service_changes_total', 'Cumulative proxy rules Service changes'),
      EndpointSlice: counter('sync_proxy_rules_endpoint_changes_total', 'Cumulative proxy rules Endpoint changes'),
    },
    pending: {
      Service: gauge('sync_proxy_rules_service_changes_pending', 'Pending proxy rules Service changes'),
      EndpointSlice: gauge('sync_proxy_rules_endpoint_changes_pending', 'Pending proxy rules Endpoint changes'),
    },
    rulesTotal: gauge(`${restores}_total`, 'Total number of iptables rules owned by kube-proxy', 'ip_family', 'table'),
    rulesLast: gauge(
      `${restores}_last`,
      'Number of iptables rules written by kube-proxy in last sync',
      'ip_family',
      'table',
    ),
    restoreFailures: counter(
      `${restores}_restore_failures_total`,
      'Cumulative proxy iptables restore failures',
      ...FAMILY,
    ),
    partialRestoreFailures: counter(
      `${restores}_partial_restore_failures_total`,
      'Cumulative proxy iptables partial restore failures',
      ...FAMILY,
    ),
    nftablesFailures: counter(
      'sync_proxy_rules_nftables_sync_failures_total',
      'Cumulative proxy nftables sync failures',
      ...FAMILY,
    ),
    /** A failure of a clean-up is one of the update here, so that this stays without samples. */
    nftablesCleanUpFailures: counter(
      'sync_proxy_rules_nftables_cleanup_failures_total',
      'Cumulative proxy nftables cleanup failures',
      ...FAMILY,
    ),
    noLocalEndpoints: gauge(
      'sync_proxy_rules_no_local_endpoints_total',
      'Number of services with a Local traffic policy and no endpoints',
      'ip_family',
      'traffic_policy',
    ),
    conntrackDuration: histogram(
      'conntrack_reconciler_sync_duration_seconds',
      'Duration of the deletion of stale connections',
    ),
    conntrackDeleted: counter(
      'conntrack_reconciler_deleted_entries_total',
      'Cumulative conntrack flows deleted',
      ...FAMILY,
    ),
    healthz: counter('proxy_healthz_total', 'Cumulative proxy healthz HTTP status', 'code'),
    livez: counter('proxy_livez_total', 'Cumulative proxy livez HTTP status', 'code'),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** Sets the gauges that depend on the rules of a result only. */
export function recordResult(metrics: Metrics, { families }: CompileResult): void {
  for (const { family, state, plan } of families) {
    const ip_family = family
    for (const { name, blocks, jumps } of state.iptables?.tables ?? []) {
      const count = blocks.reduce((sum, { rules }) => sum + rules.length, jumps.length)
      metrics.rulesTotal.set({ ip_family, table: name }, count)
    }
    const missing = { internal: 0, external: 0 }
    for (const { frontends, pools } of plan.services) {
      if (pools.local.length > 0) continue
      const lacksLocal = frontends.filter(({ route }) => route.some(({ reason }) => reason === 'noLocalEndpoints'))
      if (lacksLocal.some(({ kind }) => kind === 'clusterIP')) missing.internal += 1
      if (lacksLocal.some(({ kind }) => kind !== 'clusterIP')) missing.external += 1
    }
    for (const [traffic_policy, count] of Object.entries(missing))
      metrics.noLocalEndpoints.set({ ip_family, traffic_policy }, count)
  }
}

/** Counts a failed command under the name that kube-proxy has for it. */
export function countFailure(metrics: Metrics, tool: string, input: string, isFull: boolean): void {
  const ip_family: IpFamily = tool.startsWith('ip6') || input.includes(' ip6 kube-proxy') ? 'IPv6' : 'IPv4'
  if (tool === 'nft') metrics.nftablesFailures.inc({ ip_family })
  else if (tool.includes('tables'))
    (isFull ? metrics.restoreFailures : metrics.partialRestoreFailures).inc({ ip_family })
}

/** Sets how many rules an input of iptables-restore has written, by table. */
export function recordWritten(metrics: Metrics, tool: string, input: string): void {
  if (!tool.endsWith('tables-restore')) return
  const ip_family: IpFamily = tool.startsWith('ip6') ? 'IPv6' : 'IPv4'
  for (const [, table = '', body = ''] of input.matchAll(/^\*(\w+)\n(.*?)^COMMIT$/gms)) {
    metrics.rulesLast.set({ ip_family, table }, body.match(/^-[AIR] /gm)?.length ?? 0)
  }
}
