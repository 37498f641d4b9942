import type { IpFamily, Packet } from '@kube-rules/types'
import { expect, it } from 'vitest'
import type { CompileResult } from '../../../src/compile.js'
import type { Backend } from '../../../src/dataplane/iptables/print-save.js'
import { parseDump } from '../../../src/dump/parse-dump.js'
import { dumpedRules, type NodeRules, nodeRules } from '../../../src/node-rules.js'
import type { Plan } from '../../../src/plan/plan.js'
import { repairStages } from '../repair.js'
import { applyStages } from '../world/apply-stages.js'
import { requireCapabilities } from '../world/capabilities.js'
import { dumpTables } from '../world/dump.js'
import { iptablesTools } from '../world/tools.js'
import { useWorld } from '../world/use-world.js'
import { succeeded } from '../world/world.js'
import { type PacketCase, packetCases, packetOf } from './cases.js'
import { BOUND_OF_THREE, chiSquare } from './chi-square.js'
import { type ServiceName, serviceAddress } from './cluster.js'
import { buildLab, type Lab, type Observation, type Probe, summaryOf } from './lab.js'
import { decided, traced } from './predict.js'
import { moveFlow } from './stale-flow.js'
import type { Place } from './topology.js'

/** Sends packets through the rules of one family and back end. */
export function testPackets(family: IpFamily, backend: Backend): void {
  const cases = packetCases(family)
  const { save, restore } = iptablesTools(family, backend)
  const labFor = useWorld([`iptables-${backend}`, 'network'], async (world) => {
    const lab = await buildLab(world, family, backend)
    const observations = await observeAll(lab, cases, family)
    const { stdout: counters } = await lab.on('node')([save, '-c'])
    return { ...lab, observations, counters }
  })

  it.for(cases)('$name: $expected', async (each, context) => {
    const { result, observations, counters } = await labFor(context)
    const packet = packetOf(each, family)
    expect(decided(result.families[0]?.plan as Plan, packet)).toBe(each.expected)
    expect(traced(nodeRules(result, family) as NodeRules, packet)).toBe(each.expected)
    expect(traced(dumped(counters, result), packet)).toBe(each.expected)
    expect(summaryOf(observations.get(each) as Observation, packet)).toBe(each.expected)
    if (isRefused(each)) expect(refusalsOf(counters, packet)).toBeGreaterThan(0)
  })

  it('session affinity keeps a client at one endpoint', async (context) => {
    const { probe } = await labFor(context)
    for (const from of ['client', 'pod2'] as const) {
      const packet = toClusterIP(from, 'sticky')
      const [first] = await probe(from, [{ packet, count: 1 }])
      const [later] = await probe(from, [{ packet }])
      expect(Object.keys(first?.answers ?? {})).toHaveLength(1)
      expect(later).toEqual({ answers: { [Object.keys(first?.answers ?? {})[0] as string]: 60 }, errors: {} })
    }
  })

  it('spreads requests evenly, and a wrong probability would show', async (context) => {
    const lab = await labFor(context)
    const node = lab.on('node')
    const spread = async () => {
      const [observation] = await lab.probe('client', [{ packet: toClusterIP('client', 'web'), count: 3000 }])
      return chiSquare(countsOf(observation as Observation))
    }
    expect(await spread()).toBeLessThan(BOUND_OF_THREE)

    const dump = await dumpTables(node, family, backend)
    succeeded(await node([restore, '--noflush'], wrongProbability(dump, serviceAddress('clusterIP', 'web', family))))
    expect(await spread()).toBeGreaterThan(BOUND_OF_THREE)
    const wrong = await dumpTables(node, family, backend)
    await applyStages(node, repairStages(lab.result, family, wrong, backend), backend)
    expect(await dumpTables(node, family, backend)).toBe(dump)
  })

  it('the firewall behind our rules would refuse the health-check port', async (context) => {
    const { probe, counters, result } = await labFor(context)
    const healthCheck = cases.find(({ expected }) => expected === 'node') as PacketCase
    const packet = packetOf({ ...healthCheck, port: healthCheck.port + 1 }, family)
    const [observation] = await probe('client', [{ packet, count: 1 }])
    expect(summaryOf(observation as Observation, packet)).toBe('reject')
    expect(traced(dumped(counters, result), packet)).toBe('reject')
  })

  it('a UDP flow stays with an endpoint that is gone until the plan has it forgotten', async (context) => {
    await requireCapabilities(context, [`iptables-${backend}`, 'conntrack'])
    const lab = await labFor(context)
    const packet: Packet = { ...toClusterIP('client', 'flow'), protocol: 'UDP', destinationPort: 53 }
    const { before, withNewRules, afterwards } = await moveFlow(lab, packet, backend)
    expect(withNewRules).toBe(before)
    expect([before, afterwards].sort()).toEqual(['pod1', 'pod2'])
  })

  /** The rules as they are on the node, those of the firewall included. */
  function dumped(dump: string, result: CompileResult): NodeRules {
    const parsed = parseDump(dump, { family })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
    return dumpedRules(parsed.dump, family, nodeRules(result, family)?.addresses)
  }

  function toClusterIP(from: Place, service: ServiceName): Packet {
    const to = () => serviceAddress('clusterIP', service, family)
    return packetOf({ name: service, from, to, port: 80, expected: '' }, family)
  }
}

/** What came of all cases, of each place at the same time. */
async function observeAll(
  { probe }: Lab,
  cases: readonly PacketCase[],
  family: IpFamily,
): Promise<ReadonlyMap<PacketCase, Observation>> {
  const observations = new Map<PacketCase, Observation>()
  for (const place of new Set(cases.map(({ from }) => from))) {
    const sent = cases.filter(({ from }) => from === place)
    const seen = await probe(
      place,
      sent.map((each) => probeOf(each, family)),
    )
    sent.forEach((each, index) => {
      observations.set(each, seen[index] as Observation)
    })
  }
  return observations
}

function probeOf(each: PacketCase, family: IpFamily): Probe {
  const packet = packetOf(each, family)
  if (!isRefused(each)) return { packet }
  return { packet, count: 2, milliseconds: each.expected === 'drop' ? 700 : 20_000 }
}

function isRefused({ expected }: PacketCase): boolean {
  return expected === 'reject' || expected === 'drop'
}

/** How many packets our rules refused of that destination: no closed port or lost packet is taken for a rule. */
function refusalsOf(counters: string, { destination, destinationPort }: Packet): number {
  const refusing = counters.split('\n').filter((line) => / -A KUBE-.* -j (REJECT|DROP)\b/.test(line))
  const fitting = refusing.filter(
    (line) => line.includes(`--dport ${destinationPort} `) && (line.includes(destination) || !line.includes(' -d ')),
  )
  return fitting.reduce((sum, line) => sum + Number(/^\[(\d+):/.exec(line)?.[1]), 0)
}

/** Half of all requests to the first of three endpoints, a quarter to each of the others. */
function wrongProbability(dump: string, clusterIP: string): string {
  const chain = new RegExp(`^-A KUBE-SERVICES -d ${clusterIP}/.* -j (KUBE-SVC-\\S+)$`, 'm').exec(dump)?.[1]
  const rules = dump.split('\n').filter((line) => line.startsWith(`-A ${chain} `))
  const at = rules.findIndex((rule) => rule.includes('--probability 0.33333333349'))
  const wrong = rules[at]?.replace('0.33333333349', '0.5').replace(`-A ${chain}`, `-R ${chain} ${at + 1}`)
  return `*nat\n${wrong}\nCOMMIT\n`
}

function countsOf({ answers, errors }: Observation): readonly number[] {
  expect(errors).toEqual({})
  expect(Object.keys(answers)).toHaveLength(3)
  return Object.values(answers)
}
