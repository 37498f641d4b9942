import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The addresses of the node, of an external client, and of the pods. */
export const NODE_ADDRESS = '192.168.77.1'
export const CLIENT_ADDRESS = '192.168.77.2'
export const POD_NETWORK = '10.244.0.0/16'
export const podAddress = (index: number) => `10.244.1.${index + 1}`

/** An environment variable that is set in the process inside the namespaces. */
const INSIDE = 'KUBE_RULES_BED'

/** The milliseconds after which a script or the start of the pods fails. */
const LONGEST_SCRIPT = 120_000

const NAMESPACES = ['--net', '--mount', '--pid', '--fork']

/** Returns why the test bed of a mode cannot run here, and undefined if it can. */
export function reasonAgainstBed(mode: string): string | undefined {
  const script = mode === 'ipvs' ? 'ip link show && modprobe ip_vs' : 'ip link show'
  const { status, stderr, error } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', script], { encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}

export function isInside(): boolean {
  return process.env[INSIDE] !== undefined
}

/** Runs this program again in new namespaces. All processes in them end with it. */
export function runInside(): number {
  const args = [...NAMESPACES, '--kill-child', '--mount-proc', process.execPath, ...process.argv.slice(1)]
  return spawnSync('unshare', args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } }).status ?? 1
}

/** Connects this namespace, which is the node, to another namespace for pods and clients. */
export function buildNetwork(podCount: number): void {
  const pods = Array.from({ length: podCount }, (_, index) => `ip -n pods address add ${podAddress(index)}/32 dev lo`)
  run(`
    mount --make-rprivate /
    mount -t tmpfs tmpfs /run
    ip netns add pods
    ip link set lo up
    ip link add to-pods type veth peer name to-node netns pods
    ip address add ${NODE_ADDRESS}/24 dev to-pods
    ip link set to-pods up
    ip -n pods address add ${CLIENT_ADDRESS}/24 dev to-node
    ip -n pods link set lo up
    ip -n pods link set to-node up
    ${pods.join('\n')}
    ip route add ${POD_NETWORK} via ${CLIENT_ADDRESS}
    ip route add 10.96.0.0/12 via ${CLIENT_ADDRESS}
    ip -n pods route add default via ${NODE_ADDRESS}
    sysctl -q -w net.ipv4.ip_forward=1
  `)
}

export function run(script: string): string {
  return execFileSync('sh', ['-e'], { input: script, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: LONGEST_SCRIPT })
}

/** Starts the process that answers for all pods. */
export async function startPods(podCount: number): Promise<ChildProcess> {
  const addresses = Array.from({ length: podCount }, (_, index) => podAddress(index))
  const file = fileURLToPath(new URL('pod.mjs', import.meta.url))
  const child = spawn('ip', ['netns', 'exec', 'pods', process.execPath, file, '8080', ...addresses], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(LONGEST_SCRIPT) })
  return child
}

/**
 * Loses all packets to and from a port of this namespace until `stop`. They are lost where they arrive, like in a broken
 * network: a sender would notice a drop of its own machine.
 */
export function losePackets(port: string): { stop(): void } {
  const chain = 'chain input { type filter hook input priority -500;'
  run(`nft 'table ip lost-packets { ${chain} tcp sport ${port} drop; tcp dport ${port} drop; }; }'`)
  return { stop: () => void run('nft delete table ip lost-packets') }
}
