import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiServer } from './api-server.js'
import { losePackets, run } from './network.js'
import type { ProxyProcess } from './proxy-process.js'

/** How long packets are lost, in milliseconds: longer than the kernel probes a connection before it ends it. */
const LOSS = 15_000

export interface Fault {
  readonly name: string
  readonly inject: () => void | Promise<void>
  /** Whether the fault removes rules, so that requests may fail until the proxy has repaired them. */
  readonly removesRules?: boolean
}

/** Creates a fault from steps: functions, and waiting times in milliseconds. */
function fault(name: string, ...steps: readonly (number | (() => unknown))[]): Fault {
  const inject = async () => {
    for (const step of steps) await (typeof step === 'number' ? sleep(step) : step())
  }
  return { name, inject }
}

/** All faults of a node: faults of the API server, the proxy itself, its tools, and other programs. */
export function faultsFor(mode: string, api: ApiServer, proxy: ProxyProcess, random: () => number): readonly Fault[] {
  return [
    { name: 'all connections to the API server are reset', inject: api.faults.reset },
    { name: 'the API server is away', inject: () => api.faults.restart(1_000) },
    { name: 'watches expire (410)', inject: api.faults.expire },
    { name: 'events are truncated', inject: () => api.faults.truncate(3) },
    { name: 'watches are half-open', inject: api.faults.freeze },
    fault('bodies are truncated', () => api.faults.truncate(3), api.faults.expire),
    {
      name: 'the network to the API server loses all packets',
      inject: async () => {
        const { stop } = losePackets(new URL(api.url).port)
        await sleep(LOSS)
        stop()
      },
    },
    fault(
      'lists are slow',
      () => api.faults.slowLists(800),
      api.faults.expire,
      1_600,
      () => api.faults.slowLists(0),
    ),
    fault(
      'the token has expired (401)',
      () => api.faults.answer(401),
      800,
      () => api.faults.answer(0),
    ),
    fault('the proxy is killed', () => proxy.end('SIGKILL'), 500, proxy.start),
    fault('the proxy is restarted', () => proxy.end('SIGTERM'), proxy.start),
    fault(
      'tools fail',
      () => proxy.failTools(true),
      1_200,
      () => proxy.failTools(false),
    ),
    removal('all of nftables is flushed', 'nft flush ruleset'),
    ...(mode === 'nftables' ? nftablesEdits() : iptablesEdits()),
    ...(mode === 'ipvs' ? ipvsEdits() : []),
    ...(mode === 'iptables'
      ? [{ name: 'a rule is removed', inject: () => removeRule(random), removesRules: true }]
      : []),
  ]
}

function removeRule(random: () => number): void {
  const chains = run('iptables -w 5 -t nat -S').match(/^-N KUBE-SVC-\S+/gm) ?? []
  const chain = chains[Math.floor(random() * chains.length)]?.slice(3)
  if (chain !== undefined) run(`iptables -w 5 -t nat -D ${chain} 1 || true`)
}

function iptablesEdits(): readonly Fault[] {
  return [
    removal('a table is flushed', 'iptables -w 5 -t nat -F'),
    removal('a jump is removed', 'iptables -w 5 -t nat -D OUTPUT 1'),
  ]
}

function flushServiceChain(list: string, flush: string): string {
  return `${list} | grep -o -m 1 'service-[A-Z0-9]\\{8\\}-[^ ]*' | xargs -r ${flush} || true`
}

function ipvsEdits(): readonly Fault[] {
  return [
    removal('all virtual servers are removed', 'ipvsadm -C'),
    removal(
      'a virtual server is removed',
      'ipvsadm -Sn | grep -m 1 ^-A | cut -d " " -f 2,3 | xargs ipvsadm -D || true',
    ),
    removal('a set is flushed', 'ipset flush KUBE-CLUSTER-IP || true'),
    removal('the device is removed', 'ip link delete kube-ipvs0 || true'),
  ]
}

function nftablesEdits(): readonly Fault[] {
  return [
    removal('the table is deleted', 'nft delete table ip kube-proxy || true'),
    removal('a map is flushed', 'nft flush map ip kube-proxy service-ips || true'),
    removal('the table is flushed', 'nft flush table ip kube-proxy || true'),
    removal(
      'the chain of a Service is flushed',
      flushServiceChain('nft list chains ip', 'nft flush chain ip kube-proxy'),
    ),
  ]
}

function removal(name: string, script: string): Fault {
  return { name, inject: () => void run(script), removesRules: true }
}
