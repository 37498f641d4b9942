import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { printTable } from '../../src/dataplane/nftables/print/print-commands.js'
import { diff } from '../../src/diff/diff.js'
import { mutateTable, tableMutations } from '../support/nftables-mutations.js'
import { readDump } from '../support/read-dump.js'
import { nftablesSamples } from './real-inputs.js'
import { repairRuns, reportOf } from './repair.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { type CommandExecutor, inNewNamespace, succeeded } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// Tables of each version with external changes in a kernel, repaired by `verify` from the listing.

const results = nftablesSamples(16).filter(({ families }) => families.length > 0)
const cases = fc.sample(tableMutations, { numRuns: 64, seed: 3 }).map((mutation, index) => {
  const result = results[index % results.length] as CompileResult
  const name = `${index}: ${mutation.kind} ${mutation.at}, ${result.kubernetesVersion}`
  return { name, mutation, result }
})

describe('a changed nftables table in the kernel', () => {
  const sandboxFor = useSandbox(['nft'])

  it.for(cases)('is repaired: $name', async ({ mutation, result }, context) => {
    const [{ family }] = result.families as readonly [CompileResult['families'][number]]
    await inNewNamespace(await sandboxFor(context), async (run) => {
      await runToolCommands(run, toCommands(diff(undefined, result)), 'nft')
      const before = await listed(run)
      expect(repairRuns(result, family, before, 'nft')).toEqual([])
      const [table] = readDump(before)[family].nftables?.tables ?? []
      const changed = table && mutateTable(table, mutation)
      if (table === undefined || changed === 'unchanged') return
      const remake = changed === undefined ? '' : printTable(changed)
      succeeded(await run(['nft', '-f', '-'], `delete table ${table.family} ${table.name}\n${remake}`))
      const mutated = await run(['nft', 'list', 'ruleset'])
      // nft 1.0.6 loads some of these rules, and aborts when listing them.
      if (mutated.stderr.includes('payload_expr_complete: Assertion')) return
      succeeded(mutated)
      await runToolCommands(run, repairRuns(result, family, mutated.stdout, 'nft'), 'nft')
      expect(reportOf(result, family, await listed(run), 'nft')).toMatchObject({ drift: [], repair: [] })
    })
  })
})

async function listed(run: CommandExecutor): Promise<string> {
  const ran = await run(['nft', 'list', 'ruleset'])
  succeeded(ran)
  return ran.stdout
}
