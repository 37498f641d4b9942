import { expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { diff } from '../../src/diff/diff.js'
import { conformanceHistories, generatedHistories, type History, needsIpvs } from './histories.js'
import { applyPossible, type Dump, dumpMachine, type Kernel, loadWhole, prepareMachine, scopeOf } from './machine.js'
import { inNewNamespace, type Sandbox } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

const WITHOUT_IPVS: Kernel = { hasIpvs: false }

/** Defines the tests of one back end; each has its own file, so that they run in parallel. */
export function testDiffs(backend: IptablesBackend): void {
  const histories = [...generatedHistories(20), ...conformanceHistories()].filter((history) => !needsIpvs(history))
  const sandboxFor = useSandbox([`iptables-${backend}`, 'ipset', 'network'])

  it.for(histories)('each diff of $name has the same result in the kernel as a full load', async (history, context) => {
    await checkHistory(await sandboxFor(context), history, WITHOUT_IPVS, backend)
  })

  it('the histories cover all modes with iptables rules', () => {
    expect(new Set(histories.map(({ results }) => results[0]?.mode)).size).toBe(3)
  })
}

/** Applies each diff of a history, and finally its removal. After each step the machine must equal a fresh load. */
export async function checkHistory(
  sandbox: Sandbox,
  { results }: History,
  kernel: Kernel,
  backend: IptablesBackend,
): Promise<void> {
  const scope = scopeOf(results, kernel)
  await inNewNamespace(sandbox, async (run) => {
    await prepareMachine(run, scope, backend)
    const empty = await dumpMachine(run, scope, backend)
    for (const [step, result] of results.entries()) {
      await applyPossible(run, toCommands(diff(results[step - 1], result), { backend }), kernel, backend)
      const fresh = await inNewNamespace(sandbox, async (runFresh) => {
        await prepareMachine(runFresh, scope, backend)
        await loadWhole(runFresh, result, kernel, backend)
        return dumpMachine(runFresh, scope, backend)
      })
      expect(await dumpMachine(run, scope, backend), `step ${step}`).toEqual(fresh)
    }
    await applyPossible(run, toCommands(diff(results.at(-1), undefined), { backend }), kernel, backend)
    expect(withoutMarkDrop(await dumpMachine(run, scope, backend)), 'removed').toEqual(withoutMarkDrop(empty))
  })
}

/** Removes the empty chain KUBE-MARK-DROP of a node without other rules, because a removal leaves it to the kubelet. */
function withoutMarkDrop(dump: Dump): Dump {
  const left = /^\*nat\n(?::[A-Z]+ ACCEPT\n)+:KUBE-MARK-DROP -\nCOMMIT\n/m
  return { ...dump, tables: dump.tables.map((text) => text.replace(left, '')) }
}
