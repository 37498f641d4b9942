import type { NodeState } from '../../../src/dataplane/node-state.js'
import { print } from '../../../src/print/print.js'
import { type CommandExecutor, type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { ANSWERED_BY_OTHER, type Counterexample, type PairToTry, type Shares } from './counterexamples.js'
import { type Observation, probe, serve, summaryOf } from './lab.js'
import { ADDRESSES, buildTopology, type Place, SECOND_CLIENT } from './topology.js'

const PLACES: readonly Place[] = ['client', 'node', 'pod1', 'pod2', 'pod3', 'other']

/** Builds a network with a server at all required ports of every place, and with the sources of all packets. */
export async function buildCounterexampleLab(
  sandbox: Sandbox,
  pairs: readonly PairToTry[],
): Promise<(place: Place) => CommandExecutor> {
  const all = pairs.flatMap(({ counterexamples }) => counterexamples)
  await buildTopology(sandbox)
  for (const network of ANSWERED_BY_OTHER)
    succeeded(await sandbox.run(['ip', '-n', 'other', 'route', 'add', 'local', network, 'dev', 'lo']))
  await addSources(sandbox, all)
  const ports = [...new Set([8080, ...all.map(({ packet }) => packet.destinationPort)])].map(String)
  for (const place of PLACES) await serve(sandbox, place, 'IPv4', ports)
  return (place) => within(sandbox, place)
}

/** Adds each source address that does not exist yet to the place that sends from it. */
async function addSources(sandbox: Sandbox, all: readonly Counterexample[]): Promise<void> {
  const known = new Set<string>([...Object.values(ADDRESSES).map(({ IPv4 }) => IPv4), SECOND_CLIENT.IPv4, '127.0.0.1'])
  for (const { packet, from } of all) {
    if (known.has(packet.source)) continue
    known.add(packet.source)
    const [device, gateway] = from === 'client' ? ['ext', ['via', ADDRESSES.client.IPv4]] : [from, []]
    succeeded(await sandbox.run(['ip', '-n', from, 'address', 'add', `${packet.source}/32`, 'dev', 'lo']))
    succeeded(await sandbox.run(['ip', '-n', 'node', 'route', 'add', packet.source, ...gateway, 'dev', device]))
  }
}

/** Replaces all rules of the node, and clears its connection table. */
export async function loadRules(node: CommandExecutor, state: NodeState): Promise<void> {
  succeeded(await node(['nft', 'flush', 'ruleset']))
  if (state.iptables !== undefined)
    succeeded(await node(['iptables-nft-restore'], print(state, { subsystem: 'iptables', format: 'save' })))
  if (state.nftables !== undefined) succeeded(await node(['nft', '-f', '-'], print(state, { subsystem: 'nftables' })))
  // It prints its success message on standard error.
  const { status, stderr } = await node(['conntrack', '-F'])
  if (status !== 0) throw new Error(stderr)
}

/** Sends packets and returns their observations in order; different places send in parallel. */
export async function observe(
  on: (place: Place) => CommandExecutor,
  sent: readonly { readonly packet: Counterexample['packet']; readonly from: Place; readonly shares: Shares }[],
): Promise<readonly Observation[]> {
  const observations = new Map<unknown, Observation>()
  const observeFrom = async (place: Place) => {
    const own = sent.filter(({ from }) => from === place)
    const seen = await probe(
      on(place),
      own.map(({ packet, shares }) => ({ packet, ...howOften(shares) })),
    )
    own.forEach((each, index) => {
      observations.set(each, seen[index] as Observation)
    })
  }
  await Promise.all([...new Set(sent.map(({ from }) => from))].map(observeFrom))
  return sent.map((each) => observations.get(each) as Observation)
}

/** Returns the number of packets that determine the distribution, and the timeout for responses. */
function howOften(shares: Shares): { readonly count: number; readonly milliseconds: number } {
  return { count: shares.size === 1 ? 3 : SPREAD, milliseconds: shares.has('drop') ? 800 : 20_000 }
}

const SPREAD = 120

/** Counts each response, in the words of `Shares`. */
export function countsOf({ answers, errors }: Observation, { packet }: Counterexample): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = (observation: Observation, count: number) => {
    const text = summaryOf(observation, packet)
    counts.set(text, (counts.get(text) ?? 0) + count)
  }
  for (const [answer, count] of Object.entries(answers)) add({ answers: { [answer]: count }, errors: {} }, count)
  for (const [code, count] of Object.entries(errors)) add({ answers: {}, errors: { [code]: count } }, count)
  return counts
}
