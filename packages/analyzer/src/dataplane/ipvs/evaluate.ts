import {
  FLAG_PERSISTENT,
  type IpvsState,
  type RealServer,
  type VirtualServer,
} from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { withServersInOrder } from '@kube-rules/compiler/internal/dataplane/ipvs/canonical'
import { realServerLine, virtualServerLine } from '@kube-rules/compiler/internal/dataplane/ipvs/print'
import { virtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import { realServerText, virtualServerText } from '@kube-rules/compiler/internal/dataplane/ipvs/server-text'
import {
  assuming,
  type Branch,
  type ChangedByStep,
  type Departed,
  depart,
  type MakeStep,
  NEXT,
  OUTPUT,
  type Station,
  weighed,
  withPacket,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { askDestination, withDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import type { Known } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import { fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { memo } from '@kube-rules/compiler/internal/internal/memo'
import { partByLocality } from '../netfilter/locality.js'
import { pastMissing } from '../netfilter/missing.js'

/** The hooks with packets for virtual servers (`ip_vs_remote_request4`, `ip_vs_local_request4` of the kernel). */
const PRIORITIES: readonly (readonly [hook: Hook, priority: number])[] = [
  ['INPUT', 99],
  ['OUTPUT', -98],
]

/**
 * Creates the hook handlers for the virtual servers of a state; `owners` are labels by id. Real servers have the order
 * of `withServersInOrder`, regardless of the state, because the first of several paths with equal results provides the
 * steps.
 */
export function ipvsStations(
  state: IpvsState,
  knowledge: Knowledge,
  owners: () => ReadonlyMap<string, string> = () => new Map(),
): readonly Station[] {
  const servers = memo(state, serversByPlace)
  const serverFor = ({ protocol: name, destination: address, destinationPort: port }: KernelPacket) => {
    const protocol = name.toUpperCase()
    return (
      servers.get(virtualServerText({ address, port, protocol })) ??
      servers.get(virtualServerText({ address, port: 0, protocol }))
    )
  }
  const marks = (state.unknownLines ?? []).length > 0
  return PRIORITIES.map(([hook, priority]) => ({
    hook,
    priority,
    visit: (branch) => {
      const { packet } = branch
      if (packet.virtualServer !== undefined) return [depart(branch, NEXT)]
      if (marks && packet.mark !== 0) return [depart(branch, { to: 'unknown', reason: MARKED })]
      const server = askDestination(packet, serverFor)
      const goOn = (way: Branch) =>
        server === undefined
          ? [depart(way, NEXT)]
          : schedule(
              withServersInOrder(server),
              stepOf(hook, () => owners().get(virtualServerId(server)) ?? ''),
              way,
              knowledge,
            )
      const reason = missingOfServer(server, knowledge.known)
      if (reason === undefined) return goOn(branch)
      return pastMissing(branch, { reason, goOn, stop: (way, reason) => depart(way, { to: 'unknown', reason }) })
    },
  }))
}

function serversByPlace({ virtualServers }: IpvsState): ReadonlyMap<string, VirtualServer> {
  return new Map(virtualServers.map((server) => [virtualServerText(server), server]))
}

/** Returns the reason why a virtual server, or its existence, is not fully known; undefined if it is. */
function missingOfServer(server: VirtualServer | undefined, known: Known | undefined): string | undefined {
  if (known === undefined) return undefined
  if (server === undefined) return known.isWhole('ipvs') ? undefined : 'not all virtual servers are in the dump'
  const text = virtualServerText(server)
  return known.isWhole('ipvs', virtualServerId(server)) ? undefined : `not all of virtual server ${text} is in the dump`
}

const MARKED = 'a virtual server may take packets by their mark'

type StepOf = (text: () => string, verdict: string, changes: ChangedByStep) => MakeStep

function stepOf(hook: Hook, owner: () => string): StepOf {
  return (text, verdict, changes) => () => ({
    hook,
    by: 'ipvs',
    chain: '',
    text: text(),
    verdict,
    jumpsTo: '',
    changes,
    comment: '',
    owner: owner(),
  })
}

function schedule(server: VirtualServer, step: StepOf, branch: Branch, knowledge: Knowledge): readonly Departed[] {
  const { address, port, protocol } = server
  const stepped = withStep(
    branch,
    step(() => virtualServerLine('-A', server), virtualServerText(server), ''),
  )
  const place = { address, port, protocol: protocol.toLowerCase() }
  const taken = withPacket(stepped, { ...branch.packet, virtualServer: place })
  const chosen = choose(server, taken, knowledge)
  if (chosen.length === 0) return [depart(taken, { to: 'rejected', with: answerOf(address) })]
  return chosen.flatMap(({ realServer, branch: way }) => {
    const line = () => realServerLine('-a', server, realServer)
    const chosenStep = step(line, realServerText(realServer), 'destination')
    return send(realServer, withStep(way, chosenStep), knowledge)
  })
}

/** Returns the ICMP message of a virtual server without real servers: the kernel reports port unreachable. */
function answerOf(address: string): string {
  return address.includes(':') ? 'icmp6-port-unreachable' : 'icmp-port-unreachable'
}

interface Choice {
  readonly realServer: RealServer
  readonly branch: Branch
}

/**
 * Returns the real servers that may get the packet: for rr and wrr by weight, for other schedulers any with a weight.
 */
function choose(server: VirtualServer, branch: Branch, { persistentServer }: Knowledge): readonly Choice[] {
  const { flags, realServers, scheduler } = server
  if (flags & FLAG_PERSISTENT) branch.packet.asked?.clients.set(virtualServerText(server), server.timeout)
  const bound = flags & FLAG_PERSISTENT ? persistentServer(virtualServerText(server), branch.packet.source) : undefined
  const kept = realServers.find((realServer) => realServerText(realServer) === bound)
  if (kept !== undefined) return [{ realServer: kept, branch }]
  const open = realServers.filter(({ weight }) => weight > 0)
  const [only, ...others] = open
  if (only !== undefined && others.length === 0) return [{ realServer: only, branch }]
  return open.map((realServer) => ({ realServer, branch: chosenBy(scheduler, realServer, open, branch) }))
}

function chosenBy(scheduler: string, realServer: RealServer, open: readonly RealServer[], branch: Branch): Branch {
  if (scheduler === 'rr') return weighed(branch, fraction(1, open.length))
  if (scheduler === 'wrr') {
    const sum = open.reduce((total, { weight }) => total + weight, 0)
    return weighed(branch, fraction(realServer.weight, sum))
  }
  return assuming(branch, `ipvs: ${scheduler} chooses ${realServerText(realServer)}`, true)
}

/**
 * Forwards a packet to a real server. A local real server receives it at this hook; for any other one the packet is
 * sent out again. A real server with port 0, of a virtual server for every port, preserves the port.
 */
function send({ address, port }: RealServer, branch: Branch, knowledge: Knowledge): readonly Departed[] {
  const destinationPort = port === 0 ? branch.packet.destinationPort : port
  const packet = withDestination(branch.packet, { address, port: destinationPort, by: 'server' })
  const { local, away } = partByLocality(withPacket(branch, packet), knowledge)
  return [...local.map((way) => depart(way, NEXT)), ...away.map((way) => depart(way, OUTPUT))]
}
