import type { Dump, ToolCommand, TrackerUpdate } from '@kube-rules/compiler'
import {
  type ConnectionCounter,
  type IpvsState,
  recheckTerminating,
  removalBehaviorOf,
  type TerminationResult,
  terminateGracefully,
  toTerminationCommands,
} from '@kube-rules/compiler/ipvs'
import type { IpFamily } from '@kube-rules/types'

/** The terminating real servers: ipvs real servers with weight 0 that remain until their connections end. */
export interface TerminatingServers {
  /** The keys of the real servers with their virtual servers: `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly keys: readonly string[]
  /** The ipvs state of the node with these real servers, for each family. */
  readonly states: ReadonlyMap<IpFamily, IpvsState>
}

/** No real servers, as at the start of a proxy. */
export const NO_TERMINATING_SERVERS: TerminatingServers = { keys: [], states: new Map() }

const EMPTY: IpvsState = { virtualServers: [] }

/** The plan for terminating real servers in an ipvs update. */
export interface TerminationPlan {
  /** The commands that delete the terminating real servers without connections; they run before the update. */
  readonly commands: readonly ToolCommand[]
  /** The real servers that are still terminating before the update. */
  readonly left: TerminatingServers
  /** The terminating real servers after the update. */
  readonly next: TerminatingServers
}

/**
 * Plans the termination of real servers in an ipvs update. If the update starts from a dump (`held`), the real servers
 * in `before` are deleted only by the next update.
 */
export function planGracefulTermination(
  before: TerminatingServers,
  update: TrackerUpdate,
  held: Dump | undefined,
  counts: ConnectionCounter,
): TerminationPlan {
  const { result, patch } = update
  const rules = removalBehaviorOf(result.kubernetesVersion)
  const checked = Array.from(held === undefined ? before.states : [], ([family, state]) => {
    return { family, ...recheckTerminating(state, before.keys, counts, rules.deletedAtOnce) }
  })
  const left = held === undefined ? joined(checked) : before
  const common = { terminating: left.keys, connections: counts, firstSync: before === NO_TERMINATING_SERVERS, ...rules }
  const terminated = result.families.map(({ family, state }) => {
    const previous = held?.[family].ipvs ?? left.states.get(family) ?? EMPTY
    const { excludeCidrs } = patch.families.find((each) => each.family === family) ?? {}
    return { family, ...terminateGracefully({ family, previous, next: state.ipvs ?? EMPTY, excludeCidrs, ...common }) }
  })
  const commands = toTerminationCommands(checked.flatMap(({ changes }) => changes))
  return { commands, left, next: joined(terminated) }
}

function joined(results: readonly (TerminationResult & { readonly family: IpFamily })[]): TerminatingServers {
  return {
    keys: results.flatMap(({ terminating }) => terminating),
    states: new Map(results.map(({ family, state }) => [family, state])),
  }
}

/** Reads the number of connections of each real server from the output of `ipvsadm -Ln`. */
export function parseIpvsConnections(text: string): ConnectionCounter {
  const counts = new Map<string, number>()
  let server = ''
  for (const line of text.split('\n')) {
    const [first, second, , , active, inactive] = line.trim().split(/\s+/)
    if (first === '->') counts.set(`${server} ${second}`, Number(active) + Number(inactive))
    else server = `${second}/${first}`
  }
  return (virtualServer, realServer) => counts.get(`${virtualServer} ${realServer}`) ?? 0
}
