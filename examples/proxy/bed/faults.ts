import type { ApiServer } from './api-server.js'
import { run } from './network.js'
import type { ProxyProcess } from './proxy-process.js'

export interface Fault {
  readonly name: string
  readonly inject: () => void | Promise<void>
  /** Whether requests may fail until the proxy has repaired the rules, because somebody else has removed them. */
  readonly removesRules?: boolean
}

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Everything that goes wrong on a node: the API server, the proxy itself, its tools, and other programs. */
export function faultsFor(mode: string, api: ApiServer, proxy: ProxyProcess, random: () => number): readonly Fault[] {
  return [
    { name: 'all connections to the API server are reset', inject: api.faults.reset },
    { name: 'the API server is away', inject: () => api.faults.restart(1_000) },
    { name: 'watches expire (410)', inject: api.faults.expire },
    {
      name: 'bodies are truncated',
      inject: () => {
        api.faults.truncate(3)
        api.faults.expire()
      },
    },
    { name: 'events are truncated', inject: () => api.faults.truncate(3) },
    { name: 'watches are half-open', inject: api.faults.freeze },
    {
      name: 'lists are slow',
      inject: async () => {
        api.faults.slowLists(800)
        api.faults.expire()
        await sleep(1_600)
        api.faults.slowLists(0)
      },
    },
    {
      name: 'the token has expired (401)',
      inject: async () => {
        api.faults.answer(401)
        await sleep(800)
        api.faults.answer(0)
      },
    },
    {
      name: 'the proxy is killed',
      inject: async () => {
        await proxy.end('SIGKILL')
        await sleep(500)
        proxy.start()
      },
    },
    {
      name: 'the proxy is restarted',
      inject: async () => {
        await proxy.end('SIGTERM')
        proxy.start()
      },
    },
    {
      name: 'tools fail',
      inject: async () => {
        proxy.failTools(true)
        await sleep(1_200)
        proxy.failTools(false)
      },
    },
    ...(mode === 'nftables' ? nftablesEdits() : iptablesEdits(random)),
  ]
}

function iptablesEdits(random: () => number): readonly Fault[] {
  return [
    { name: 'a table is flushed', inject: () => void run('iptables -w 5 -t nat -F'), removesRules: true },
    { name: 'all of nftables is flushed', inject: () => void run('nft flush ruleset'), removesRules: true },
    { name: 'a jump is removed', inject: () => void run('iptables -w 5 -t nat -D OUTPUT 1'), removesRules: true },
    {
      name: 'a rule is removed',
      inject: () => {
        const chains = run('iptables -w 5 -t nat -S').match(/^-N KUBE-SVC-\S+/gm) ?? []
        const chain = chains[Math.floor(random() * chains.length)]?.slice(3)
        if (chain !== undefined) run(`iptables -w 5 -t nat -D ${chain} 1 || true`)
      },
      removesRules: true,
    },
  ]
}

function nftablesEdits(): readonly Fault[] {
  return [
    { name: 'all of nftables is flushed', inject: () => void run('nft flush ruleset'), removesRules: true },
    {
      name: 'the table is deleted',
      inject: () => void run('nft delete table ip kube-proxy || true'),
      removesRules: true,
    },
    {
      name: 'a map is flushed',
      inject: () => void run('nft flush map ip kube-proxy service-ips || true'),
      removesRules: true,
    },
  ]
}
