import { once } from 'node:events'
import { createServer } from 'node:net'
import type { KubeProxyConfiguration } from '@kube-rules/compiler'
import { completeConfiguration } from '@kube-rules/proxy-kit'
import { expect, onTestFinished, vi } from 'vitest'
import { createLogger } from '../src/log.js'
import type { MachineFiles } from '../src/machine.js'
import { startProxy } from '../src/proxy.js'
import type { ApiObject } from '../src/reflect.js'
import type { RunTool } from '../src/run-tool.js'
import { type ApiServer, startApiServer } from './api-server.js'

/** A log without lines. */
export const SILENT = { info: () => {}, warning: () => {}, error: () => {}, detail: () => {} }

const ADDRESSES = [{ type: 'InternalIP', address: '192.168.0.1' }]

export const nodeWith = (kubeletVersion: string, spec = {}, addresses: readonly object[] = ADDRESSES) => {
  return { metadata: { name: 'node-1' }, spec, status: { addresses, nodeInfo: { kubeletVersion } } } as ApiObject
}
export const NODE = nodeWith('v1.34.1')
export const service = (name: string, clusterIP: string, spec = {}) =>
  ({
    metadata: { namespace: 'default', name },
    spec: { clusterIP, ports: [{ name: 'main', port: 80 }], ...spec },
  }) as ApiObject
export const slice = (name: string, ...addresses: readonly string[]) =>
  ({
    metadata: {
      namespace: 'default',
      name: `${name}-1`,
      labels: { 'kubernetes.io/service-name': name },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': new Date().toISOString() },
    },
    addressType: 'IPv4',
    ports: [{ name: 'main', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], nodeName: 'node-1' })),
  }) as unknown as ApiObject

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Returns a port that another server uses until the end of the test. */
export async function usedPort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

/** The output of `ipvsadm -Ln` for a virtual server without connections. */
export const SERVER = 'Prot LocalAddress:Port Scheduler Flags\nTCP  10.96.0.10:80 rr\n'

/** A machine without rules on which every tool succeeds; tests change both. */
export function fakeMachine(hasNft = false) {
  const machine = {
    works: true,
    isFlushed: false,
    listFails: false,
    loads: [] as string[],
    calls: [] as string[],
    servers: SERVER,
  }
  const run: RunTool = async (tool, args, input = '') => {
    machine.calls.push([tool, ...args, input].join(' '))
    if (tool === 'nfacct' || (tool === 'nft' && !hasNft)) throw Object.assign(new Error('missing'), { code: 'ENOENT' })
    if (machine.listFails && args.includes('list')) return { status: 1, stdout: '', stderr: 'busy' }
    if ((args.includes('-S') || args.includes('chain')) && !machine.isFlushed)
      return {
        status: 0,
        stdout: '-A KUBE-SERVICES -A KUBE-FORWARD -j KUBE-SERVICES -j MASQUERADE vmap { }',
        stderr: '',
      }
    if (tool === 'ipvsadm' && args[0] === '-Ln') return { status: 0, stdout: machine.servers, stderr: '' }
    if (tool === 'iptables-restore' || args[0] === '-f') machine.loads.push(input)
    const status = tool === 'iptables-restore' && !machine.works ? 1 : 0
    return { status, stdout: args.includes('--version') ? `${tool} v1.8.9 (nf_tables)` : '', stderr: '' }
  }
  const written = new Map<string, string>([['/proc/sys/net/netfilter/nf_conntrack_max', '100']])
  const files: MachineFiles = {
    read: (path) => written.get(path),
    linesWith: async (path) => written.get(path),
    write: (path, text) => {
      // Rules load the kernel module, which has these settings.
      if (path.startsWith('/proc/sys/net/netfilter/') && machine.loads.length === 0) throw new Error('ENOENT')
      written.set(path, text)
    },
    findProgram: () => undefined,
  }
  return { machine, run, files, written }
}

export interface StartOptions extends Partial<Parameters<typeof startProxy>[0]> {
  /** Changes the cluster before the start. */
  readonly prepare?: (api: ApiServer) => void
  /** The version for which the configuration is valid. Default: the newest one. */
  readonly completedFor?: string
}

/**
 * Starts a proxy in this process, on a fake machine and with a fake API server, until the end of the test. The cluster
 * has one Service with one endpoint.
 */
export async function start({ mode = 'iptables', prepare, ...changed }: StartOptions = {}) {
  const api = await startApiServer(50)
  api.put('Node', NODE)
  api.put('Service', service('web', '10.96.0.10'))
  api.put('EndpointSlice', slice('web', '10.244.1.5'))
  prepare?.(api)
  const { machine, run, files, written } = fakeMachine(mode === 'nftables')
  const lines: string[] = []
  const fails: string[] = []
  const [health, metrics] = [await freePort(), await freePort()]
  const configuration: KubeProxyConfiguration = {
    clusterCIDR: '10.244.0.0/16',
    [mode]: {
      ...{ minSyncPeriod: '10ms', syncPeriod: '200ms' },
      ...(mode === 'ipvs' && { strictARP: true, tcpTimeout: '15m', tcpFinTimeout: '2m', udpTimeout: '5m' }),
    },
    healthzBindAddress: `127.0.0.1:${health}`,
    metricsBindAddress: `127.0.0.1:${metrics}`,
    ...changed.configuration,
  }
  const proxy = await startProxy({
    connect: api.kubeConfig,
    ...{ configuration, mode },
    complete: completeConfiguration(configuration, { mode, kubernetesVersion: changed.completedFor }),
    nodeName: 'node-1',
    ...{ run, files, configFile: changed.configFile, filePeriod: 50 },
    fail: (reason) => fails.push(reason),
    log: createLogger((line) => lines.push(line), { format: 'json' }),
    reflectTimes: { pause: 10, longest: 50 },
    flags: { 'proxy-mode': mode },
    ...(changed.fullSyncPeriod && { fullSyncPeriod: changed.fullSyncPeriod }),
    ...(changed.networkProbeTimes && { networkProbeTimes: changed.networkProbeTimes }),
    ...(changed.nodeWaitTimes && { nodeWaitTimes: changed.nodeWaitTimes }),
  })
  onTestFinished(async () => {
    await proxy.stop()
    api.close()
  })
  const get = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  return {
    api,
    machine,
    written,
    lines,
    fails,
    proxy,
    health: (path: string) => get(health, path),
    metrics: (path: string) => get(metrics, path),
  }
}

/** Starts a proxy, and waits until it has loaded the rules of the endpoint. */
export async function startProgrammed(options: StartOptions = {}) {
  const node = await start(options)
  const { api, machine } = node
  /** Waits until the proxy has loaded a text since `machine.loads` was last emptied. */
  const loaded = (text: string) =>
    vi.waitFor(() => expect(machine.loads.join('')).toContain(text), { timeout: 10_000, interval: 20 })
  await vi.waitFor(() => expect(node.lines.join('')).toContain('"the node is programmed"'), 10_000)
  const first = machine.loads
  machine.loads = []
  /** Replaces the endpoints of the Service, and waits for the rules of the last one. */
  async function putEndpoints(...addresses: readonly string[]): Promise<void> {
    api.put('EndpointSlice', slice('web', ...addresses))
    await loaded(`${addresses.at(-1)}`)
  }
  return { ...node, first, loaded, putEndpoints }
}
