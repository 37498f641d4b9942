import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { expect, it, type TestContext } from 'vitest'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileResult, FamilyResult } from '../../../src/compilation/compile-result.js'
import { diff } from '../../../src/diff/diff.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { PACKET_CASES, type PacketCase, packetOf } from '../packets/cases.js'
import { clusterOf } from '../packets/cluster.js'
import { type Observation, summaryOf } from '../packets/lab.js'
import { traced } from '../packets/predict.js'
import { ADDRESSES, buildTopology, type Place } from '../packets/topology.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type CommandExecutor, type Sandbox, succeeded, within } from '../sandbox/sandbox.js'

/** Cases without a server, because nothing on the node itself responds in the machine. */
const UNANSWERED: readonly string[] = [
  'the node to a node port of its loopback address',
  'a client to the health-check port',
]

/** Cases with the planned outcome in ipvs mode. For the rest `expected` is the outcome of iptables mode. */
const AS_PLANNED: ReadonlySet<string> = new Set([
  'a pod to a cluster IP',
  'a client to a cluster IP',
  'the node to a cluster IP',
  'a client to a node port',
  'a client to an external IP',
  'a client to a load balancer',
  'a pod by UDP to a cluster IP',
  'a pod by SCTP to a cluster IP',
  'a client by SCTP to a cluster IP',
  'the only endpoint to its own cluster IP',
  'a client to a load balancer with policy Local',
  'a client inside the source ranges to a load balancer',
  'a client outside the source ranges to a load balancer',
])

/** Returns all cases for ipvs mode; for iptables mode only those that need SCTP. */
function casesOf(mode: ProxyMode, family: IpFamily): readonly PacketCase[] {
  const ofFamily = PACKET_CASES.filter((each) => (each.family ?? family) === family)
  if (mode === 'iptables') return ofFamily.filter(({ name }) => name === 'a client by SCTP to a cluster IP')
  return ofFamily.filter(({ name }) => !UNANSWERED.includes(name))
}

/**
 * The number of packets. ipvs mode selects servers in turn, and the other modes select randomly: the probability that
 * one of three servers gets none of 40 packets is 1 in 10^6.
 */
const COUNTS: Readonly<Record<ProxyMode, number>> = { iptables: 40, ipvs: 6, nftables: 40, userspace: 1 }

/** Sends packets through the rules of one mode and family, in the machine with ip_vs and SCTP. */
export function testPacketsInMachine(
  sandboxFor: (context: TestContext) => Promise<Sandbox>,
  mode: ProxyMode,
  family: IpFamily,
): void {
  const input = { ...clusterOf(), configuration: { ...clusterOf().configuration, mode } }
  const result = compile(input, { nodeName: 'node', families: [family] })
  const cases = casesOf(mode, family)
  let ready: Promise<void> | undefined

  // Emulation may be slow and lose a packet.
  it.for(cases)('from $name has the expected outcome', { retry: 2 }, async (each, context) => {
    const sandbox = await sandboxFor(context)
    ready ??= prepare(sandbox)
    await ready
    const packet = packetOf(each, family)
    const [{ state, plan }] = result.families as readonly [FamilyResult]
    const predicted = traced(state, packet, traceContextFor(plan))
    if (mode === 'iptables' || AS_PLANNED.has(each.name)) expect(predicted).toBe(each.expected)
    const observed = await probe(within(sandbox, each.from), { ...each, expected: predicted })
    expect(summaryOf(observed, packet)).toBe(predicted)
    // Round robin: each endpoint gets an equal number.
    if (mode === 'ipvs') expect(new Set(Object.values(observed.answers)).size).toBeLessThanOrEqual(1)
  })

  async function prepare(sandbox: Sandbox): Promise<void> {
    for (const place of Object.keys(ADDRESSES)) await sandbox.run(['ip', 'netns', 'delete', place])
    await buildTopology(sandbox)
    const node = within(sandbox, 'node')
    if (result.mode === 'ipvs') succeeded(await node(['sh', '-ec', hostScript(result)]))
    await runToolCommands(node, toCommands(diff(undefined, result)), 'nft')
    succeeded(await node(['modprobe', 'sctp']))
    for (const pod of ['pod1', 'pod2', 'pod3'] as const) await serve(sandbox, pod)
  }

  async function serve(sandbox: Sandbox, pod: Place): Promise<void> {
    const answer = `SYSTEM:echo ${pod} $SOCAT_PEERADDR`
    const digit = family === 'IPv4' ? 4 : 6
    const listeners = [
      `TCP${digit}-LISTEN:8080,fork,reuseaddr`,
      `UDP${digit}-RECVFROM:5353,fork`,
      `SCTP${digit}-LISTEN:9899,fork,reuseaddr`,
    ]
    // Restarts a server that exits, for example if the kernel is busy.
    const forever = 'while :; do socat "$1" "$2"; sleep 1; done'
    for (const listen of listeners) {
      await sandbox.start(['nsenter', `--net=/run/netns/${pod}`, '--', 'sh', '-c', forever, 'sh', listen, answer])
    }
  }

  async function probe(run: CommandExecutor, each: PacketCase): Promise<Observation> {
    const { protocol, source, destination, destinationPort } = packetOf(each, family)
    const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)
    const wait = protocol === 'UDP' ? '' : ',connect-timeout=2'
    const to = `${protocol}:${bracketed(destination)}:${destinationPort},bind=${bracketed(source)}${wait}`
    // Only a UDP server needs a request; the end of one would close an SCTP connection.
    const request = protocol === 'UDP' ? `echo | socat -t0.5 -T2 - '${to}'` : `socat -u -T2 '${to}' -`
    const { stdout } = await run([
      'sh',
      '-c',
      `for i in $(seq ${each.expected === 'drop' ? 2 : COUNTS[mode]}); do ${request} 2>&1 | tail -n 1; done`,
    ])
    return observationOf(stdout)
  }
}

/**
 * Builds a script with the kernel modules and settings that the library requires for ipvs mode, except those for other
 * kernels.
 */
export function hostScript({ families }: CompileResult): string {
  const { kernelModules = [], sysctls = [] } = families[0]?.hostRequirements ?? {}
  const settings = sysctls.filter(({ kernels }) => kernels === undefined)
  return [
    ...kernelModules.map((name) => `modprobe ${name}`),
    ...settings.map(({ name, value }) => `echo ${value} > /proc/sys/${name.replaceAll('.', '/')}`),
  ].join('\n')
}

/** Parses lines such as `pod1 192.0.2.2` or `… E connect(…): Connection refused`. */
function observationOf(output: string): Observation {
  const answers: Record<string, number> = {}
  const errors: Record<string, number> = {}
  for (const line of output.split('\n').filter(Boolean)) {
    const [name, address = ''] = line.split(' ')
    const counts = name?.startsWith('pod') ? answers : errors
    const what = counts === answers ? `${name} ${parseIp(address.replace(/[[\]]/g, ''))?.text}` : errorOf(line)
    counts[what] = (counts[what] ?? 0) + 1
  }
  return { answers, errors }
}

function errorOf(line: string): string {
  if (line.includes('refused')) return 'ECONNREFUSED'
  return line.includes('timed out') ? 'timeout' : line
}
