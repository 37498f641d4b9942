import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../analyzer/src/verify/verify.js'
import { understood } from '../../../testing/src/arbitraries/configurations.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { diff } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { drawnVersions } from '../support/drawn-versions.js'
import { histories as generated } from '../support/edits.js'
import { readDump } from '../support/read-dump.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { type CommandExecutor, inNewNamespace, succeeded } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

/**
 * Of this number of histories, one runs all commands of a full sync without a dump. The commands are many, because such
 * a sync removes the rules of every mode.
 */
const RUNS_ALL = 8

// Applies histories of clusters in nftables mode to the kernel step by step. The versions of kube-proxy take turns.

const histories = fc.sample(generated, { numRuns: 40, seed: 7 }).map(({ inputs, options: given }, index) => {
  // The table of 1.29 does not load if source ranges overlap.
  const versions = drawnVersions('nftables').filter((version) => version !== '1.29')
  const kubernetesVersion = versions[index % versions.length] ?? ''
  const options = { ...given, mode: 'nftables' as const, kubernetesVersion }
  const results: CompileResult[] = []
  for (const input of inputs) {
    const configuration = loadable(understood(input.configuration ?? {}, options), kubernetesVersion)
    results.push(compile({ ...input, configuration }, { ...options, previous: results.at(-1) }))
  }
  return { name: `history ${index}, ${kubernetesVersion}`, index, results }
})

/**
 * Removes interface detection before 1.35, because these versions look up interfaces when rules are loaded, and the
 * interfaces do not exist here.
 */
function loadable<Configuration extends { readonly detectLocalMode?: unknown }>(
  configuration: Configuration,
  version: string,
): Configuration {
  const names = ['BridgeInterface', 'InterfaceNamePrefix']
  if (version >= '1.35' || !names.includes(String(configuration.detectLocalMode))) return configuration
  return { ...configuration, detectLocalMode: 'NodeCIDR' }
}

async function listed(run: CommandExecutor): Promise<string> {
  const ran = await run(['nft', 'list', 'ruleset'])
  succeeded(ran)
  return ran.stdout
}

/** Removes the empty tables that iptables-nft creates when a full sync without a dump removes the rules of iptables mode. */
function withoutEmptyTables(ruleset: string): string {
  return ruleset.replaceAll(/^table ip6? (?:nat|filter|mangle) \{\n\}\n/gm, '')
}

describe('a history of nftables mode in the kernel', () => {
  const sandboxFor = useSandbox(['nft'])

  it.for(histories)(
    'has the expected state after each step, and no table at the end: $name',
    async ({ index, results }, context) => {
      await inNewNamespace(await sandboxFor(context), async (run) => {
        const expectState = async (result: CompileResult, step: string) => {
          const dump = readDump(await listed(run))
          const drift = verify(result, dump, { complete: true }).families.flatMap((family) => family.drift)
          expect(drift, step).toEqual([])
          expect(toCommands(reconcile(dump, result), { keepsConnections: true }), step).toEqual([])
        }
        for (const [step, result] of results.entries()) {
          await runToolCommands(run, toCommands(diff(results[step - 1], result)), 'nft')
          await expectState(result, `step ${step}`)
        }
        // Existing rules, of the same result or of another, do not affect a full load.
        const last = results.at(-1) as CompileResult
        for (const result of [last, results[0] as CompileResult, last]) {
          const commands = toCommands(reconcile(undefined, result))
          const needed = index % RUNS_ALL === 0 ? commands : commands.filter(({ tool }) => tool === 'nft')
          await runToolCommands(run, needed, 'nft')
          await expectState(result, 'full load')
        }
        await runToolCommands(run, toCommands(diff(results.at(-1), undefined)), 'nft')
        expect(withoutEmptyTables(await listed(run))).toBe('')
      })
    },
  )
})
