import { expect, it } from 'vitest'
import type { CompileResult } from '../../src/compile.js'
import type { Backend } from '../../src/dataplane/iptables/print-save.js'
import { diff, plan } from '../../src/result-patch.js'
import { conformanceHistories, generatedHistories, type History } from './histories.js'
import { type Dump, dumpMachine, loadWhole, prepareMachine, runStages, type Scope, scopeOf } from './machine.js'
import { useWorld } from './world/use-world.js'
import { inNewNamespace, type World } from './world/world.js'

/** The tests of one back end; each has a file of its own, so that they run beside each other. */
export function testDiffs(backend: Backend): void {
  const histories: readonly History[] = [...generatedHistories(20), ...conformanceHistories()]
  const worldFor = useWorld([`iptables-${backend}`, 'ipset', 'network'])

  it.for(histories)('each diff of $name leads to what a fresh load gives', async ({ results }, context) => {
    const world = await worldFor(context)
    const scope = scopeOf(results)
    await inNewNamespace(world, async (run) => {
      await prepareMachine(run, scope)
      const empty = await dumpMachine(run, scope, backend)
      for (const [step, result] of results.entries()) {
        await runStages(run, plan(diff(results[step - 1], result), { backend }), backend)
        const fresh = await dumpOfFreshLoad(world, result, scope, backend)
        expect(await dumpMachine(run, scope, backend), `step ${step}`).toEqual(fresh)
      }
      await runStages(run, plan(diff(results.at(-1), undefined), { backend }), backend)
      expect(await dumpMachine(run, scope, backend), 'removed').toEqual(empty)
    })
  })

  it('has histories of both modes', () => {
    expect(new Set(histories.map(({ results }) => results[0]?.mode)).size).toBe(2)
  })
}

function dumpOfFreshLoad(world: World, result: CompileResult, scope: Scope, backend: Backend): Promise<Dump> {
  return inNewNamespace(world, async (run) => {
    await prepareMachine(run, scope)
    await loadWhole(run, result, backend)
    return dumpMachine(run, scope, backend)
  })
}
