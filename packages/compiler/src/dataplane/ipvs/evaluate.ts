import { joinHostPort } from '@kube-rules/types'
import { fraction } from '../../internal/fraction.js'
import {
  assuming,
  type Branch,
  type Departed,
  depart,
  NEXT,
  type Station,
  type Step,
  weighed,
  withPacket,
  withStep,
} from '../netfilter/branch.js'
import type { Hook } from '../netfilter/hooks.js'
import { partByLocality } from '../netfilter/locality.js'
import type { Surroundings } from '../netfilter/surroundings.js'
import { FLAG_PERSISTENT, type IpvsState, type RealServer, type VirtualServer } from './ast.js'
import { withServersInOrder } from './canonical.js'
import { realServerLine, virtualServerLine } from './print.js'

/** Where ipvs takes packets for virtual servers (`ip_vs_remote_request4`, `ip_vs_local_request4` of the kernel). */
const PRIORITIES: readonly (readonly [hook: Hook, priority: number])[] = [
  ['INPUT', 99],
  ['OUTPUT', -98],
]

/**
 * The virtual servers of a state as stations; `owners` has the labels of some, by `10.96.0.1:80/TCP`. Real servers come in
 * the order of `inOrder`, whatever that of the state: of ways that end alike the first tells its steps.
 */
export function ipvsStations(
  state: IpvsState,
  surroundings: Surroundings,
  owners: ReadonlyMap<string, string> = new Map(),
): readonly Station[] {
  const servers = new Map(state.virtualServers.map((server) => [keyOf(server), server]))
  const marks = (state.unknownLines ?? []).length > 0
  return PRIORITIES.map(([hook, priority]) => ({
    hook,
    priority,
    visit: (branch) => {
      const { packet } = branch
      if (packet.virtualServer !== undefined) return [depart(branch, NEXT)]
      if (marks && packet.mark !== 0) return [depart(branch, { to: 'unknown', reason: MARKED })]
      const { destination: address, destinationPort: port } = packet
      const protocol = packet.protocol.toUpperCase()
      const server =
        servers.get(keyOf({ address, port, protocol })) ?? servers.get(keyOf({ address, port: 0, protocol }))
      if (server === undefined) return [depart(branch, NEXT)]
      return schedule(withServersInOrder(server), stepOf(hook, owners.get(keyOf(server)) ?? ''), branch, surroundings)
    },
  }))
}

const MARKED = 'a virtual server may take packets by their mark'

function keyOf({ address, port, protocol }: { address: string; port: number; protocol: string }): string {
  return `${joinHostPort(address, port)}/${protocol}`
}

type StepOf = (text: string, verdict: string) => Step

function stepOf(hook: Hook, owner: string): StepOf {
  return (text, verdict) => ({ hook, by: 'ipvs', chain: '', text, verdict, jumpsTo: '', comment: '', owner })
}

function schedule(
  server: VirtualServer,
  step: StepOf,
  branch: Branch,
  surroundings: Surroundings,
): readonly Departed[] {
  const { address, port, protocol } = server
  const stepped = withStep(branch, step(virtualServerLine('-A', server), keyOf(server)))
  const place = { address, port, protocol: protocol.toLowerCase() }
  const taken = withPacket(stepped, { ...branch.packet, virtualServer: place })
  const chosen = choose(server, taken, surroundings)
  if (chosen.length === 0) return [depart(taken, { to: 'rejected', with: answerOf(address) })]
  return chosen.flatMap(({ realServer, branch: way }) => {
    const chosenStep = step(realServerLine('-a', server, realServer), placeText(realServer))
    return send(realServer, withStep(way, chosenStep), surroundings)
  })
}

function placeText({ address, port }: RealServer): string {
  return joinHostPort(address, port)
}

/** Without servers the kernel says that the port is unreachable. */
function answerOf(address: string): string {
  return address.includes(':') ? 'icmp6-port-unreachable' : 'icmp-port-unreachable'
}

interface Choice {
  readonly realServer: RealServer
  readonly branch: Branch
}

/** The real servers that may get the packet: rr and wrr by their weights, of others any with a weight. */
function choose(server: VirtualServer, branch: Branch, { persistentServer }: Surroundings): readonly Choice[] {
  const { flags, realServers, scheduler } = server
  const bound = flags & FLAG_PERSISTENT ? persistentServer(keyOf(server), branch.packet.source) : undefined
  const kept = realServers.find((realServer) => placeText(realServer) === bound)
  if (kept !== undefined) return [{ realServer: kept, branch }]
  const open = realServers.filter(({ weight }) => weight > 0)
  const [only, ...others] = open
  if (only !== undefined && others.length === 0) return [{ realServer: only, branch }]
  return open.map((realServer) => ({ realServer, branch: chosenBy(scheduler, realServer, open, branch) }))
}

function chosenBy(scheduler: string, realServer: RealServer, open: readonly RealServer[], branch: Branch): Branch {
  if (scheduler === 'rr') return weighed(branch, fraction(1n, BigInt(open.length)))
  if (scheduler === 'wrr') {
    const sum = open.reduce((total, { weight }) => total + BigInt(weight), 0n)
    return weighed(branch, fraction(BigInt(realServer.weight), sum))
  }
  return assuming(branch, `ipvs: ${scheduler} chooses ${placeText(realServer)}`, true)
}

/**
 * A real server on the node itself gets the packet where it is; for others it is sent out anew. One with port 0, of a
 * virtual server for every port, leaves the port as it is.
 */
function send({ address, port }: RealServer, branch: Branch, surroundings: Surroundings): readonly Departed[] {
  const destinationPort = port === 0 ? branch.packet.destinationPort : port
  const packet = { ...branch.packet, destination: address, destinationPort, translatedBy: 'ipvs' as const }
  const { local, away } = partByLocality(withPacket(branch, packet), surroundings)
  return [...local.map((way) => depart(way, NEXT)), ...away.map((way) => depart(way, { to: 'output' }))]
}
