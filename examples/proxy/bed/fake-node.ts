import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { createLogger } from '../src/log.js'
import type { MachineFiles } from '../src/machine.js'
import { startProxy } from '../src/proxy.js'
import type { ApiObject } from '../src/reflect.js'
import type { RunTool } from '../src/run-tool.js'
import { type ApiServer, startApiServer } from './api-server.js'

export const NODE = { metadata: { name: 'node-1' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1' } } } as ApiObject
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
    write: (path, text) => written.set(path, text),
    findProgram: () => undefined,
  }
  return { machine, run, files, written }
}

/** Starts a proxy in this process, on a fake machine and with a fake API server, until the end of the test. */
export async function start(
  prepare: (api: ApiServer) => void,
  mode: 'iptables' | 'ipvs' | 'nftables' = 'iptables',
  changed: Partial<Parameters<typeof startProxy>[0]> = {},
) {
  const api = await startApiServer(50)
  prepare(api)
  const { machine, run, files, written } = fakeMachine(mode === 'nftables')
  const lines: string[] = []
  const fails: string[] = []
  const [health, metrics] = [await freePort(), await freePort()]
  const proxy = await startProxy({
    connect: api.kubeConfig,
    configuration: {
      clusterCIDR: '10.244.0.0/16',
      [mode]: {
        ...{ minSyncPeriod: '10ms', syncPeriod: '200ms' },
        ...(mode === 'ipvs' && { strictARP: true, tcpTimeout: '15m', tcpFinTimeout: '2m', udpTimeout: '5m' }),
      },
      healthzBindAddress: `127.0.0.1:${health}`,
      metricsBindAddress: `127.0.0.1:${metrics}`,
      ...changed.configuration,
    },
    mode,
    nodeName: 'node-1',
    ...{ run, files, configFile: changed.configFile, filePeriod: 50 },
    fail: (reason) => fails.push(reason),
    log: createLogger((line) => lines.push(line)),
    reflectTimes: { pause: 10, longest: 50 },
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

/** A cluster of one Service with one endpoint. */
export function oneService(api: ApiServer): void {
  api.put('Node', NODE)
  api.put('Service', service('web', '10.96.0.10'))
  api.put('EndpointSlice', slice('web', '10.244.1.5'))
}
