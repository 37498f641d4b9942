// Keeps the rules of a node as kube-proxy would: watches the cluster, and carries out on the node what changes.
//
//     NODE_NAME=node-1 CLUSTER_CIDR=10.244.0.0/16 node controller.mjs
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { applyRuns, createTracker, formatDiagnostic, script } from '@kube-rules/compiler'
import { CoreV1Api, DiscoveryV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'

/**
 * Watches until `stop` of what it returns is called. `options` are those of the tracker, `execute` carries out one command
 * (see `applyRuns`). Events of `quiet` milliseconds are one change; what fails is tried again after `again` milliseconds.
 */
export function startController({ kubeConfig, options, execute, log = console.error, quiet = 100, again = 5_000 }) {
  const tracker = createTracker(options)
  const informers = []
  let listed = 0
  let timer
  let syncing = Promise.resolve()
  let stopped = false

  for (const { kind, path, list } of watchesOf(kubeConfig)) {
    let isListed = false
    const informer = makeInformer(kubeConfig, path, async () => {
      const objects = await list()
      if (!isListed) listed += 1
      isListed = true
      syncAfter(quiet)
      return objects
    })
    const upsert = (object) => tracker.upsert(object, kind) && syncAfter(quiet)
    informer.on('add', upsert)
    informer.on('update', upsert)
    informer.on('delete', (object) => tracker.delete(object, kind) && syncAfter(quiet))
    informer.on('error', (error) => {
      if (stopped) return
      log(`${kind}: ${error.message}`)
      setTimeout(() => stopped || informer.start(), again).unref()
    })
    informers.push(informer)
    informer.start()
  }

  /** Before everything is listed nothing is done: what is not known yet would be taken away. */
  function syncAfter(milliseconds) {
    if (stopped || timer !== undefined || listed < informers.length) return
    timer = setTimeout(() => {
      timer = undefined
      syncing = syncing.then(sync)
    }, milliseconds)
  }

  async function sync() {
    try {
      const { patch, full, result } = tracker.sync()
      for (const diagnostic of full ? result.diagnostics : []) log(formatDiagnostic(diagnostic))
      const applied = await applyRuns(script(patch, { ensure: full }), execute)
      if (applied.ok) return
      log(`failed: ${applied.failed.purpose}${applied.error === undefined ? '' : `: ${applied.error}`}`)
    } catch (error) {
      log(`nothing is changed: ${error.message}`)
    }
    tracker.failed()
    syncAfter(again)
  }

  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await Promise.all(informers.map((informer) => informer.stop()))
      await syncing
    },
  }
}

function watchesOf(kubeConfig) {
  const core = kubeConfig.makeApiClient(CoreV1Api)
  const discovery = kubeConfig.makeApiClient(DiscoveryV1Api)
  return [
    { kind: 'Service', path: '/api/v1/services', list: () => core.listServiceForAllNamespaces() },
    {
      kind: 'EndpointSlice',
      path: '/apis/discovery.k8s.io/v1/endpointslices',
      list: () => discovery.listEndpointSliceForAllNamespaces(),
    },
    { kind: 'Node', path: '/api/v1/nodes', list: () => core.listNode() },
  ]
}

/** Runs a tool on this machine. Root, and the tools of the mode, are needed. */
function runTool({ tool, args, input, failureMeans }) {
  return new Promise((resolve, reject) => {
    const child = execFile(tool, args, (error, _, stderr) => {
      if (error !== null && typeof error.code !== 'number') return reject(error)
      if (error !== null && failureMeans === 'error') console.error(stderr)
      resolve(error === null)
    })
    child.stdin.on('error', () => {}) // A tool that fails need not read all.
    child.stdin.end(input)
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromDefault()
  const { NODE_NAME: nodeName, CLUSTER_CIDR: clusterCIDR } = process.env
  const controller = startController({
    kubeConfig,
    options: { nodeName, configuration: { clusterCIDR } },
    execute: runTool,
  })
  process.once('SIGTERM', controller.stop)
}
