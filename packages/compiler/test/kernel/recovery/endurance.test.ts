import { describe, expect, it } from 'vitest'
import type { CompiledMode } from '../../../src/targets/modes.js'
import { useWorld } from '../world/use-world.js'
import { type EnduranceOptions, type EnduranceReport, endure } from './endurance.js'

// `pnpm endurance` says which modes, how many events and which seed: `mode=nftables events=10000 seed=7`.
const asked = new Map(
  (process.env.KUBE_RULES_ENDURANCE ?? '').split(' ').map((word) => word.split('=') as [string, string]),
)
const events = Number(asked.get('events') ?? 150)
const seed = Number(asked.get('seed') ?? 1)

interface Course {
  readonly name: string
  readonly mode: CompiledMode
  readonly otherModes: readonly CompiledMode[]
  readonly backend: EnduranceOptions['backend']
}

const COURSES: readonly Course[] = [
  { name: 'iptables-nft', mode: 'iptables', otherModes: ['nftables'], backend: 'nft' },
  { name: 'iptables-legacy', mode: 'iptables', otherModes: ['nftables'], backend: 'legacy' },
  { name: 'nftables', mode: 'nftables', otherModes: ['iptables'], backend: 'nft' },
]

describe('a node on which everything goes wrong', () => {
  const worldFor = useWorld(['iptables-nft', 'iptables-legacy', 'nft', 'network', 'ipset'])
  const courses = COURSES.filter(({ name }) => name === (asked.get('mode') ?? name))

  it.for(courses)(
    'holds what a fresh load gives after each successful sync: $name',
    { timeout: 24 * 3_600_000 },
    async ({ name, ...course }, context) => {
      const progress = asked.size > 1 ? show(name) : undefined
      const report = await endure(await worldFor(context), { ...course, ipvs: 'ignored', events, seed, progress })
      show(name)(report)
      expect({ events: report.events, drift: report.drift.length, unexplained: report.unexplained.length }).toEqual({
        events,
        drift: 0,
        unexplained: 0,
      })
    },
  )
})

function show(name: string): (report: EnduranceReport) => void {
  return ({ faults, drift, unexplained, ...counts }) => {
    const texts = Object.entries({ ...counts, drift: drift.length, unexplained: unexplained.length })
    const injected = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
    console.log(`${name}: ${texts.map((each) => each.join(' ')).join(', ')}; faults: ${injected.join(', ')}`)
    for (const text of [...drift, ...unexplained]) console.log(text)
  }
}
