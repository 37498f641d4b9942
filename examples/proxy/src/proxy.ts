import type { IptablesBackend, Node } from '@kube-rules/compiler'
import { type NodeEligibilityFields, type ProxyHealth, processBehaviorOf, watchedKindsOf } from '@kube-rules/proxy-kit'
import { startChecks, startRuleWatch } from './checks.js'
import type { Settings } from './configuration.js'
import type { Connect } from './connection.js'
import { createCountedTools } from './counted-tools.js'
import type { FlagValues } from './flags.js'
import { followApi } from './follow-api.js'
import { applyConntrackSettings, applyOomScore } from './kernel-settings.js'
import type { Logger } from './log.js'
import { type MachineFiles, readMachine } from './machine.js'
import type { NetworkProbeTimes } from './network-probe.js'
import { createNodeWait, NODE_WAIT_TIMES, type NodeWaitTimes } from './node-wait.js'
import { createPendingChanges } from './pending-changes.js'
import { createProgrammer } from './programmer.js'
import type { ReflectTimes } from './reflect.js'
import { createReporting } from './reporting.js'
import type { RunTool } from './run-tool.js'
import { createRunner } from './runner.js'
import { startStatusServers } from './status-servers.js'
import { createStore, type StoreListener } from './store.js'
import { createVersionCheck } from './version-check.js'
import type { StartRuleMonitor } from './watch-rules.js'

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

/** Starts a proxy for one node. It runs until `stop`, which leaves the rules, whatever the API server and the kernel do. */
export async function startProxy(options: ProxyOptions) {
  const { complete, mode, nodeName, files, log } = options
  const startTime = Date.now()
  const tools = createCountedTools(options.run)
  const { run, processes } = tools
  applyOomScore(files, complete, log)
  applyConntrackSettings(files, complete, log)
  const machine = await readMachine(run, files, mode, options.backend)
  const reporting = createReporting(options, machine, run)
  const { health, metrics, recordEvent, serviceHealth } = reporting
  const versionCheck = createVersionCheck(options)
  const changes = createPendingChanges(metrics, startTime)
  const onFullSync = (cost: number) => rules?.setCost(cost)
  const programmer = createProgrammer({
    ...{ proxy: options, machine, store: () => store, changes, reporting, run, processes, onFullSync },
  })
  const versionInUse = () =>
    options.kubernetesVersion ?? programmer.result()?.kubernetesVersion ?? versionCheck.version()
  const { syncPeriod: longestPause, minSyncPeriod: minInterval } = complete[mode]
  const runner = createRunner(programmer.sync, { minInterval, firstPause: 1_000, longestPause })
  const nodeWait = createNodeWait({
    needsPodNetwork: complete.detectLocalMode === 'NodeCIDR',
    times: options.nodeWaitTimes ?? NODE_WAIT_TIMES,
    onEnd: requestSync,
    ...{ fail: options.fail, log },
  })

  const sources = watchedKindsOf(nodeName, mode)
  const store = createStore(
    sources,
    createListener({
      ...{ programmer, changes, versionCheck, health, nodeWait, requestSync },
      onDeletion: () => {
        log.warning('the Node is deleted, its rules stay', { node: nodeName })
        // kube-proxy of these versions ends. After its restart, it does not find the Node.
        if (processBehaviorOf(versionInUse()).endsWithoutNode) health.setNode(undefined)
      },
      log,
    }),
  )

  /** Requests a sync once all kinds are listed: an earlier sync would remove the rules of objects that are not yet known. */
  function requestSync(): void {
    if (!store.isComplete() || !nodeWait.isOver() || versionCheck.isRejected()) return
    health.queued(performance.now())
    for (const ip_family of machine.families) metrics.lastQueued.set({ ip_family }, Date.now() / 1000)
    runner.request()
  }

  const rules = startRuleWatch(options, machine, programmer, requestSync)
  tools.setWatch(rules)
  const checks = startChecks(options, programmer, requestSync)
  const api = followApi(sources, store.receiver, metrics.requests, options)
  const servers = startStatusServers({
    ...options,
    ...{
      health,
      metrics,
      recordEvent,
      startTime,
      versionInUse,
      flags: options.flags ?? {},
      programmed: programmer.result,
    },
    healthFacts: () => ({ families: machine.families, kubernetesVersion: versionInUse() }),
  })
  recordEvent('Normal', 'Starting', 'StartKubeProxy', '')
  log.info('started', { node: nodeName, mode, families: machine.families.join(','), backend: machine.backend })

  return {
    stop: async () => {
      for (const part of [nodeWait, rules, checks, api]) part?.stop()
      await runner.stop()
      for (const each of [serviceHealth, ...servers]) each.close()
      log.info('stopped, the rules stay')
    },
  }
}

interface ListenerOptions extends Pick<StoreListener, 'onDeletion'> {
  readonly programmer: Pick<ReturnType<typeof createProgrammer>, 'synchronizer'>
  readonly changes: Pick<ReturnType<typeof createPendingChanges>, 'add'>
  readonly versionCheck: Pick<ReturnType<typeof createVersionCheck>, 'setNode'>
  readonly health: Pick<ProxyHealth, 'setNode'>
  readonly nodeWait: Pick<ReturnType<typeof createNodeWait>, 'setNode' | 'listed'>
  readonly requestSync: () => void
  readonly log: Logger
}

/** Passes objects to the tracker and to the parts that read the Node, and requests a sync. */
function createListener(options: ListenerOptions): StoreListener {
  const { programmer, changes, nodeWait, requestSync, onDeletion, log } = options
  const setNode = (node: NodeEligibilityFields & Node) => {
    for (const reader of [options.versionCheck, options.health, nodeWait]) reader.setNode(node)
  }
  return {
    onList: (kind, objects) => {
      programmer.synchronizer()?.replace(kind, objects.values())
      log.info('listed', { kind, objects: objects.size })
      if (kind === 'Node') for (const node of objects.values()) setNode(node)
      if (kind === 'Node') nodeWait.listed()
      requestSync()
    },
    onChange: (kind, object, isGone) => {
      programmer.synchronizer()?.upsert(kind, object, isGone)
      if (kind === 'Node') setNode(object)
      changes.add(kind, object, isGone)
      requestSync()
    },
    onDeletion,
  }
}
