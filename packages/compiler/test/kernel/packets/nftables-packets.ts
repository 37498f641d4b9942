import type { IpFamily, Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { expect, it, type TestContext } from 'vitest'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { annotateOwners } from '../../../../analyzer/src/verify/annotate-owners.js'
import type { FamilyResult } from '../../../src/compilation/compile-result.js'
import { readDump } from '../../support/read-dump.js'
import { repairRuns } from '../repair.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type CommandExecutor, succeeded } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { packetCases, packetOf, toClusterIP } from './cases.js'
import { BOUND_OF_THREE, chiSquare } from './chi-square.js'
import { testAffinity, testMovedFlow } from './kept-clients.js'
import { buildLab, nftablesRules, type Observation, summaryOf } from './lab.js'
import { countsOf, observeAll } from './observe.js'
import { decided, traced } from './predict.js'
import { ADDRESSES } from './topology.js'

/** Sends packets through the tables of kube-proxy of a version for one family. */
export function testNftablesPackets(family: IpFamily, kubernetesVersion: string): void {
  const refusesLoopback = kubernetesVersion === '1.37' && family === 'IPv4'
  const cases = packetCases(family)
    .filter((each) => refusesLoopback || each.to(family) !== '127.0.0.1')
    .map((each) => ({ ...each, expected: each.inNftables ?? each.expected }))
  const labFor = useSandbox(['nft', 'network'], async (sandbox) => {
    const lab = await buildLab(sandbox, nftablesRules(family, kubernetesVersion))
    const observations = await observeAll(lab, cases, family)
    return { ...lab, observations, listing: await listed(lab.on('node')) }
  })

  it.for(cases)('a packet from $name has the outcome: $expected', async (each, context) => {
    const { result, observations, listing } = await labFor(context)
    const packet = packetOf(each, family)
    const [{ plan, state }] = result.families as readonly [FamilyResult]
    const traceContext = traceContextFor(plan)
    const decision = decided(plan, packet)
    expect(traced(state, packet, traceContext)).toBe(decision)
    // The firewall rejects the response of the health check: a table cannot overrule rejections of other tables.
    if (decision !== 'node') expect(decision).toBe(each.expected)
    expect(traced(annotateOwners(readDump(listing, { family })[family]), packet, traceContext)).toBe(each.expected)
    expect(summaryOf(observations.get(each) as Observation, packet)).toBe(each.expected)
  })

  if (refusesLoopback) it('the counter counts rejected packets to node ports on loopback', countsRefusals)

  async function countsRefusals(context: TestContext): Promise<void> {
    const { listing } = await labFor(context)
    const [, count] = /counter localhost-nodeport-rejected-tcp \{\s+packets (\d+)/.exec(listing) ?? []
    expect(Number(count)).toBeGreaterThan(0)
  }

  const [header, unclaimed] = family === 'IPv4' ? ['ip', '203.0.113.77'] : ['ip6', '2001:db8:8::77']
  const ours = toClusterIP('client', 'self', family)

  // For two chains of equal priority the kernel evaluates the newest first.
  it.for([
    { priority: 'dstnat', claimed: 'pod2' },
    { priority: 'dstnat + 10', claimed: 'pod1*' },
  ])('a foreign table with priority $priority also translates packets', async ({ priority, claimed }, context) => {
    const rules = [
      `${header} daddr ${unclaimed} tcp dport 80 dnat to ${joinHostPort(ADDRESSES.pod1[family], 8080)}`,
      `${header} daddr ${ours.destination} tcp dport 80 dnat to ${joinHostPort(ADDRESSES.pod2[family], 8080)}`,
    ]
    await expectWithForeignRules(context, priority, rules, [
      [{ ...ours, destination: unclaimed }, 'pod1'],
      [ours, claimed],
    ])
  })

  it('a foreign rule sets a mark even if a later match of the rule fails', async (context) => {
    const rules = [
      `${header} daddr ${unclaimed} meta mark set 0x5 tcp dport 81 accept`,
      `meta mark 0x5 tcp dport 80 dnat to ${joinHostPort(ADDRESSES.pod1[family], 8080)}`,
    ]
    await expectWithForeignRules(context, 'dstnat', rules, [[{ ...ours, destination: unclaimed }, 'pod1']])
  })

  async function expectWithForeignRules(
    context: TestContext,
    priority: string,
    rules: readonly string[],
    expectations: readonly (readonly [packet: Packet, outcome: string])[],
  ): Promise<void> {
    const { on, probe, result } = await labFor(context)
    const node = on('node')
    const chain = `chain pre { type nat hook prerouting priority ${priority}; ${rules.join('; ')}; }`
    succeeded(await node(['nft', '-f', '-'], `table ${header} other { ${chain}; }`))
    const live = annotateOwners(readDump(await listed(node), { family })[family])
    const [{ plan }] = result.families as readonly [FamilyResult]
    for (const [packet, expected] of expectations) {
      expect(traced(live, packet, traceContextFor(plan))).toBe(expected)
      const [observation] = await probe('client', [{ packet, count: 2 }])
      expect(summaryOf(observation as Observation, packet)).toBe(expected)
    }
    succeeded(await node(['nft', 'delete', 'table', header, 'other']))
  }

  testAffinity(labFor, family)

  it('load balancing is uniform, and the test detects an additional share for an endpoint', async (context) => {
    const { probe, on, result } = await labFor(context)
    const node = on('node')
    const spread = async () => {
      const [observation] = await probe('client', [{ packet: toClusterIP('client', 'web', family), count: 3000 }])
      return chiSquare(countsOf(observation as Observation))
    }
    expect(await spread()).toBeLessThan(BOUND_OF_THREE)

    const commands = unevenCommands(await listed(node))
    succeeded(await node(['nft', '-f', '-'], commands))
    expect(await spread()).toBeGreaterThan(BOUND_OF_THREE)
    await runToolCommands(node, repairRuns(result, family, await listed(node), 'nft'), 'nft')
    expect(repairRuns(result, family, await listed(node), 'nft')).toEqual([])
    expect(await spread()).toBeLessThan(BOUND_OF_THREE)
  })

  testMovedFlow(labFor, family, 'nft')
}

async function listed(run: CommandExecutor): Promise<string> {
  const ran = await run(['nft', 'list', 'ruleset'])
  succeeded(ran)
  return ran.stdout
}

/**
 * Changes the random choice in the pool chain of `web`: the first endpoint gets one more number, and therefore half of
 * all requests instead of a third.
 */
function unevenCommands(listing: string): string {
  const [, family] = /^table (ip6?) kube-proxy/m.exec(listing) ?? []
  const [, chain, body = ''] = /\tchain (service-\w+-lab\/web\/tcp\/tcp) \{\n(.*?)\t\}/s.exec(listing) ?? []
  const uneven = body.replace(/mod 3 (v?map) \{ 0 : (.*?),/, 'mod 4 $1 { 3 : $2, 0 : $2,')
  const rules = uneven.trimEnd().split('\n')
  const place = `${family} kube-proxy ${chain}`
  return [`flush chain ${place}`, ...rules.map((rule) => `add rule ${place} ${rule.trim()}`), ''].join('\n')
}
