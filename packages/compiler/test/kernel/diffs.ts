import { expect, it } from 'vitest'
import { script } from '../../src/commands/script.js'
import type { Backend } from '../../src/dataplane/tool-options.js'
import { diff } from '../../src/diff/diff.js'
import { conformanceHistories, generatedHistories, type History, needsIpvs } from './histories.js'
import { applyPossible, dumpMachine, type Kernel, loadWhole, prepareMachine, scopeOf } from './machine.js'
import { useWorld } from './world/use-world.js'
import { inNewNamespace, type World } from './world/world.js'

const WITHOUT_IPVS: Kernel = { hasIpvs: false }

/** The tests of one back end; each has a file of its own, so that they run beside each other. */
export function testDiffs(backend: Backend): void {
  const histories = [...generatedHistories(20), ...conformanceHistories()].filter((history) => !needsIpvs(history))
  const worldFor = useWorld([`iptables-${backend}`, 'ipset', 'network'])

  it.for(histories)('each diff of $name leads to what a fresh load gives', async (history, context) => {
    await checkHistory(await worldFor(context), history, WITHOUT_IPVS, backend)
  })

  it('has histories of all modes with rules of iptables', () => {
    expect(new Set(histories.map(({ results }) => results[0]?.mode)).size).toBe(3)
  })
}

/** Applies each diff of a history, and in the end its removal; after each the machine is that of a fresh load. */
export async function checkHistory(
  world: World,
  { results }: History,
  kernel: Kernel,
  backend: Backend,
): Promise<void> {
  const scope = scopeOf(results, kernel)
  await inNewNamespace(world, async (run) => {
    await prepareMachine(run, scope)
    const empty = await dumpMachine(run, scope, backend)
    for (const [step, result] of results.entries()) {
      await applyPossible(run, script(diff(results[step - 1], result), { backend }), kernel, backend)
      const fresh = await inNewNamespace(world, async (runFresh) => {
        await prepareMachine(runFresh, scope)
        await loadWhole(runFresh, result, kernel, backend)
        return dumpMachine(runFresh, scope, backend)
      })
      expect(await dumpMachine(run, scope, backend), `step ${step}`).toEqual(fresh)
    }
    await applyPossible(run, script(diff(results.at(-1), undefined), { backend }), kernel, backend)
    expect(await dumpMachine(run, scope, backend), 'removed').toEqual(empty)
  })
}
