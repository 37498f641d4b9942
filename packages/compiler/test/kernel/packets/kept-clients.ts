import type { IpFamily, Packet } from '@kube-rules/types'
import { expect, it, type TestContext } from 'vitest'
import { type Capability, requireCapabilities } from '../sandbox/capabilities.js'
import { toClusterIP } from './cases.js'
import type { Lab } from './lab.js'
import { moveFlow } from './stale-flow.js'

type LabFor = (context: TestContext) => Promise<Lab>

/** Tests clients of a Service with session affinity, independent of its implementation. */
export function testAffinity(labFor: LabFor, family: IpFamily): void {
  it('session affinity sends a client to the same endpoint each time', async (context) => {
    const { probe } = await labFor(context)
    for (const from of ['client', 'pod2'] as const) {
      const packet = toClusterIP(from, 'sticky', family)
      const [first] = await probe(from, [{ packet, count: 1 }])
      const [later] = await probe(from, [{ packet }])
      expect(Object.keys(first?.answers ?? {})).toHaveLength(1)
      expect(later).toEqual({ answers: { [Object.keys(first?.answers ?? {})[0] as string]: 60 }, errors: {} })
    }
  })
}

/** Tests a flow in the conntrack table; `tools` load the rules. */
export function testMovedFlow(labFor: LabFor, family: IpFamily, tools: Capability): void {
  it('a UDP flow goes to a removed endpoint until its conntrack entry is deleted', async (context) => {
    await requireCapabilities(context, [tools, 'conntrack'])
    const lab = await labFor(context)
    const packet: Packet = { ...toClusterIP('client', 'flow', family), protocol: 'UDP', destinationPort: 53 }
    const { before, withNewRules, afterwards } = await moveFlow(lab, packet)
    expect(withNewRules).toBe(before)
    expect([before, afterwards].sort()).toEqual(['pod1', 'pod2'])
  })
}
