import {
  FLAG_PERSISTENT,
  type IpvsState,
  type RealServer,
  type VirtualServer,
} from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { sortRealServers } from '@kube-rules/compiler/internal/dataplane/ipvs/canonical'
import { formatRealServer, formatVirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/format-server'
import { formatRealServerLine, formatVirtualServerLine } from '@kube-rules/compiler/internal/dataplane/ipvs/print'
import { formatVirtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { KernelPacket } from '../../program/kernel-packet.js'
import type { BaseChain, Choice, Effect, Instruction, Literal } from '../../program/program.js'
import type { PathStep, StepFactory } from '../../program/steps.js'

/**
 * The hooks where the kernel handles packets for virtual servers (kernel functions `ip_vs_remote_request4` and
 * `ip_vs_local_request4`).
 */
const PRIORITIES: readonly (readonly [hook: Hook, priority: number])[] = [
  ['INPUT', 99],
  ['OUTPUT', -98],
]

/** Returns the owner of a virtual server, by its id. */
type OwnerLookup = () => ReadonlyMap<string, string>

/**
 * Lowers the virtual servers of a state. Real servers are sorted by `sortRealServers`, regardless of their order in the
 * state. This matters because the first of several paths with the same results provides the steps.
 */
export function lowerIpvs(
  state: IpvsState,
  coverage: CoverageQueries | undefined,
  owners: OwnerLookup,
): readonly BaseChain[] {
  const servers = memoize(state, serversByAddress)
  const marked = (state.unknownLines ?? []).length > 0 ? [MARKED] : []
  const isPart = coverage?.isComplete('ipvs') === false
  const unlisted = isPart ? [...marked, UNLISTED] : marked
  const lowered = new Map<VirtualServer, readonly Instruction[]>()
  const instructionsOf = (server: VirtualServer): readonly Instruction[] => {
    const existing = lowered.get(server)
    if (existing !== undefined) return existing
    const isWhole = coverage?.isComplete('ipvs', formatVirtualServerId(server)) !== false
    const instructions = [...marked, lowerServer(server, isWhole, owners)]
    lowered.set(server, instructions)
    return instructions
  }
  const instructionsFor = ({
    protocol: name,
    destination: address,
    destinationPort: port,
    virtualServer,
  }: KernelPacket) => {
    if (virtualServer !== undefined) return NO_INSTRUCTIONS
    const protocol = name.toUpperCase()
    const server =
      servers.get(formatVirtualServer({ address, port, protocol })) ??
      servers.get(formatVirtualServer({ address, port: 0, protocol }))
    return server === undefined ? unlisted : instructionsOf(server)
  }
  const chain = { name: 'ipvs', instructionsFor }
  return PRIORITIES.map(([hook, priority]) => ({ hook, priority, translates: false, chain }))
}

const NO_INSTRUCTIONS: readonly Instruction[] = []

/** A virtual server for marked packets, which the state does not describe. */
const MARKED: Instruction = {
  literals: [{ kind: 'mark', of: 'packet', value: 0, mask: 0xffffffff, negated: true }],
  effects: [{ kind: 'unknown', reason: 'a virtual server may take packets by their mark' }],
  condition: () => 'a virtual server takes the mark',
}

/** A virtual server that a text may not show. */
const UNLISTED: Instruction = {
  literals: [],
  effects: [],
  condition: () => 'a virtual server takes the packet',
  missing: 'not all virtual servers are in the dump',
}

function serversByAddress({ virtualServers }: IpvsState): ReadonlyMap<string, VirtualServer> {
  return new Map(virtualServers.map((server) => [formatVirtualServer(server), server]))
}

function lowerServer(server: VirtualServer, isWhole: boolean, owners: OwnerLookup): Instruction {
  const sorted = sortRealServers(server)
  const { address, port, flags, timeout } = sorted
  const protocol = sorted.protocol.toLowerCase()
  const name = formatVirtualServer(sorted)
  const stepOf = createStepFactory(() => owners().get(formatVirtualServerId(sorted)) ?? '')
  const schedule: Effect = {
    kind: 'schedule',
    server: { address, port, protocol },
    ...(flags & FLAG_PERSISTENT && { persistence: { name, seconds: timeout } }),
    choices: choicesOf(sorted, stepOf),
    otherwise: [{ kind: 'reject', with: answerOf(address) }],
  }
  const serverStep = stepOf(() => ({ text: formatVirtualServerLine('-A', sorted), target: name }))
  return {
    literals: literalsOf(sorted, protocol),
    effects: [{ kind: 'step', step: serverStep }, schedule],
    condition: () => `virtual server ${name} takes the packet`,
    ...(!isWhole && { missing: reasonOfPart(sorted, name) }),
  }
}

function reasonOfPart({ realServers }: VirtualServer, name: string): string {
  return realServers.length === 0
    ? `the dump has no real server of virtual server ${name}, but may be incomplete`
    : `not all of virtual server ${name} is in the dump`
}

/** A virtual server with port 0 takes packets to any port. */
function literalsOf({ address, port }: VirtualServer, protocol: string): readonly Literal[] {
  const ports = port === 0 ? [] : [{ first: port, last: port }]
  return [
    { kind: 'protocol', protocols: [protocol] },
    { kind: 'address', side: 'destination', operands: [{ text: address }] },
    ...ports.map((range): Literal => ({ kind: 'port', side: 'destination', ranges: [range] })),
  ]
}

/** Returns the ICMP message that the kernel sends for a virtual server without real servers: port unreachable. */
function answerOf(address: string): string {
  return address.includes(':') ? 'icmp6-port-unreachable' : 'icmp-port-unreachable'
}

type ServerStepFactory = (
  words: () => Pick<PathStep, 'text' | 'target'>,
  rewrites?: PathStep['rewrites'],
) => StepFactory

function createStepFactory(owner: () => string): ServerStepFactory {
  return (words, rewrites) => (hook) => ({
    hook,
    table: 'ipvs',
    chain: '',
    ...words(),
    jumpsTo: '',
    ...(rewrites && { rewrites }),
    comment: '',
    servicePort: owner(),
  })
}

/**
 * Returns the choices between real servers. For rr and wrr, each has a probability by weight. For other schedulers,
 * every real server with a weight above 0 may be chosen. A real server with weight 0 only keeps its clients.
 */
function choicesOf(server: VirtualServer, stepOf: ServerStepFactory): readonly Choice[] {
  const { realServers, scheduler } = server
  const open = realServers.filter(({ weight }) => weight > 0)
  const sum = open.reduce((total, { weight }) => total + weight, 0)
  const chanceOf = (realServer: RealServer): Pick<Choice, 'share' | 'condition'> => {
    if (realServer.weight === 0) return {}
    if (open.length === 1) return { share: createFraction(1, 1) }
    if (scheduler === 'rr') return { share: createFraction(1, open.length) }
    if (scheduler === 'wrr') return { share: createFraction(realServer.weight, sum) }
    return { condition: `ipvs: ${scheduler} chooses ${formatRealServer(realServer)}` }
  }
  return realServers.map((realServer) => {
    const { address, port } = realServer
    const target = formatRealServer(realServer)
    const step = stepOf(() => ({ text: formatRealServerLine('-a', server, realServer), target }), 'destination')
    return {
      ...chanceOf(realServer),
      name: target,
      effects: [
        { kind: 'step', step },
        { kind: 'send', address, port },
      ],
    }
  })
}
