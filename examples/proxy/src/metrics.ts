import type { CompileResult, IpFamily, ProxyMode } from '@kube-rules/compiler'
import { countServicesWithoutLocalEndpoints, type NetworkBytes, parseNetworkBytes } from '@kube-rules/proxy-kit'
import {
  Counter,
  collectDefaultMetrics,
  exponentialBuckets,
  Gauge,
  Histogram,
  linearBuckets,
  Registry,
} from 'prom-client'
import { COUNTERS } from './machine.js'
import { createRequestMetrics } from './request-metrics.js'

const SYNC_BUCKETS = exponentialBuckets(0.001, 2, 15)
const PROGRAMMING_BUCKETS = [
  linearBuckets(0.25, 0.25, 2),
  linearBuckets(1, 1, 59),
  linearBuckets(60, 5, 12),
  linearBuckets(120, 30, 7),
].flat()

const FAMILY = ['ip_family'] as const

/** The labels of `kubernetes_build_info`. Those of the build of kube-proxy are empty. */
const BUILD_LABELS = [
  ...[
    'major',
    'minor',
    'git_version',
    'git_commit',
    'git_tree_state',
    'build_date',
    'go_version',
    'compiler',
    'platform',
  ],
] as const

export type CounterReader = () => Promise<ReadonlyMap<string, number> | undefined>

/** Adds the metrics that Go adds for a process, besides those of `prom-client`. */
function addNetworkMetrics(registry: Registry, readBytes: () => NetworkBytes | undefined): void {
  const add = (name: string, help: string, field: keyof NetworkBytes) => {
    const bytes: Counter = new Counter({
      ...{ name: `process_network_${name}_bytes_total`, help, registers: [registry] },
      collect: () => {
        bytes.reset()
        bytes.inc(readBytes()?.[field] ?? 0)
      },
    })
  }
  add('receive', 'Bytes that the network namespace has received', 'received')
  add('transmit', 'Bytes that the network namespace has sent', 'sent')
}

/** Creates the metrics of kube-proxy in a mode, under their names and labels in 1.34 and newer. */
export function createMetrics(
  readCounters: CounterReader | undefined,
  mode: ProxyMode = 'iptables',
  readNetstat: () => string | undefined = () => undefined,
) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  addNetworkMetrics(registry, () => parseNetworkBytes(readNetstat() ?? ''))
  /** Each mode registers only its own metrics. */
  const isOfOtherMode = (name: string) => name.includes(mode === 'nftables' ? '_iptables' : '_nftables')
  const common = (name: string, help: string) => {
    return { name: `kubeproxy_${name}`, help, registers: isOfOtherMode(name) ? [] : registers }
  }
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter<L>({ ...common(name, help), labelNames })
  const gauge = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Gauge<L>({ ...common(name, help), labelNames })
  const histogram = (name: string, help: string, buckets = SYNC_BUCKETS) =>
    new Histogram({ ...common(name, help), labelNames: FAMILY, buckets })
  const buildInfo = { name: 'kubernetes_build_info', help: 'The emulated version', labelNames: BUILD_LABELS }
  for (const [name, counterName] of Object.entries(COUNTERS)) {
    if (readCounters === undefined) continue
    const packets: Counter = new Counter({
      ...{ name, help: 'Packets of a counter of nfacct', registers },
      collect: async () => {
        const current = (await readCounters())?.get(counterName)
        packets.reset()
        if (current !== undefined) packets.inc(current)
      },
    })
  }
  const sync = 'sync_proxy_rules'
  const restores = `${sync}_iptables`
  const conntrack = 'conntrack_reconciler'
  return {
    registry,
    requests: createRequestMetrics(registry),
    buildInfo: new Gauge({ ...buildInfo, registers }),
    syncDuration: histogram(`${sync}_duration_seconds`, 'Duration of an update'),
    fullSyncDuration: histogram('sync_full_proxy_rules_duration_seconds', 'Duration of an update from a dump'),
    partialSyncDuration: histogram('sync_partial_proxy_rules_duration_seconds', 'Duration of any other update'),
    networkProgramming: histogram('network_programming_duration_seconds', 'From change to rules', PROGRAMMING_BUCKETS),
    lastSync: gauge(`${sync}_last_timestamp_seconds`, 'The last successful update', ...FAMILY),
    lastQueued: gauge(`${sync}_last_queued_timestamp_seconds`, 'The last time an update was queued', ...FAMILY),
    changes: {
      Service: counter(`${sync}_service_changes_total`, 'Changes of Services'),
      EndpointSlice: counter(`${sync}_endpoint_changes_total`, 'Changes of EndpointSlices'),
    },
    pending: {
      Service: gauge(`${sync}_service_changes_pending`, 'Changes of Services not yet in the rules'),
      EndpointSlice: gauge(`${sync}_endpoint_changes_pending`, 'Changes of EndpointSlices not yet in the rules'),
    },
    rulesTotal: gauge(`${restores}_total`, 'The rules of the node', 'ip_family', 'table'),
    rulesLast: gauge(`${restores}_last`, 'The rules that the last update has written', 'ip_family', 'table'),
    restoreFailures: counter(`${restores}_restore_failures_total`, 'Failures from a dump', ...FAMILY),
    partialRestoreFailures: counter(`${restores}_partial_restore_failures_total`, 'Other failures', ...FAMILY),
    nftablesFailures: counter(`${sync}_nftables_sync_failures_total`, 'Failures of nft', ...FAMILY),
    /** This program cleans up as part of the update, so this metric never has samples. */
    nftablesCleanUpFailures: counter(`${sync}_nftables_cleanup_failures_total`, 'No samples', ...FAMILY),
    noLocalEndpoints: gauge(
      `${sync}_no_local_endpoints_total`,
      'The Services with policy Local and no endpoint on the node',
      ...['ip_family', 'traffic_policy'],
    ),
    conntrackDuration: histogram(`${conntrack}_sync_duration_seconds`, 'Duration of the deletion of stale connections'),
    conntrackDeleted: counter(`${conntrack}_deleted_entries_total`, 'Deleted connections', ...FAMILY),
    healthz: counter('proxy_healthz_total', 'Answers of /healthz', 'code'),
    livez: counter('proxy_livez_total', 'Answers of /livez', 'code'),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

function buildLabelsOf(version: string): Record<(typeof BUILD_LABELS)[number], string> {
  const [major = '', minor = ''] = version.split('.')
  return {
    ...{ major, minor, git_version: `v${version}`, git_commit: '', git_tree_state: '', build_date: '', go_version: '' },
    ...{ compiler: 'kube-rules', platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}` },
  }
}

/** Sets the gauges that depend on a result only. */
export function recordResult(metrics: Metrics, { families, kubernetesVersion }: CompileResult): void {
  metrics.buildInfo.reset()
  metrics.buildInfo.set(buildLabelsOf(kubernetesVersion), 1)
  for (const { family, state, plan } of families) {
    const ip_family = family
    for (const { name, blocks, jumps } of state.iptables?.tables ?? []) {
      const count = blocks.reduce((sum, { rules }) => sum + rules.length, jumps.length)
      metrics.rulesTotal.set({ ip_family, table: name }, count)
    }
    for (const [traffic_policy, count] of Object.entries(countServicesWithoutLocalEndpoints(plan)))
      metrics.noLocalEndpoints.set({ ip_family, traffic_policy }, count)
  }
}

/** Counts a failed command in the metric that kube-proxy uses for it. */
export function countFailure(metrics: Metrics, tool: string, input: string, isFull: boolean): void {
  const ip_family: IpFamily = tool.startsWith('ip6') || input.includes(' ip6 kube-proxy') ? 'IPv6' : 'IPv4'
  if (tool === 'nft') metrics.nftablesFailures.inc({ ip_family })
  else if (tool.includes('tables'))
    (isFull ? metrics.restoreFailures : metrics.partialRestoreFailures).inc({ ip_family })
}

/** Adds the rules in an input of iptables-restore to the rules of the update, by table. */
export function recordWritten(metrics: Metrics, tool: string, input: string): void {
  if (!tool.endsWith('tables-restore')) return
  const ip_family: IpFamily = tool.startsWith('ip6') ? 'IPv6' : 'IPv4'
  for (const section of input.split(/^COMMIT$/m)) {
    const [, table] = /^\*(\w+)$/m.exec(section) ?? []
    if (table !== undefined) metrics.rulesLast.inc({ ip_family, table }, section.match(/^-[AIR] /gm)?.length ?? 0)
  }
}

/** An update of the rules of a node. */
export interface RecordedSync {
  /** The start, in the time of `performance.now`. */
  readonly start: number
  readonly isFull: boolean
  /** The times of the changes that the update programs. */
  readonly triggers: readonly number[]
}

/** Records the times of an update. */
export function recordSync(metrics: Metrics, { families }: CompileResult, sync: RecordedSync): void {
  const now = Date.now()
  for (const { family: ip_family } of families) {
    metrics.lastSync.set({ ip_family }, now / 1000)
    for (const each of [metrics.syncDuration, sync.isFull ? metrics.fullSyncDuration : metrics.partialSyncDuration]) {
      each.observe({ ip_family }, (performance.now() - sync.start) / 1000)
    }
    for (const trigger of sync.triggers)
      metrics.networkProgramming.observe({ ip_family }, Math.max(0, now - trigger) / 1000)
  }
}
