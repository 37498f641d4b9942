import type { Packet } from '@kube-rules/types'
import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'
import { isLoopback, joinHostPort } from '@kube-rules/types/internal/ip'

// A second implementation of the evaluation of iptables rules, as far as the rules of kube-proxy need it. It reads the
// text of iptables-save, and shares no code with the parser, the syntax tree and the evaluation of `trace`.

interface Rule {
  readonly words: readonly string[]
}

type Tables = ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>

/** The state of a packet on one path, with the probability of the path. */
interface Flow {
  readonly source: string
  readonly destination: string
  readonly port: number
  readonly mark: number
  readonly translated: boolean
  readonly masqueraded: boolean
  readonly probability: number
}

interface FlowResult {
  readonly flow: Flow
  /** `next`: the chain ends, and the calling chain continues. */
  readonly verdict: 'next' | 'accept' | 'dropped' | 'rejected'
}

/** The rules, the packet and the addresses of the node. */
interface Environment {
  readonly tables: Tables
  readonly packet: Packet
  readonly isLocal: (address: string) => boolean
}

/**
 * Returns the probability of each outcome of a packet: `10.244.1.5:8080`, `rejected`, `dropped` or `unmatched`, with `*`
 * if the packet is masqueraded. The packet is the first of its connection and of its client.
 */
export function interpretPacket(
  text: string,
  packet: Packet,
  addresses: readonly string[],
): ReadonlyMap<string, number> {
  const isLocal = (address: string) => isLoopback(address) || addresses.includes(address)
  const environment: Environment = { tables: readTables(text), packet, isLocal }
  const { source, destination, destinationPort: port } = packet
  const start: Flow = { source, destination, port, mark: 0, translated: false, masqueraded: false, probability: 1 }
  const outcomes = new Map<string, number>()
  for (const { flow, verdict } of traverse(environment, hooksOf(packet), start)) {
    const end = flow.translated ? joinHostPort(flow.destination, flow.port) : 'unmatched'
    const outcome = verdict === 'accept' ? `${end}${flow.masqueraded ? '*' : ''}` : verdict
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + flow.probability)
  }
  return outcomes
}

type HookOf = (flow: Flow, environment: Environment) => readonly [table: string, chain: string] | undefined

/** Returns the built-in chains of a packet, in order. The routing decision follows the translation of the destination. */
function hooksOf({ origin }: Packet): readonly HookOf[] {
  const ifLocal =
    (chain: string): HookOf =>
    (flow, { isLocal }) =>
      isLocal(flow.destination) ? ['filter', chain] : undefined
  const ifForwarded =
    (table: string, chain: string): HookOf =>
    (flow, { isLocal }) =>
      isLocal(flow.destination) ? undefined : [table, chain]
  return origin === 'node'
    ? [() => ['nat', 'OUTPUT'], () => ['filter', 'OUTPUT'], () => ['nat', 'POSTROUTING'], ifLocal('INPUT')]
    : [
        () => ['nat', 'PREROUTING'],
        ifLocal('INPUT'),
        ifForwarded('filter', 'FORWARD'),
        ifForwarded('nat', 'POSTROUTING'),
      ]
}

function traverse(environment: Environment, [hook, ...later]: readonly HookOf[], flow: Flow): readonly FlowResult[] {
  if (hook === undefined) return [{ flow, verdict: 'accept' }]
  const at = hook(flow, environment)
  const results = at === undefined ? [{ flow, verdict: 'next' } as const] : runChain(environment, ...at, flow)
  return results.flatMap((result) =>
    result.verdict === 'dropped' || result.verdict === 'rejected' ? result : traverse(environment, later, result.flow),
  )
}

function runChain(environment: Environment, table: string, chain: string, flow: Flow): readonly FlowResult[] {
  const ended: FlowResult[] = []
  let flows: readonly Flow[] = [flow]
  for (const rule of environment.tables.get(table)?.get(chain) ?? []) {
    const next: Flow[] = []
    for (const each of flows) {
      const chance = chanceOf(rule, each, environment)
      if (chance < 1) next.push({ ...each, probability: each.probability * (1 - chance) })
      if (chance === 0) continue
      const matching = { ...each, probability: each.probability * chance }
      if (targetOf(rule) === 'RETURN') ended.push({ flow: matching, verdict: 'next' })
      else
        for (const result of runTarget(environment, table, rule, matching)) {
          if (result.verdict === 'next') next.push(result.flow)
          else ended.push(result)
        }
    }
    flows = next
  }
  return [...ended, ...flows.map((each): FlowResult => ({ flow: each, verdict: 'next' }))]
}

function targetOf({ words }: Rule): string | undefined {
  const at = words.indexOf('-j')
  return at < 0 ? undefined : words[at + 1]
}

function runTarget(environment: Environment, table: string, rule: Rule, flow: Flow): readonly FlowResult[] {
  const target = targetOf(rule)
  const value = rule.words[rule.words.indexOf('-j') + 3] ?? ''
  switch (target) {
    case undefined:
      return [{ flow, verdict: 'next' }]
    case 'ACCEPT':
      return [{ flow, verdict: 'accept' }]
    case 'DROP':
      return [{ flow, verdict: 'dropped' }]
    case 'REJECT':
      return [{ flow, verdict: 'rejected' }]
    case 'MASQUERADE':
      return [{ flow: { ...flow, masqueraded: true }, verdict: 'accept' }]
    case 'MARK': {
      const [bits = 0, mask = 0] = value.split('/').map(Number)
      return [{ flow: { ...flow, mark: ((flow.mark & ~mask) ^ bits) >>> 0 }, verdict: 'next' }]
    }
    case 'DNAT': {
      const colon = value.lastIndexOf(':')
      const to = { destination: value.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(value.slice(colon + 1)) }
      return [{ flow: { ...flow, ...to, translated: true }, verdict: 'accept' }]
    }
    default:
      return runChain(environment, table, target, flow)
  }
}

/** Options of a rule that affect no match: their number of arguments. */
const WITHOUT_EFFECT: Readonly<Record<string, number>> = {
  ...{ '--comment': 1, '--mode': 1, '--seconds': 1, '--name': 1, '--mask': 1, '--reap': 0, '--rsource': 0, '--set': 0 },
  ...{ '-m': 1, '--nfacct-name': 1 },
}

/** Matches without a value that are false: the packet is the first of its client, and does not come through a bridge. */
const NEVER: ReadonlySet<string> = new Set(['--rcheck', '--physdev-is-in'])

/** Returns the probability that a rule matches. Throws for an option that is not known. */
function chanceOf({ words }: Rule, flow: Flow, { packet, isLocal }: Environment): number {
  let chance = 1
  let negated = false
  for (let at = 0; at < words.length && words[at] !== '-j'; at++) {
    const option = words[at] ?? ''
    if (option === '!') {
      negated = true
      continue
    }
    const skipped = WITHOUT_EFFECT[option]
    if (skipped !== undefined) {
      at += skipped
      continue
    }
    if (NEVER.has(option)) {
      if (!negated) return 0
      negated = false
      continue
    }
    const value = words[++at] ?? ''
    if (option === '--probability') chance = Number(value)
    else if (matches(option, value, flow, packet, isLocal) === negated) return 0
    negated = false
  }
  return chance
}

function matches(
  option: string,
  value: string,
  flow: Flow,
  { protocol, inInterface }: Packet,
  isLocal: (address: string) => boolean,
): boolean {
  switch (option) {
    case '-p':
      return value === protocol.toLowerCase()
    case '-s':
      return isIn(value, flow.source)
    case '-d':
      return isIn(value, flow.destination)
    case '-i':
      return value.endsWith('+') ? inInterface?.startsWith(value.slice(0, -1)) === true : inInterface === value
    case '--dport':
      return Number(value) === flow.port
    case '--dst-type':
      return isLocal(flow.destination)
    case '--src-type':
      return isLocal(flow.source)
    case '--mark': {
      const [bits = 0, mask = 0] = value.split('/').map(Number)
      return (flow.mark & mask) >>> 0 === bits
    }
    case '--ctstate':
      return value.split(',').some((each) => each === 'NEW' || (each === 'DNAT' && flow.translated))
    default:
      throw new Error(`${option} is not known`)
  }
}

function isIn(network: string, address: string): boolean {
  const parsed = parseCidr(network.includes('/') ? network : `${network}/${network.includes(':') ? 128 : 32}`)
  return parsed !== undefined && cidrContains(parsed, address)
}

function readTables(text: string): Tables {
  const tables = new Map<string, Map<string, Rule[]>>()
  let chains = new Map<string, Rule[]>()
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) {
      chains = new Map()
      tables.set(line.slice(1), chains)
    }
    const words = Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g), ([word]) => word)
    const [command, chain, ...rest] = words
    if (command !== '-A' || chain === undefined) continue
    const rules = chains.get(chain)
    if (rules === undefined) chains.set(chain, [{ words: rest }])
    else rules.push({ words: rest })
  }
  return tables
}
