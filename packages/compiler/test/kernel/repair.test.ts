import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { diff } from '../../src/diff/diff.js'
import { mutationLists, mutationText } from './mutations.js'
import { iptablesSamples } from './real-inputs.js'
import { repairRuns, reportOf } from './repair.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { dumpTables } from './sandbox/dump.js'
import { inNewNamespace, succeeded } from './sandbox/sandbox.js'
import { BACKENDS, FAMILIES, iptablesTools } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

const results = iptablesSamples(15)
const cases = mutationLists(30).map((mutations, index) => ({
  result: results[index % results.length] as CompileResult,
  mutations,
  name: mutations.map(({ kind }) => kind).join(', '),
}))

describe.each(BACKENDS)('repairRuns with iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`, 'network'])

  describe.each(FAMILIES)('for %s', (family) => {
    const { restore } = iptablesTools(family, backend)

    it.for(cases)('repairs rules that were $name', async ({ result, mutations }, context) => {
      const sandbox = await sandboxFor(context)
      await inNewNamespace(sandbox, async (run) => {
        await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
        const before = await dumpTables(run, family, backend)
        for (const mutation of mutations) {
          const text = mutationText(await dumpTables(run, family, backend), mutation)
          succeeded(await run([restore, '--noflush'], text ?? expect.fail('there is no rule to change')))
        }
        const mutated = await dumpTables(run, family, backend)
        expect(mutated).not.toBe(before)
        await runToolCommands(run, repairRuns(result, family, mutated, backend), backend)
        const repaired = await dumpTables(run, family, backend)
        expect(reportOf(result, family, repaired, backend)).toMatchObject({ drift: [], repair: [] })
        // The order of service ports in shared chains is not fixed.
        expect(repaired.split('\n').sort()).toEqual(before.split('\n').sort())
      })
    })
  })

  it('does not change correct rules', async (context) => {
    const sandbox = await sandboxFor(context)
    const result = results[0] as CompileResult
    await inNewNamespace(sandbox, async (run) => {
      await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
      const dump = await dumpTables(run, 'IPv4', backend)
      expect(repairRuns(result, 'IPv4', dump, backend)).toEqual([])
    })
  })
})
