import { unwatchFile, watchFile } from 'node:fs'
import type { CompileResult, IptablesBackend, Node } from '@kube-rules/compiler'
import { findNodeVersion } from '@kube-rules/compiler/plan'
import {
  completeConfiguration,
  createProxyHealth,
  type NodeEligibilityFields,
  processBehaviorOf,
  watchedKindsOf,
} from '@kube-rules/proxy-kit'
import { isReachable } from './api.js'
import type { Settings } from './configuration.js'
import type { Connect } from './connection.js'
import { createEventRecorder } from './events.js'
import type { FlagValues } from './flags.js'
import { createServiceHealth } from './health.js'
import { applyConntrackSettings, applyOomScore } from './kernel-settings.js'
import { type Logger, textOf } from './log.js'
import { type MachineFiles, readCounters, readMachine } from './machine.js'
import { createMetrics, recordSync } from './metrics.js'
import { createNetworkProbe, type NetworkProbeTimes } from './network-probe.js'
import { createNodeWait, NODE_WAIT_TIMES, type NodeWaitTimes } from './node-wait.js'
import { createPendingChanges } from './pending-changes.js'
import { type ReflectTimes, reflect } from './reflect.js'
import type { RunTool } from './run-tool.js'
import { createRunner } from './runner.js'
import { startStatusServers } from './status-servers.js'
import { createStore } from './store.js'
import { createSynchronizer, type Synchronizer } from './synchronizer.js'
import { isReading, type StartRuleMonitor, watchRules } from './watch-rules.js'

export interface ProxyOptions
  extends Pick<Settings, 'configuration' | 'complete' | 'mode' | 'nodeName' | 'kubernetesVersion' | 'configFile'> {
  readonly connect: Connect
  readonly run: RunTool
  readonly files: MachineFiles
  readonly log: Logger
  /** Ends the program, because it must start again. */
  readonly fail: (reason: string) => void
  /** The period between two reads of all rules of the node, in milliseconds. Default: an hour, as in kube-proxy. */
  readonly fullSyncPeriod?: number
  /** The period between two reads of the configuration file, in milliseconds. */
  readonly filePeriod?: number
  readonly reflectTimes?: Partial<ReflectTimes>
  readonly networkProbeTimes?: NetworkProbeTimes
  readonly nodeWaitTimes?: NodeWaitTimes
  /** The back end of iptables that `run` uses. Default: that of the program `iptables`. */
  readonly backend?: IptablesBackend
  /** Starts a process that reports changes of rules. Default: such changes are found once in each `syncPeriod`, or hour. */
  readonly startMonitor?: StartRuleMonitor
  /** The flags of the command line with their values, for `/flagz`. */
  readonly flags?: FlagValues
}

/** The longest time between two looks for permanent rules, in milliseconds. */
const LONGEST_CHECK_PERIOD = 8_000

/** Starts a proxy for one node. It runs until `stop`, which leaves the rules, whatever the API server and the kernel do. */
export async function startProxy(options: ProxyOptions) {
  const { connect, configuration, complete, mode, nodeName, files, log, fail } = options
  const startTime = Date.now()
  let processes = 0
  let rules: ReturnType<typeof watchRules> | undefined
  const run: RunTool = async (tool, args, input) => {
    const isOwn = rules !== undefined && !isReading(tool, args)
    const result = isOwn ? await rules?.runOwn(options.run, tool, args, input) : undefined
    processes += 1
    return result ?? options.run(tool, args, input)
  }
  const { syncPeriod: period, minSyncPeriod } = complete[mode]
  applyOomScore(files, complete, log)
  applyConntrackSettings(files, complete, log)
  const machine = await readMachine(run, files, mode, options.backend)
  const { healthNeedsNode } = processBehaviorOf(options.kubernetesVersion)
  const health = createProxyHealth(2 * period, { needsNode: healthNeedsNode })
  const metrics = createMetrics(machine.counters && (() => readCounters(run)), mode, () =>
    files.read('/proc/self/net/netstat'),
  )
  for (const ip_family of machine.families) metrics.conntrackDeleted.inc({ ip_family }, 0)
  const recordEvent = createEventRecorder(connect, nodeName, log, metrics.requests)
  const serviceHealth = createServiceHealth(health, log, ({ namespace, name, port }, error) => {
    const note = `node ${nodeName} failed to start healthcheck "${namespace}/${name}" on port ${port}: ${error}`
    recordEvent('Warning', 'FailedToStartServiceHealthcheck', 'Listen', note, { namespace, name })
  })
  const changes = createPendingChanges(metrics, startTime)
  let synchronizer: Synchronizer | undefined
  let programmed: CompileResult | undefined
  let checkedVersion: string | undefined
  let isRejected = false

  const sources = watchedKindsOf(nodeName, mode)
  const store = createStore(sources, {
    onList: (kind, objects) => {
      synchronizer?.replace(kind, objects.values())
      log.info('listed', { kind, objects: objects.size })
      if (kind === 'Node') for (const node of objects.values()) setNode(node)
      if (kind === 'Node') nodeWait.listed()
      requestSync()
    },
    onChange: (kind, object, isGone) => {
      synchronizer?.upsert(kind, object, isGone)
      if (kind === 'Node') setNode(object)
      changes.add(kind, object, isGone)
      requestSync()
    },
    onDeletion: () => {
      log.warning('the Node is deleted, its rules stay', { node: nodeName })
      // kube-proxy of these versions ends. After its restart, it does not find the Node.
      if (processBehaviorOf(versionInUse()).endsWithoutNode) health.setNode(undefined)
    },
  })
  const runner = createRunner(sync, {
    minInterval: minSyncPeriod,
    firstPause: 1_000,
    longestPause: period,
  })

  const nodeWait = createNodeWait({
    needsPodNetwork: complete.detectLocalMode === 'NodeCIDR',
    times: options.nodeWaitTimes ?? NODE_WAIT_TIMES,
    onEnd: requestSync,
    ...{ fail, log },
  })

  function setNode(node: NodeEligibilityFields & Node): void {
    if (options.kubernetesVersion === undefined)
      checkVersion(findNodeVersion([node], nodeName, undefined, mode)?.version)
    health.setNode(node)
    nodeWait.setNode(node)
  }

  const versionInUse = () => options.kubernetesVersion ?? programmed?.kubernetesVersion ?? checkedVersion
  const healthFacts = () => ({ families: machine.families, kubernetesVersion: versionInUse() })

  /** Ends the program if kube-proxy of the version of the Node would reject the configuration. */
  function checkVersion(kubernetesVersion: string | undefined): void {
    if (kubernetesVersion === undefined || kubernetesVersion === checkedVersion) return
    checkedVersion = kubernetesVersion
    try {
      completeConfiguration(configuration, { mode, kubernetesVersion })
    } catch (error) {
      isRejected = true
      log.error('the configuration is invalid', { version: kubernetesVersion, error: textOf(error) })
      fail(`kube-proxy ${kubernetesVersion} rejects the configuration`)
    }
  }

  /** Requests a sync once all kinds are listed: an earlier sync would remove the rules of objects that are not yet known. */
  function requestSync(): void {
    if (!store.isComplete() || !nodeWait.isOver() || isRejected) return
    health.queued(performance.now())
    for (const ip_family of machine.families) metrics.lastQueued.set({ ip_family }, Date.now() / 1000)
    runner.request()
  }

  async function sync(): Promise<void> {
    const start = performance.now()
    const isFirst = programmed === undefined
    const taken = changes.take()
    try {
      synchronizer ??= newSynchronizer()
      const { result, full } = await synchronizer.sync()
      programmed = result
      if (full) rules?.setCost(performance.now() - start)
      health.updated(performance.now(), start)
      serviceHealth.update(result)
      taken.markProgrammed()
      recordSync(metrics, result, { start, isFull: full, triggers: isFirst ? [] : taken.triggers })
      const facts = {
        version: result.kubernetesVersion,
        milliseconds: Math.round(performance.now() - start),
        processes,
      }
      if (isFirst) applyConntrackSettings(files, complete, log) // The rules have loaded the kernel module.
      if (isFirst) log.info('the node is programmed', { ...facts, ...result.counts })
    } catch (error) {
      taken.markFailed()
      log.error('the node is not programmed', { error: textOf(error) })
      throw error
    }
  }

  function newSynchronizer(): Synchronizer {
    const tracked = { nodeName, configuration, mode, kubernetesVersion: options.kubernetesVersion }
    const usesInterfaces = mode === 'ipvs' || (configuration.nodePortAddresses ?? []).length > 0
    return createSynchronizer({ tracked, usesInterfaces, store, machine, files, run, metrics, log })
  }

  async function check(): Promise<void> {
    if (synchronizer?.retryRead() || synchronizer?.isUnfinished()) requestSync()
    const missing = await synchronizer?.check()
    if (missing === undefined) return
    log.warning('rules are gone, all are compared', { canary: missing })
    readAll()
  }

  function readAll(): void {
    synchronizer?.readNext()
    requestSync()
  }

  if (options.startMonitor !== undefined && machine.backend === 'nft') {
    const isRead = () => synchronizer !== undefined
    rules = watchRules({ start: options.startMonitor, onForeignChange: readAll, isRead, log })
  }

  const { receiver } = store
  const { requests: onReport } = metrics
  const probe = createNetworkProbe({
    isReachable: () => isReachable(connect, { connectTimeout: options.reflectTimes?.connect, onReport }),
    onRecovery: (failedSince) => {
      for (const reflection of reflections) reflection.resend(failedSince)
    },
    times: options.networkProbeTimes,
  })
  const reflections = sources.map((source) =>
    reflect({ connect, source, receiver, log, times: options.reflectTimes, onReport, onPart: probe.hear }),
  )
  const onFailure = (error: unknown) => log.warning('no canary', { error: textOf(error) })
  const checking = setInterval(() => void check().catch(onFailure), Math.min(period, LONGEST_CHECK_PERIOD))
  const reading = setInterval(readAll, options.fullSyncPeriod ?? 3_600_000)
  const pages = { startTime, versionInUse, flags: options.flags ?? {} }
  const servers = startStatusServers({
    ...{ configuration, complete, mode, health, healthFacts, metrics, recordEvent, fail, log },
    ...pages,
    programmed: () => programmed,
  })
  const onFile = () => fail('the configuration file has changed')
  if (options.configFile !== undefined) watchFile(options.configFile, { interval: options.filePeriod ?? 5_000 }, onFile)
  recordEvent('Normal', 'Starting', 'StartKubeProxy', '')
  log.info('started', { node: nodeName, mode, families: machine.families.join(','), backend: machine.backend })

  return {
    stop: async () => {
      nodeWait.stop()
      rules?.stop()
      clearInterval(checking)
      clearInterval(reading)
      if (options.configFile !== undefined) unwatchFile(options.configFile, onFile)
      probe.stop()
      for (const reflection of reflections) reflection.stop()
      await runner.stop()
      serviceHealth.close()
      for (const server of servers) server.close()
      log.info('stopped, the rules stay')
    },
  }
}
