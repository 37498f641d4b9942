import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import type { CompileInput, IpFamily, IptablesBackend, ProxyMode } from '@kube-rules/compiler'
import { outputOf, type RunTool } from './run-tool.js'

type HostFacts = NonNullable<CompileInput['host']>

/** The files below /proc and /sys. Tests replace them. */
export interface MachineFiles {
  /** Returns the content of a file; undefined if it does not exist. */
  read(path: string): string | undefined
  /** Returns the lines of a long file that contain a text; undefined if the file does not exist. */
  linesWith(path: string, text: string): Promise<string | undefined>
  write(path: string, text: string): void
  /** Returns the file of a program, with all symbolic links resolved. */
  findProgram(name: string): string | undefined
}

export const machineFiles: MachineFiles = {
  read: (path) => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  },
  linesWith: async (path, text) => {
    const file = await open(path).catch(() => undefined)
    if (file === undefined) return undefined
    const found: string[] = []
    for await (const line of file.readLines()) if (line.includes(text)) found.push(line)
    return found.join('\n')
  },
  write: (path, text) => writeFileSync(path, text),
  findProgram: (name) => {
    const folder = process.env.PATH?.split(':').find((each) => existsSync(`${each}/${name}`))
    return folder === undefined ? undefined : realpathSync(`${folder}/${name}`)
  },
}

/** The facts about a machine that do not change while the program runs. */
export interface Machine {
  readonly families: readonly IpFamily[]
  readonly backend: IptablesBackend
  readonly iptablesRandomFully: boolean
  /** The names of the counters of nfacct; undefined if the node does not have nfacct. */
  readonly counters: readonly string[] | undefined
}

/** The counters of kube-proxy 1.32 and newer, by their metric. */
export const COUNTERS = {
  kubeproxy_iptables_ct_state_invalid_dropped_packets_total: 'ct_state_invalid_dropped_pkts',
  kubeproxy_iptables_localhost_nodeports_accepted_packets_total: 'localhost_nps_accepted_pkts',
} as const

/** Reads the facts about the machine. `chosen` is the back end of iptables, if several are installed. */
export async function readMachine(
  run: RunTool,
  files: MachineFiles,
  mode: ProxyMode,
  chosen?: IptablesBackend,
): Promise<Machine> {
  const installed = mode === 'nftables' ? NEWEST : await readIptables(run, files)
  // Only iptables 1.8 and newer has two back ends.
  const { backend, iptablesRandomFully } =
    chosen === undefined || mode === 'nftables' ? installed : { ...NEWEST, backend: chosen }
  const counters = mode === 'iptables' ? await readCounters(run) : undefined
  const hasTool = mode === 'nftables' || files.findProgram('ip6tables') !== undefined
  return {
    families: hasTool && files.read('/proc/net/if_inet6') !== undefined ? ['IPv4', 'IPv6'] : ['IPv4'],
    ...{ backend, iptablesRandomFully },
    counters: counters && [...counters.keys()],
  }
}

const NEWEST = { backend: 'nft', iptablesRandomFully: true } as const

/** From iptables 1.8 on, the file name of the program shows its back end, so it need not be run. */
async function readIptables(
  run: RunTool,
  files: MachineFiles,
): Promise<Pick<Machine, 'backend' | 'iptablesRandomFully'>> {
  const program = files.findProgram('iptables')
  if (program?.endsWith('-nft-multi')) return NEWEST
  if (program?.endsWith('-legacy-multi')) return { ...NEWEST, backend: 'legacy' }
  const version = await outputOf(run, 'iptables', '--version')
  const backend = version?.includes('nf_tables') ? 'nft' : 'legacy'
  return { backend, iptablesRandomFully: version === undefined || isAtLeast(version, '1.6.2') }
}

/** Returns the number of packets of each counter; undefined if the kernel or the node does not have nfacct. */
export async function readCounters(run: RunTool): Promise<ReadonlyMap<string, number> | undefined> {
  const text = await outputOf(run, 'nfacct', 'list')
  const counters = text?.matchAll(/pkts = (\d+), bytes = \d+ \} = (\S+);/g)
  return counters && new Map(Array.from(counters, ([, packets, name = '']) => [name, Number(packets)]))
}

/** The facts that can change while the program runs. `usesInterfaces` is false if no rule depends on addresses of the machine. */
export function hostFacts(machine: Machine, files: MachineFiles, usesInterfaces: boolean): HostFacts {
  const { iptablesRandomFully, counters } = machine
  const beLiberal = files.read('/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal')?.trim()
  const isLiberal = beLiberal !== undefined && beLiberal !== '0'
  return {
    ...{ iptablesRandomFully, nfacctCounters: counters !== undefined },
    ...(beLiberal !== undefined && { conntrackTcpBeLiberal: isLiberal }),
    ...(usesInterfaces && { interfaces: ownInterfaces() }),
  }
}

function ownInterfaces(): HostFacts['interfaces'] {
  return Object.entries(networkInterfaces())
    .map(([name, all = []]) => ({ name, addresses: all.flatMap(({ address, cidr }) => ownAddress(address, cidr)) }))
    .filter(({ name, addresses }) => name !== 'kube-ipvs0' && addresses.length > 0)
}

/** Ignores link-local addresses: each pod adds one, and Services do not use them. */
function ownAddress(address: string, cidr: string | null): readonly string[] {
  return cidr === null || /^fe[89ab]/i.test(address) ? [] : [cidr]
}

/** Reports whether the first version in a text is at least `least`. */
export function isAtLeast(text: string, least: string): boolean {
  const [version = ''] = /(?<!\d)\d+\.\d+(\.\d+)?/.exec(text) ?? []
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}

/** Reads the facts about the machine that the rules depend on: those of the start, and every change. */
export function createHostReader(...machine: Parameters<typeof hostFacts>) {
  const first = hostFacts(...machine)
  let known = JSON.stringify(first)
  return {
    first,
    /** Calls a function with the facts if they have changed since the last call. */
    onChange: (use: (facts: HostFacts) => void): void => {
      const next = hostFacts(...machine)
      const text = JSON.stringify(next)
      if (text !== known) use(next)
      known = text
    },
  }
}
