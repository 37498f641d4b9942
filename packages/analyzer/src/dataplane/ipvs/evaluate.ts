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
import {
  recordDestinationRead,
  withDestination,
} from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { TOO_MANY_PATHS } from '../netfilter/chain-result.js'
import { splitByLocality } from '../netfilter/locality.js'
import { forkAtMissingContent } from '../netfilter/missing.js'
import {
  type HandlerResult,
  type HookHandler,
  NEXT_VERDICT,
  OUTPUT_VERDICT,
  type PathState,
  type PathStep,
  type StepFactory,
  scaleWeight,
  spendChoices,
  type TranslatedField,
  withAssumption,
  withPacket,
  withStep,
  withVerdict,
} from '../netfilter/path-state.js'

/**
 * The hooks where the kernel handles packets for virtual servers (kernel functions `ip_vs_remote_request4` and
 * `ip_vs_local_request4`).
 */
const PRIORITIES: readonly (readonly [hook: Hook, priority: number])[] = [
  ['INPUT', 99],
  ['OUTPUT', -98],
]

/**
 * Creates the hook handlers for the virtual servers of a state. `owners` are labels by id. Real servers are sorted by
 * `sortRealServers`, regardless of their order in the state. This matters because the first of several paths with the
 * same results provides the steps.
 */
export function createIpvsHookHandlers(
  state: IpvsState,
  facts: EvaluationContext,
  owners: () => ReadonlyMap<string, string> = () => new Map(),
): readonly HookHandler[] {
  const servers = memoize(state, serversByPlace)
  const serverFor = ({ protocol: name, destination: address, destinationPort: port }: KernelPacket) => {
    const protocol = name.toUpperCase()
    return (
      servers.get(formatVirtualServer({ address, port, protocol })) ??
      servers.get(formatVirtualServer({ address, port: 0, protocol }))
    )
  }
  const marks = (state.unknownLines ?? []).length > 0
  return PRIORITIES.map(([hook, priority]) => ({
    hook,
    priority,
    visit: (branch) => {
      const { packet } = branch
      if (packet.virtualServer !== undefined) return [withVerdict(branch, NEXT_VERDICT)]
      if (marks && packet.mark !== 0) return [withVerdict(branch, { kind: 'unknown', reason: MARKED })]
      const server = recordDestinationRead(packet, serverFor)
      const continuePath = (path: PathState) =>
        server === undefined
          ? [withVerdict(path, NEXT_VERDICT)]
          : schedule(
              sortRealServers(server),
              stepOf(hook, () => owners().get(formatVirtualServerId(server)) ?? ''),
              path,
              facts,
            )
      const reason = missingOfServer(server, facts.coverage)
      if (reason === undefined) return continuePath(branch)
      return forkAtMissingContent(branch, {
        reason,
        continuePath,
        stop: (path, reason) => withVerdict(path, { kind: 'unknown', reason }),
      })
    },
  }))
}

function serversByPlace({ virtualServers }: IpvsState): ReadonlyMap<string, VirtualServer> {
  return new Map(virtualServers.map((server) => [formatVirtualServer(server), server]))
}

/**
 * Returns the reason why the description of a virtual server in the dump may be incomplete, or why the server may exist
 * although the dump does not contain it. Undefined if neither is the case.
 */
function missingOfServer(server: VirtualServer | undefined, known: CoverageQueries | undefined): string | undefined {
  if (known === undefined) return undefined
  if (server === undefined) return known.isComplete('ipvs') ? undefined : 'not all virtual servers are in the dump'
  const text = formatVirtualServer(server)
  return known.isComplete('ipvs', formatVirtualServerId(server))
    ? undefined
    : `not all of virtual server ${text} is in the dump`
}

const MARKED = 'a virtual server may take packets by their mark'

type StepOf = (words: () => Pick<PathStep, 'text' | 'target'>, rewrites?: TranslatedField) => StepFactory

function stepOf(hook: Hook, owner: () => string): StepOf {
  return (words, rewrites) => () => ({
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

function schedule(
  server: VirtualServer,
  step: StepOf,
  branch: PathState,
  facts: EvaluationContext,
): readonly HandlerResult[] {
  const { address, port, protocol } = server
  const stepped = withStep(
    branch,
    step(() => ({ text: formatVirtualServerLine('-A', server), target: formatVirtualServer(server) })),
  )
  const place = { address, port, protocol: protocol.toLowerCase() }
  const taken = withPacket(stepped, { ...branch.packet, virtualServer: place })
  const chosen = choose(server, taken, facts)
  if (chosen.length === 0) return [withVerdict(taken, { kind: 'rejected', with: answerOf(address) })]
  if (chosen.length > 1 && !spendChoices(taken, chosen.length)) {
    return [withVerdict(taken, { kind: 'unknown', reason: TOO_MANY_PATHS })]
  }
  return chosen.flatMap(({ realServer, branch: path }) => {
    const words = () => ({
      text: formatRealServerLine('-a', server, realServer),
      target: formatRealServer(realServer),
    })
    return send(realServer, withStep(path, step(words, 'destination')), facts)
  })
}

/** Returns the ICMP message that the kernel sends for a virtual server without real servers: port unreachable. */
function answerOf(address: string): string {
  return address.includes(':') ? 'icmp6-port-unreachable' : 'icmp-port-unreachable'
}

interface Choice {
  readonly realServer: RealServer
  readonly branch: PathState
}

/**
 * Returns the real servers that may receive the packet. For rr and wrr, each path has a probability by weight. For
 * other schedulers, every real server with a weight above 0 may be chosen.
 */
function choose(server: VirtualServer, branch: PathState, { persistentServer }: EvaluationContext): readonly Choice[] {
  const { flags, realServers, scheduler } = server
  if (flags & FLAG_PERSISTENT) branch.packet.readSet?.clients.set(formatVirtualServer(server), server.timeout)
  const bound =
    flags & FLAG_PERSISTENT ? persistentServer(formatVirtualServer(server), branch.packet.source) : undefined
  const kept = bound === undefined ? undefined : realServers.find((each) => formatRealServer(each) === bound)
  if (kept !== undefined) return [{ realServer: kept, branch }]
  const open = realServers.filter(({ weight }) => weight > 0)
  const [only, ...others] = open
  if (only !== undefined && others.length === 0) return [{ realServer: only, branch }]
  if (scheduler === 'rr') {
    const chosen = scaleWeight(branch, createFraction(1, open.length))
    return open.map((realServer) => ({ realServer, branch: chosen }))
  }
  return open.map((realServer) => ({ realServer, branch: chosenBy(scheduler, realServer, open, branch) }))
}

function chosenBy(
  scheduler: string,
  realServer: RealServer,
  open: readonly RealServer[],
  branch: PathState,
): PathState {
  if (scheduler === 'wrr') {
    const sum = open.reduce((total, { weight }) => total + weight, 0)
    return scaleWeight(branch, createFraction(realServer.weight, sum))
  }
  return withAssumption(branch, `ipvs: ${scheduler} chooses ${formatRealServer(realServer)}`, true)
}

/**
 * Forwards a packet to a real server. If the real server is local, it receives the packet at this hook. Otherwise, the
 * packet is sent out again. A virtual server for every port has real servers with port 0, which preserve the port of
 * the packet.
 */
function send({ address, port }: RealServer, branch: PathState, facts: EvaluationContext): readonly HandlerResult[] {
  const destinationPort = port === 0 ? branch.packet.destinationPort : port
  const packet = withDestination(branch.packet, { address, port: destinationPort, by: 'server' })
  const { local, away } = splitByLocality(withPacket(branch, packet), facts)
  const received = local.map((path) => withVerdict(path, NEXT_VERDICT))
  if (away.length === 0) return received
  const sent = away.map((path) => withVerdict(path, OUTPUT_VERDICT))
  return received.length === 0 ? sent : [...received, ...sent]
}
