// Soak test: runs the proxy on a node made of network namespaces, changes its cluster, and injects faults. At the end
// of each period it compares the node with the objects.
//
//     node dist/soak.mjs [--mode iptables|ipvs|nftables] [--minutes 0.5] [--changes 300] [--services 100] [--no-faults] [--handover] [--seed 1]
//
// Exit code 1 if a node differed from its objects, a request failed, or memory grew.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { verify } from '@kube-rules/analyzer'
import {
  compile,
  diff,
  type EndpointSlice,
  type Node,
  runCommands,
  type Service,
  type ServiceCIDR,
  toCommands,
} from '@kube-rules/compiler'
import { cleanUpNode } from '../src/clean-up.js'
import { hostFacts, machineFiles, readMachine } from '../src/machine.js'
import { readNode } from '../src/read-node.js'
import { runTool } from '../src/run-tool.js'
import { type ApiServer, startApiServer } from './api-server.js'
import { type Cluster, clusterIPOf, createCluster, createRandom } from './cluster.js'
import { type Fault, faultsFor } from './faults.js'
import { buildNetwork, isInside, POD_NETWORK, reasonAgainstBed, run, runInside, startPods } from './network.js'
import { createProxyProcess } from './proxy-process.js'
import { requestTcp, startTraffic } from './traffic.js'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    mode: { type: 'string', default: 'iptables' },
    minutes: { type: 'string', default: '0.5' },
    changes: { type: 'string', default: '300' },
    services: { type: 'string', default: '100' },
    'min-sync-period': { type: 'string', default: '100ms' },
    'no-faults': { type: 'boolean', default: false },
    latencies: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    handover: { type: 'boolean', default: false },
  },
})
const MODE = values.mode as 'iptables' | 'ipvs' | 'nftables'
const PODS = 60
const VERSION = '1.34'
/** The milliseconds until the first update. An emulated machine needs a minute. */
const LONGEST_START = 300_000
const FAMILIES = ['IPv4', 'IPv6'] as const
const CONFIGURATION = { mode: MODE, clusterCIDR: POD_NETWORK }

const SILENT = {
  info: () => {},
  warning: () => {},
  detail: () => {},
  error: (message: string, fields?: object) => console.log(message, fields ?? {}),
}

/** The number of lines of the log of the proxy that are printed if the soak does not pass, and if a request fails. */
const LOG_LINES = 200
const LINES_BEFORE = 40

if (isInside()) {
  process.exitCode = await soak()
  // A request without an answer must not keep the process alive.
  setTimeout(() => process.exit(), 5_000).unref()
} else {
  const reason = reasonAgainstBed(MODE)
  if (reason === undefined) process.exitCode = runInside()
  else {
    console.log(`not run: ${reason}`)
    process.exitCode = process.env.KUBE_RULES_E2E_REQUIRE?.includes('network') ? 1 : 0
  }
}

async function soak(): Promise<number> {
  const milliseconds = Number(values.minutes) * 60_000
  const random = createRandom(Number(values.seed))
  buildNetwork(PODS)
  const api = await startApiServer()
  const cluster = createCluster(api, Number(values.services), PODS, random)
  const pods = await startPods(PODS)
  const started: string[] = []
  const log: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'proxy-soak-'))
  const proxy = createProxyProcess(flagsFor(api, folder), !values['no-faults'], (line) => {
    if (line.includes('"the node is programmed"')) started.push(line)
    record(line)
  })
  /** Keeps a line for the case that the soak does not pass. */
  function record(line: string): void {
    if (values.verbose) console.log(line)
    log.push(line)
    if (log.length > LOG_LINES) log.shift()
  }
  const earlier = values.handover ? await startFromEarlierRules(api, cluster) : undefined
  proxy.start()
  for (const start = Date.now(); started.length === 0; await sleep(20)) {
    const isLate = Date.now() - start > LONGEST_START
    if (!proxy.isRunning() || isLate) throw new Error(`no update has succeeded, the log is:\n${log.join('\n')}`)
  }
  console.log(`start: ${started[0]}`)
  if (earlier !== undefined) {
    await sleep(2_000)
    earlier.stop()
    const { sent, failed, wrong } = earlier.counts
    console.log(`handover: ${sent} requests, ${failed} failed, ${wrong} wrong`)
    if (failed + wrong > 0 || sent === 0) throw new Error('the handover has interrupted Services')
  }
  const latencies = await measureLatencies(Number(values.latencies), cluster)
  console.log(`one endpoint to the kernel: ${latencies}`)

  const stalls = monitorEventLoopDelay()
  stalls.enable()
  const traffic = startTraffic(cluster, 50, (failure) => {
    console.log(`request: ${failure}`)
    if (!values.verbose) console.log(`the log before:\n${log.slice(-LINES_BEFORE).join('\n')}`)
  })
  const faults = values['no-faults'] ? [] : faultsFor(MODE, api, proxy, random)
  const checkEvery = Math.min(60_000, milliseconds / 3)
  const faultEvery = Math.min(10_000, checkEvery / 8)
  const [begin, changeEvery] = [Date.now(), milliseconds / Number(values.changes)]
  const memory: number[] = []
  const drift: string[] = []
  let changes = 0
  let checks = 0
  let turn = 0
  let isPaused = false
  const injected = new Map<string, number>()
  const failures: string[] = []
  const processorBefore = proxy.processorTime()

  /**
   * Waits until the node matches the objects, while requests continue. An earlier endpoint may still answer requests in
   * flight.
   */
  async function settle(): Promise<readonly string[]> {
    isPaused = true
    const found = await untilEqual(api, 180_000)
    drift.push(...found)
    if (found.length > 0) console.log(`drift: ${found.slice(0, 5).join('; ')}`)
    await sleep(1_000)
    cluster.forgetEarlier()
    isPaused = false
    return found
  }

  async function injectNext(): Promise<void> {
    const { name, inject, removesRules } = faults[turn++ % faults.length] as Fault
    injected.set(name, (injected.get(name) ?? 0) + 1)
    record(`fault: ${name} at ${new Date().toISOString()}`)
    if (!removesRules) return inject()
    traffic.excuse(true)
    await inject()
    await settle()
    forgetUntranslated()
    traffic.excuse(false)
  }

  while (Date.now() - begin < milliseconds || turn < faults.length) {
    const end = Date.now() + checkEvery
    let nextFault = faults.length === 0 ? Number.POSITIVE_INFINITY : Date.now() + faultEvery
    let pending: Promise<unknown> = Promise.resolve()
    let isPending = false
    while (Date.now() < end) {
      if (!isPaused) for (; changes < (Date.now() - begin) / changeEvery; changes++) cluster.change()
      if (Date.now() >= nextFault && !isPending) {
        isPending = true
        pending = injectNext()
          .catch((error) => failures.push(`${error}`))
          .finally(() => {
            isPending = false
          })
        nextFault = Date.now() + faultEvery
      }
      await sleep(5)
    }
    await pending
    const found = await settle()
    checks += 1
    memory.push(proxy.memory())
    const seconds = Math.round((Date.now() - begin) / 1000)
    console.log(`${seconds} s: ${changes} changes, ${found.length} drift, ${memory.at(-1)?.toFixed(0)} MiB`)
  }
  const processor = proxy.processorTime() - processorBefore
  await proxy.close()
  // The rules stay, so requests succeed without the proxy, as before kube-proxy takes the node back.
  await sleep(1_000)
  traffic.stop()
  await sleep(1_000)
  const isClean = await cleanUpNode(runTool, machineFiles, FAMILIES, SILENT)
  const left =
    `${run('iptables-save; ip6tables-save; nft list tables')}`.match(/KUBE-(?!FIREWALL|MARK-MASQ)\S+|kube-proxy/g) ?? []
  console.log(`left after --cleanup: ${[...new Set(left)].slice(0, 10).join(' ') || 'nothing'}`)
  pods.kill()
  api.close()
  rmSync(folder, { recursive: true })
  const { sent, failed, wrong, excused, slow } = traffic.counts
  for (const each of values.verbose ? traffic.slow : []) console.log(`slow request: ${each}`)
  for (const [name, count] of injected) console.log(`fault, ${count} times: ${name}`)
  console.log(
    `${MODE} mode: ${changes} changes, ${checks} checks, ${drift.length} drift; ${sent} requests, ${failed} failed, ${slow} slow, ${wrong} wrong, ${excused} excused`,
  )
  console.log(
    `memory ${memory
      .map((each) => each.toFixed(0))
      .slice(-10)
      .join(' ')} MiB; processor time ${processor.toFixed(1)} s`,
  )
  console.log(`API server: ${JSON.stringify(api.counts)}; longest stall of the bed ${(stalls.max / 1e9).toFixed(1)} s`)
  const checksFailed = Object.entries({
    ...{ 'faults failed': failures.length > 0 },
    ...{ drift: drift.length > 0, 'failed requests': failed > 0, 'wrong answers': wrong > 0 },
    ...{
      'memory grew': !isFlat(memory),
      'the proxy has ended by itself': proxy.crashes() > 0,
      'the proxy did not stop': !proxy.hasStopped(),
    },
    ...{ '--cleanup failed': !isClean, '--cleanup left rules': left.length > 0 },
  }).flatMap(([name, isTrue]) => (isTrue ? [name] : []))
  if (checksFailed.length > 0 && !values.verbose) console.log(`the end of the log:\n${log.join('\n')}`)
  for (const each of failures) console.log(`a fault failed: ${each}`)
  console.log(checksFailed.length === 0 ? 'passed' : `not passed: ${checksFailed.join(', ')}`)
  return checksFailed.length === 0 ? 0 : 1
}

/** Loads the rules of another proxy, as kube-proxy would after its start, and starts requests. */
async function startFromEarlierRules(api: ApiServer, cluster: Cluster): Promise<ReturnType<typeof startTraffic>> {
  const { backend, result } = await expectedRules(api)
  const commands = toCommands(diff(undefined, result), { backend })
  const loaded = await runCommands(commands, async ({ tool, args, input }) => (await runTool(tool, args, input)).status)
  if (!loaded.ok) throw new Error(`cannot ${loaded.failed.purpose}`)
  const traffic = startTraffic(cluster, 50, (failure) => console.log(`request: ${failure}`))
  await sleep(1_000)
  return traffic
}

/** Writes the configuration as kubeadm would, and returns the flags. */
function flagsFor(api: ApiServer, folder: string): readonly string[] {
  const file = join(folder, 'config.conf')
  // Faults must be noticed before the hourly read of all rules.
  const [syncPeriod, fullSync] = [values['no-faults'] ? '30s' : '2s', '3600000']
  const periods = { minSyncPeriod: values['min-sync-period'], syncPeriod }
  const header = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' }
  writeFileSync(file, JSON.stringify({ ...header, ...CONFIGURATION, [MODE]: periods }))
  return [`${fullSync}`, '--config', file, '--master', api.url, '--hostname-override=node-1']
}

/**
 * Deletes the conntrack entries of TCP connections that began while rules were missing. Such an entry has no
 * translation and exists for two minutes. During this time, the kernel uses the entry instead of the rules for any new
 * connection from the same port; this also happens with kube-proxy.
 */
function forgetUntranslated(): void {
  run('conntrack -D -p tcp --state SYN_SENT >/dev/null 2>&1 || true')
}

/**
 * Waits until the node has no deviations from the objects, but not longer than the limit. Returns the remaining
 * deviations.
 */
async function untilEqual(api: ApiServer, limit: number): Promise<readonly string[]> {
  const end = Date.now() + limit
  for (;;) {
    // While rules change, a dump may be inconsistent.
    const found = await findDrift(api).catch((error) => [`${error}`])
    if (found.length === 0 || Date.now() > end) return found
    await sleep(500)
  }
}

async function findDrift(api: ApiServer): Promise<readonly string[]> {
  const { result } = await expectedRules(api)
  const report = verify(result, await readNode(runTool, machineFiles, FAMILIES), { complete: true })
  return report.families.flatMap(({ drift }) =>
    drift.flatMap((group) => group.drift.map(({ location, reason }) => `${location}: ${reason}`)),
  )
}

async function expectedRules(api: ApiServer) {
  const machine = await readMachine(runTool, machineFiles, MODE)
  const input = {
    services: api.objectsOf('Service') as Service[],
    endpointSlices: api.objectsOf('EndpointSlice') as unknown as EndpointSlice[],
    nodes: api.objectsOf('Node') as Node[],
    serviceCIDRs: api.objectsOf('ServiceCIDR') as ServiceCIDR[],
    configuration: CONFIGURATION,
    host: hostFacts(machine, machineFiles, MODE === 'ipvs'),
  }
  const options = { nodeName: 'node-1', families: FAMILIES, kubernetesVersion: VERSION }
  return { backend: machine.backend, result: compile(input, options) }
}

/**
 * Measures the time from a change on the API server until the new endpoint of a Service answers. Requests are
 * sequential, so a measurement may be too long by the duration of one request.
 */
async function measureLatencies(count: number, cluster: Cluster): Promise<string> {
  const measured: number[] = []
  for (let turn = 0; turn < count; turn++) {
    await sleep(150 + ((turn * 37) % 200))
    const start = performance.now()
    const address = cluster.changeEndpoint(0, turn)
    while (performance.now() - start < 30_000 && (await requestTcp(clusterIPOf(0), 80).catch(() => '')) !== address)
      await sleep(1)
    measured.push(performance.now() - start)
  }
  if (values.verbose) console.log(`latencies: ${measured.map((each) => each.toFixed(0)).join(' ')}`)
  measured.sort((one, other) => one - other)
  const quantile = (part: number) => `${measured[Math.min(count - 1, Math.floor(part * count))]?.toFixed(0)} ms`
  return `p50 ${quantile(0.5)}, p99 ${quantile(0.99)} of ${count}`
}

/**
 * Reports whether memory did not grow from the first to the last third of the run. A short run has too few measurements
 * and counts as flat.
 */
function isFlat(memory: readonly number[]): boolean {
  if (memory.length < 9) return true
  const third = Math.floor(memory.length / 3)
  const median = (part: readonly number[]) =>
    [...part].sort((one, other) => one - other)[Math.floor(part.length / 2)] ?? 0
  return median(memory.slice(-third)) < 1.2 * median(memory.slice(third, 2 * third)) + 5
}
