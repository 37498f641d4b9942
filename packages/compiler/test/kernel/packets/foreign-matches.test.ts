import { describe, expect, it } from 'vitest'
import { lowerMatch } from '../../../../analyzer/src/dataplane/iptables/program/lower-match.js'
import { evaluateAll } from '../../../../analyzer/src/program/evaluate-literal.js'
import type { NodeFacts } from '../../../../analyzer/src/program/facts.js'
import { readRule } from '../../dataplane/iptables/read-rule.js'
import { type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { iptablesTools } from '../sandbox/tools.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { MATCH_SITUATIONS, type MatchSituation, packetAtHook } from './foreign-matches.js'
import { probe } from './lab.js'
import { buildTopology, HOST } from './topology.js'

// Each match is in a rule of its own, and a real packet passes all rules. The counters of the rules must agree with the
// result of each match for the first packet of a connection, unless the result is unknown.

const OWN_ADDRESSES = (HOST.interfaces ?? []).flatMap(({ addresses }) =>
  addresses.map((each) => each.split('/')[0] ?? ''),
)

const FACTS: NodeFacts = {
  isLocal: (address) => (OWN_ADDRESSES.includes(address) ? 'yes' : 'no'),
  addresses: OWN_ADDRESSES,
  secondsSinceSeen: () => undefined,
  persistentServer: () => undefined,
}

/** A match with its rule as iptables-save prints it, and whether a packet matched. */
interface Counted {
  readonly rule: string
  readonly isMatched: boolean
}

/** Sends the packet of a situation through all of its matches. The packet is dropped after them, as are its repetitions. */
async function countMatches(sandbox: Sandbox, situation: MatchSituation): Promise<readonly Counted[]> {
  const { family, from, to, protocol, hook, table, others = '', matches } = situation
  const { restore, save } = iptablesTools(family, 'nft')
  const node = within(sandbox, 'node')
  const rules = matches.map((match) => `-A T ${match.replace(/PROTOCOL/g, protocol)}\n`).join('')
  const jump = `-A ${hook} -p ${protocol} -m ${protocol} --dport ${packetAtHook(situation).destinationPort} -j T\n`
  succeeded(await node(['nft', 'flush', 'ruleset']))
  succeeded(await node([restore], `${others}*${table}\n:T - [0:0]\n${jump}${rules}-A T -j DROP\nCOMMIT\n`))
  await probe(within(sandbox, from), [
    {
      packet: {
        origin: from === 'node' ? 'node' : 'outside',
        protocol: protocol === 'tcp' ? 'TCP' : 'UDP',
        source: packetAtHook(situation).source,
        destination: to.address,
        destinationPort: to.port,
      },
      ...{ count: 1, milliseconds: 300 },
    },
  ])
  const { stdout } = await node([save, '-c', '-t', table])
  return Array.from(stdout.matchAll(/^\[(\d+):\d+\] -A T(?: (.*))?$/gm), ([, packets, rule = '']) => ({
    rule,
    isMatched: Number(packets) > 0,
  })).slice(0, -1)
}

describe('a match of another program', () => {
  const sandboxFor = useSandbox(['iptables-nft', 'network', 'conntrack'], async (sandbox) => {
    await buildTopology(sandbox)
    return sandbox
  })

  it.for(MATCH_SITUATIONS)('is decided like in the kernel for $name', async (situation, context) => {
    const counted = await countMatches(await sandboxFor(context), situation)
    expect(counted).toHaveLength(situation.matches.length)
    const packet = packetAtHook(situation)
    const { family } = situation
    const results = counted.map(({ rule }) => {
      const { matches } = readRule(rule, family)
      const literals = matches.flatMap((match) =>
        lowerMatch(match, {
          family,
          lookUpSet: () => ({ kind: 'unknown' }),
          isBeforeTracking: situation.table === 'raw',
        }),
      )
      return evaluateAll(literals, packet, situation.hook, FACTS)
    })
    const decided = counted.filter((_, at) => results[at] !== 'unknown')
    const expected = results.filter((result) => result !== 'unknown')
    expect(decided.map(({ rule, isMatched }) => `${rule}: ${isMatched ? 'yes' : 'no'}`)).toEqual(
      decided.map(({ rule }, at) => `${rule}: ${expected[at]}`),
    )
    expect(new Set(expected)).toEqual(new Set(['yes', 'no']))
    expect(decided.length / counted.length).toBeGreaterThan(0.9)
  })
})
