import type { IpFamily } from '@kube-rules/types'
import { expect } from 'vitest'
import { type PacketCase, packetOf } from './cases.js'
import type { Lab, Observation, Probe } from './lab.js'

/** Observes all cases; the cases of each place run in parallel. */
export async function observeAll(
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
  if (!isRejected(each)) return { packet }
  return { packet, count: 2, milliseconds: each.expected === 'drop' ? 700 : 20_000 }
}

export function isRejected({ expected }: PacketCase): boolean {
  return expected === 'reject' || expected === 'drop'
}

/** Returns the number of responses of each of three servers. */
export function countsOf({ answers, errors }: Observation): readonly number[] {
  expect(errors).toEqual({})
  expect(Object.keys(answers)).toHaveLength(3)
  return Object.values(answers)
}
