import { fileURLToPath } from 'node:url'
import type { IpFamily, Packet } from '@kube-rules/types'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { diff } from '../../../src/diff/diff.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type CommandExecutor, type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { iptablesTools } from '../sandbox/tools.js'
import { clusterOf, type Pods } from './cluster.js'
import { buildTopology, HOST, type Place } from './topology.js'

/** A network with servers in its pods, and a node with our rules. */
export interface Lab {
  readonly rules: LabRules
  readonly result: CompileResult
  readonly on: (place: Place) => CommandExecutor
  /** Sends packets of several kinds in parallel; returns the observations in their order. */
  readonly probe: (from: Place, probes: readonly Probe[]) => Promise<readonly Observation[]>
}

/** The rules of the node in a lab. */
export interface LabRules {
  readonly family: IpFamily
  readonly backend: IptablesBackend
  /** `pods` overrides the endpoints of Services. */
  readonly compile: (pods?: Pods, previous?: CompileResult) => CompileResult
  /** Creates foreign rules: a command with its input. */
  readonly firewall: { readonly command: readonly string[]; readonly input: string }
}

export interface Probe {
  readonly packet: Packet
  /** The number of packets. Default 60: the probability that one of three endpoints gets none of them is 1 in 10^10. */
  readonly count?: number
  /** The timeout of a response. Default 3000: over IPv6 a rejection arrives only after a second. */
  readonly milliseconds?: number
}

/** The number of each response, `NAME ADDRESS` of the server, and of each error. */
export interface Observation {
  readonly answers: Readonly<Record<string, number>>
  readonly errors: Readonly<Record<string, number>>
}

// Another program's firewall rejects packets that our rules did not accept before.
const IPTABLES_FIREWALL = '*filter\n-A INPUT -p tcp -m tcp --dport 32000:32001 -j REJECT\nCOMMIT\n'
const NFTABLES_FIREWALL =
  'table inet firewall { chain input { type filter hook input priority 0; tcp dport 32000-32001 reject; }; }'

export function iptablesRules(family: IpFamily, backend: IptablesBackend): LabRules {
  const options = { nodeName: 'node', families: [family] }
  const command = [iptablesTools(family, backend).restore, '--noflush']
  return {
    ...{ family, backend, firewall: { command, input: IPTABLES_FIREWALL } },
    compile: (pods, previous) => compile(clusterOf(pods), { ...options, previous }),
  }
}

/** Builds rules of nftables mode; from 1.37 on they reject node ports of loopback addresses. */
export function nftablesRules(family: IpFamily, kubernetesVersion: string): LabRules {
  const options = { nodeName: 'node', families: [family], kubernetesVersion }
  const gates = kubernetesVersion === '1.37' ? { KubeProxyNFTablesLocalhostNodePorts: true } : {}
  return {
    ...{ family, backend: 'nft', firewall: { command: ['nft', '-f', '-'], input: NFTABLES_FIREWALL } },
    compile: (pods, previous) => {
      const { configuration, ...cluster } = clusterOf(pods)
      const inNftables = { ...configuration, mode: 'nftables', featureGates: gates }
      return compile({ ...cluster, configuration: inNftables }, { ...options, previous })
    },
  }
}

const ANY_ADDRESS: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0', IPv6: '::' }

export async function buildLab(sandbox: Sandbox, rules: LabRules): Promise<Lab> {
  const { family, backend, firewall } = rules
  await buildTopology(sandbox)
  const on = (place: Place) => within(sandbox, place)
  const result = rules.compile()
  succeeded(await on('node')(firewall.command, firewall.input))
  await runToolCommands(on('node'), toCommands(diff(undefined, result), { backend }), backend)
  for (const pod of ['pod1', 'pod2', 'pod3'] as const) await serve(sandbox, pod, family, ['8080', '5353'])
  await serve(sandbox, 'node', family, ['32000', '32001'])
  return { rules, result, on, probe: (from, probes) => probe(on(from), probes) }
}

/** Starts servers in a place. Their responses contain a name, by default the name of the place. */
export function serve(
  sandbox: Sandbox,
  place: Place,
  family: IpFamily,
  ports: readonly string[],
  name: string = place,
): Promise<void> {
  const server = [process.execPath, programPath('server.mjs'), name, ANY_ADDRESS[family], ...ports]
  return sandbox.start(['nsenter', `--net=/run/netns/${place}`, '--', ...server])
}

export async function probe(run: CommandExecutor, probes: readonly Probe[]): Promise<readonly Observation[]> {
  const kinds = probes.map(({ packet, count = 60, milliseconds = 20_000 }) => {
    const { protocol, source, sourcePort = 0, destination, destinationPort: port } = packet
    return { protocol, source, sourcePort, destination, port, count, milliseconds }
  })
  const ran = await run([process.execPath, programPath('probe.mjs')], JSON.stringify(kinds))
  succeeded(ran)
  return JSON.parse(ran.stdout)
}

/** Returns the path of a program in this folder. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** Summarizes an observation in the words of a case's `expected`. */
export function summaryOf({ answers, errors }: Observation, { source }: Packet): string {
  const seen = Object.keys(answers).map((answer) => {
    const [name, address = ''] = answer.split(' ')
    return address === source ? name : `${name}${isOfNode(address) ? '*' : ` from ${address}`}`
  })
  return [...seen, ...Object.keys(errors).map((code) => OUTCOMES.get(code) ?? code)].sort().join(' ')
}

const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'reject'],
  ['timeout', 'drop'],
])

function isOfNode(address: string): boolean {
  return HOST.interfaces?.some(({ addresses }) => addresses.some((own) => own.split('/')[0] === address)) ?? false
}
