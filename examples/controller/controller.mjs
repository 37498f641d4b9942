// Keeps the rules of a node up to date as kube-proxy does: watches the cluster, and runs the commands for each change
// on the node. It reads the rules of the node at the start, after each failure, periodically, and if rules are missing.
//
//     NODE_NAME=node-1 CLUSTER_CIDR=10.244.0.0/16 node controller.mjs
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { parseDump } from '@kube-rules/analyzer'
import { cleanStaleEntries, createTracker, formatDiagnostic, parseConntrack, runCommands } from '@kube-rules/compiler'
import { CoreV1Api, DiscoveryV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'

/** Times in milliseconds. */
const TIMES = {
  /** The time that events are collected before they are applied as one change. */
  quiet: 100,
  /** The pause before a failed operation is repeated. */
  again: 5_000,
  /** The interval of checks for missing rules. */
  look: 5_000,
  /** The interval of complete reads of the node. */
  resync: 10 * 60_000,
}

/**
 * Starts to watch; the returned `stop` ends it. `options` are the options of the tracker. `run(tool, args, input)` runs
 * one tool and resolves to `{ ok, stdout, stderr }`; it rejects if the tool does not exist.
 */
export function startController({ kubeConfig, options, run, log = console.error, times = {} }) {
  const { quiet, again, look, resync } = { ...TIMES, ...times }
  const tracker = createTracker(options)
  const informers = []
  let listed = 0
  let mustRead = true
  let result
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
    const start = () => stopped || informer.start().catch(restart)
    // The timer keeps the process alive while the API server is unreachable. The objects known so far remain in use.
    const restart = (error) => {
      if (stopped) return
      log(`${kind}: ${error.message}`)
      setTimeout(start, again)
    }
    informer.on('add', upsert)
    informer.on('update', upsert)
    informer.on('delete', (object) => tracker.delete(object, kind) && syncAfter(quiet))
    informer.on('error', restart)
    informers.push(informer)
    start()
  }
  const looking = setInterval(() => later(lookAtNode), look)
  const resyncing = setInterval(readSoon, resync)

  /** Waits until all lists are complete, because a sync would remove rules of objects that are not yet known. */
  function syncAfter(milliseconds) {
    if (stopped || timer !== undefined || listed < informers.length) return
    timer = setTimeout(() => {
      timer = undefined
      later(sync)
    }, milliseconds)
  }

  /**
   * Runs actions one after another. `run` of the tracker would suffice for updates, but no check may run during an
   * update, and stale entries are those of the last update.
   */
  function later(act) {
    syncing = syncing.then(act)
  }

  function readSoon() {
    mustRead = true
    syncAfter(quiet)
  }

  async function sync() {
    const isReading = mustRead
    mustRead = false
    try {
      const options = { keepsConnections: true, ...(isReading && { readNode: () => readNode(run) }) }
      const { update, ...applied } = await tracker.run(execute, options)
      for (const diagnostic of update.newDiagnostics) log(formatDiagnostic(diagnostic))
      result = update.result
      if (isApplied(applied) && (await deleteStaleEntries(update))) return
    } catch (error) {
      log(`failed: ${error.message}`)
    }
    tracker.markFailed()
    mustRead = true
    syncAfter(again)
  }

  async function execute({ tool, args, input, onNonZeroExit }) {
    const { ok, status = ok, stderr } = await run(tool, args, input)
    if (!ok && onNonZeroExit === 'fail') log(stderr)
    return status
  }

  /** Reports whether all commands succeeded. */
  function isApplied({ ok, failed, error }) {
    if (!ok) log(`failed: ${failed.purpose}${error === undefined ? '' : `: ${error}`}`)
    return ok
  }

  /**
   * Deletes the UDP conntrack entries of removed endpoints, if the update may have left some. Keeps all other
   * connections.
   */
  async function deleteStaleEntries({ patch, result }) {
    if (patch.families.every(({ staleConnections }) => staleConnections.length === 0)) return true
    const texts = []
    for (const { family } of result.families) {
      const { ok, stdout, stderr } = await run('conntrack', ['-L', '-f', family.toLowerCase(), '-p', 'udp'], '')
      if (!ok) throw new Error(`conntrack: ${stderr}`)
      texts.push(stdout)
    }
    return isApplied(await runCommands(cleanStaleEntries(result, parseConntrack(texts.join(''))), execute))
  }

  async function lookAtNode() {
    for (const { tool, args, shows } of result === undefined || mustRead ? [] : canariesOf(result)) {
      const { stdout } = await run(tool, args, '').catch(() => ({ stdout: '' }))
      if (stdout.includes(shows)) continue
      log(`rules are gone: ${tool} ${args.join(' ')}`)
      return readSoon()
    }
  }

  return {
    stop: async () => {
      stopped = true
      for (const each of [timer, looking, resyncing]) clearTimeout(each)
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

/** The commands that print the rules of all modes. */
const DUMPS = [
  ['iptables-save'],
  ['ip6tables-save'],
  ['nft', 'list', 'table', 'ip', 'kube-proxy'],
  ['nft', 'list', 'table', 'ip6', 'kube-proxy'],
  ['ipset', 'save'],
  ['ipvsadm', '-Sn'],
  ['ip', '-o', 'address', 'show', 'dev', 'kube-ipvs0'],
]

/** Reads the rules of the node. If a tool is missing or fails, the node has no rules of it. */
async function readNode(run) {
  const texts = []
  for (const [tool, ...args] of DUMPS) {
    const { ok, stdout } = await run(tool, args, '').catch(() => ({ ok: false }))
    if (ok) texts.push(stdout)
  }
  const dump = parseDump(texts)
  if (!dump.ok) throw new Error(`the node cannot be read: ${dump.problems[0].message}`)
  return dump.value
}

/** Returns commands whose output contains `shows` unless another program has flushed the chain. */
function canariesOf({ mode, families }) {
  return families.flatMap(({ family }) => {
    const isIPv4 = family === 'IPv4'
    if (mode === 'nftables') {
      const args = ['list', 'chain', isIPv4 ? 'ip' : 'ip6', 'kube-proxy', 'services']
      return [{ tool: 'nft', args, shows: ' vmap ' }]
    }
    const tool = isIPv4 ? 'iptables' : 'ip6tables'
    return [
      { tool, args: ['-t', 'nat', '-S', 'PREROUTING'], shows: '-j KUBE-SERVICES' },
      { tool, args: ['-t', 'nat', '-S', 'KUBE-SERVICES'], shows: '-A KUBE-SERVICES ' },
      { tool, args: ['-t', 'filter', '-S', 'KUBE-FORWARD'], shows: '-A KUBE-FORWARD ' },
    ]
  })
}

/** Runs a tool on this machine. Requires root and the tools of the mode. */
function runTool(tool, args, input) {
  return new Promise((resolve, reject) => {
    const child = execFile(tool, args, { maxBuffer: 2 ** 30 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') return reject(error)
      resolve({ ok: error === null, status: error?.code ?? 0, stdout, stderr })
    })
    child.stdin.on('error', () => {}) // A failing tool may not read all of its input.
    child.stdin.end(input)
  })
}

/** Loads the kubeconfig. A YAML error quotes lines of the file, which may contain a token, so only its line is shown. */
function loadKubeConfig() {
  const kubeConfig = new KubeConfig()
  try {
    kubeConfig.loadFromDefault()
  } catch ({ name, message, mark }) {
    throw new Error(name === 'YAMLException' ? `invalid YAML at line ${mark?.line + 1} of the kubeconfig` : message)
  }
  return kubeConfig
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const kubeConfig = loadKubeConfig()
  const { NODE_NAME: nodeName, CLUSTER_CIDR: clusterCIDR } = process.env
  const controller = startController({
    kubeConfig,
    options: { nodeName, configuration: { clusterCIDR } },
    run: runTool,
  })
  process.once('SIGTERM', controller.stop)
}
