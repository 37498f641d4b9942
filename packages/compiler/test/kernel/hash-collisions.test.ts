import { expect, it, vi } from 'vitest'
import { parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import { trace } from '../../../analyzer/src/trace/trace.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { COLLIDING_CLUSTERS, COLLIDING_OPTIONS } from '../support/colliding-clusters.js'
import { checkHistory } from './diffs.js'
import { loadWhole } from './machine.js'
import { dumpTables } from './sandbox/dump.js'
import { inNewNamespace } from './sandbox/sandbox.js'
import { BACKENDS } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

vi.mock('../../src/internal/hash.js', async (importOriginal) => {
  const { withCollidingHashes } = await import('../support/colliding-hashes.js')
  return withCollidingHashes(await importOriginal<typeof import('../../src/internal/hash.js')>())
})

type Name = keyof typeof COLLIDING_CLUSTERS

const NAMES = Object.keys(COLLIDING_CLUSTERS) as readonly Name[]
const WITHOUT_IPVS = { hasIpvs: false }

/** Returns a sequence of the clusters in which each one follows each other one. */
function everyChange(): readonly Name[] {
  return NAMES.flatMap((from, index) =>
    NAMES.slice(index + 1)
      .flatMap((to) => [from, to])
      .concat(from),
  )
}

function resultsOf(kubernetesVersion: string): readonly CompileResult[] {
  const results: CompileResult[] = []
  for (const name of everyChange())
    results.push(
      compile(COLLIDING_CLUSTERS[name], { ...COLLIDING_OPTIONS, kubernetesVersion, previous: results.at(-1) }),
    )
  return results
}

for (const backend of BACKENDS) {
  const sandboxFor = useSandbox([`iptables-${backend}`, 'network'])

  it.for(['1.20', '1.34'])(
    `iptables-${backend} accepts every change of two service ports with one chain, of %s`,
    async (kubernetesVersion, context) => {
      const history = { name: 'collisions', results: resultsOf(kubernetesVersion) }
      await checkHistory(await sandboxFor(context), history, WITHOUT_IPVS, backend)
    },
  )

  it(`the dump of iptables-${backend} handles packets as the compiled rules`, async (context) => {
    const result = compile(COLLIDING_CLUSTERS.both, { ...COLLIDING_OPTIONS, kubernetesVersion: '1.34' })
    await inNewNamespace(await sandboxFor(context), async (run) => {
      await loadWhole(run, result, WITHOUT_IPVS, backend)
      const dump = parseDump(await dumpTables(run, 'IPv4', backend))
      const states = [result.families[0]?.state, dump.ok ? dump.value.IPv4 : undefined]
      for (const destination of ['10.0.0.1', '10.0.0.2', '10.0.0.9']) {
        const packet = {
          source: '10.244.9.9',
          destination,
          destinationPort: 80,
          protocol: 'TCP',
          origin: 'pod',
        } as const
        const [compiled, actual] = states.map((state) => state && trace(state, packet).map(({ outcome }) => outcome))
        expect(actual).toEqual(compiled)
        const address = destination === '10.0.0.9' ? '10.244.1.9' : '10.244.1.1'
        expect(actual).toMatchObject([{ kind: 'delivered', address }])
      }
    })
  })
}
