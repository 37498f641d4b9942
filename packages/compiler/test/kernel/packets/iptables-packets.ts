import type { IpFamily, Packet } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { annotateOwners } from '../../../../analyzer/src/verify/annotate-owners.js'
import type { FamilyResult } from '../../../src/compilation/compile-result.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { readDump } from '../../support/read-dump.js'
import { repairRuns } from '../repair.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { dumpTables } from '../sandbox/dump.js'
import { succeeded } from '../sandbox/sandbox.js'
import { iptablesTools } from '../sandbox/tools.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { type PacketCase, packetCases, packetOf, toClusterIP } from './cases.js'
import { BOUND_OF_THREE, chiSquare } from './chi-square.js'
import { serviceAddress } from './cluster.js'
import { testAffinity, testMovedFlow } from './kept-clients.js'
import { buildLab, iptablesRules, type Observation, summaryOf } from './lab.js'
import { countsOf, isRejected, observeAll } from './observe.js'
import { decided, traced } from './predict.js'

/** Sends packets through the rules of one family and back end. */
export function testIptablesPackets(family: IpFamily, backend: IptablesBackend): void {
  const cases = packetCases(family)
  const { save, restore } = iptablesTools(family, backend)
  const labFor = useSandbox([`iptables-${backend}`, 'network'], async (sandbox) => {
    const lab = await buildLab(sandbox, iptablesRules(family, backend))
    const observations = await observeAll(lab, cases, family)
    const { stdout: counters } = await lab.on('node')([save, '-c'])
    return { ...lab, observations, counters }
  })

  it.for(cases)('a packet from $name has the outcome: $expected', async (each, context) => {
    const { result, observations, counters } = await labFor(context)
    const packet = packetOf(each, family)
    const [{ plan, state }] = result.families as readonly [FamilyResult]
    const traceContext = traceContextFor(plan)
    expect(decided(plan, packet)).toBe(each.expected)
    expect(traced(state, packet, traceContext)).toBe(each.expected)
    expect(traced(dumped(counters), packet, traceContext)).toBe(each.expected)
    expect(summaryOf(observations.get(each) as Observation, packet)).toBe(each.expected)
    if (isRejected(each)) expect(refusalsOf(counters, packet)).toBeGreaterThan(0)
  })

  testAffinity(labFor, family)

  it('load balancing is uniform, and the test detects a wrong probability', async (context) => {
    const lab = await labFor(context)
    const node = lab.on('node')
    const spread = async () => {
      const [observation] = await lab.probe('client', [{ packet: toClusterIP('client', 'web', family), count: 3000 }])
      return chiSquare(countsOf(observation as Observation))
    }
    expect(await spread()).toBeLessThan(BOUND_OF_THREE)

    const dump = await dumpTables(node, family, backend)
    succeeded(await node([restore, '--noflush'], wrongProbability(dump, serviceAddress('clusterIP', 'web', family))))
    expect(await spread()).toBeGreaterThan(BOUND_OF_THREE)
    const wrong = await dumpTables(node, family, backend)
    await runToolCommands(node, repairRuns(lab.result, family, wrong, backend), backend)
    expect(await dumpTables(node, family, backend)).toBe(dump)
  })

  it('the host firewall rejects a port next to the health-check port', async (context) => {
    const { probe, counters, result } = await labFor(context)
    const healthCheck = cases.find(({ expected }) => expected === 'node') as PacketCase
    const packet = packetOf({ ...healthCheck, port: healthCheck.port + 1 }, family)
    const [observation] = await probe('client', [{ packet, count: 1 }])
    expect(summaryOf(observation as Observation, packet)).toBe('reject')
    const [{ plan }] = result.families as readonly [FamilyResult]
    expect(traced(dumped(counters), packet, traceContextFor(plan))).toBe('reject')
  })

  testMovedFlow(labFor, family, `iptables-${backend}`)

  /** Parses the rules of the node, including the rules of the firewall. */
  function dumped(dump: string): NodeState {
    return annotateOwners(readDump(dump, { family })[family])
  }
}

/** Counts the packets to that destination that our rules rejected. Closed ports and lost packets do not count. */
function refusalsOf(counters: string, { destination, destinationPort }: Packet): number {
  const refusing = counters.split('\n').filter((line) => / -A KUBE-.* -j (REJECT|DROP)\b/.test(line))
  const fitting = refusing.filter(
    (line) => line.includes(`--dport ${destinationPort} `) && (line.includes(destination) || !line.includes(' -d ')),
  )
  return fitting.reduce((sum, line) => sum + Number(/^\[(\d+):/.exec(line)?.[1]), 0)
}

/** Builds rules that send half of all requests to the first of three endpoints, and a quarter to each of the rest. */
function wrongProbability(dump: string, clusterIP: string): string {
  const chain = new RegExp(`^-A KUBE-SERVICES -d ${clusterIP}/.* -j (KUBE-SVC-\\S+)$`, 'm').exec(dump)?.[1]
  const rules = dump.split('\n').filter((line) => line.startsWith(`-A ${chain} `))
  const at = rules.findIndex((rule) => rule.includes('--probability 0.33333333349'))
  const wrong = rules[at]?.replace('0.33333333349', '0.5').replace(`-A ${chain}`, `-R ${chain} ${at + 1}`)
  return `*nat\n${wrong}\nCOMMIT\n`
}
