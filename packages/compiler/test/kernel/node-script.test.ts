import { describe, expect, it } from 'vitest'
import { printNodeScript } from '../../../application/src/print/print-node-script.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileResult } from '../../src/compilation/compile-result.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { diff } from '../../src/diff/diff.js'
import { iptablesSamples } from './real-inputs.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { dumpTables } from './sandbox/dump.js'
import { type CommandExecutor, inNewNamespace, type Sandbox } from './sandbox/sandbox.js'
import { BACKENDS } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

/** The script with the programs of one back end. */
function scriptOf(result: CompileResult, backend: IptablesBackend): string {
  return printNodeScript(result, backend).replace(/^(ip6?tables)(?=[- ])/gm, `$1-${backend}`)
}

/** Runs a script. Deletions that find nothing print an error, and do not fail. */
async function runScript(run: CommandExecutor, script: string): Promise<void> {
  const { status, stderr } = await run(['sh'], script)
  if (status !== 0) throw new Error(`status ${status}: ${stderr}`)
}

async function dumpAll(run: CommandExecutor, backend: IptablesBackend): Promise<readonly string[]> {
  const tables = [await dumpTables(run, 'IPv4', backend), await dumpTables(run, 'IPv6', backend)]
  const ruleset = await run(['nft', '-s', 'list', 'tables'])
  // The order of service ports in shared chains is not fixed.
  return [...tables.join('').split('\n').sort(), ruleset.stdout]
}

async function afterFirstSync(sandbox: Sandbox, result: CompileResult, backend: IptablesBackend) {
  return inNewNamespace(sandbox, async (run) => {
    await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
    return dumpAll(run, backend)
  })
}

const SHOP: CompileInput = {
  services: [
    {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, nodePort: 30080 }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080 }],
      endpoints: [{ addresses: ['10.244.0.1'] }, { addresses: ['10.244.0.2'] }],
    },
  ],
}

describe('the shell script for a node in nftables mode', () => {
  const sandboxFor = useSandbox(['nft', 'network'])

  it('loads the same table as a first sync, even if the script is executed twice', async (context) => {
    const sandbox = await sandboxFor(context)
    const result = compile(SHOP, { mode: 'nftables', nodeName: 'node-1' })
    // nft lists the elements of a set in any order.
    const list = async (run: CommandExecutor) =>
      (await run(['nft', '-s', 'list', 'table', 'ip', 'kube-proxy'])).stdout
        .split(/[\s,]+/)
        .sort()
        .join(' ')
    const expected = await inNewNamespace(sandbox, async (run) => {
      await runToolCommands(run, toCommands(diff(undefined, result)), 'nft')
      return list(run)
    })
    expect(expected).toContain(' 10.244.0.2 ')
    await inNewNamespace(sandbox, async (run) => {
      for (let round = 0; round < 2; round++) {
        await runScript(run, scriptOf(result, 'nft'))
        expect(await list(run)).toBe(expected)
      }
    })
  })
})

describe.each(BACKENDS)('the shell script for a node with iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`, 'nft', 'network'])

  it.for(iptablesSamples(6).map((result, index) => ({ result, index })))(
    'loads the same rules as a first sync, even if executed twice: sample $index',
    async ({ result }, context) => {
      const sandbox = await sandboxFor(context)
      const expected = await afterFirstSync(sandbox, result, backend)
      await inNewNamespace(sandbox, async (run) => {
        for (let round = 0; round < 2; round++) {
          await runScript(run, scriptOf(result, backend))
          expect(await dumpAll(run, backend)).toEqual(expected)
        }
      })
    },
  )

  it('replaces the rules of another cluster and of another mode', async (context) => {
    const sandbox = await sandboxFor(context)
    const [first, second] = iptablesSamples(2) as [CompileResult, CompileResult]
    const nftables = compile({ services: [] }, { mode: 'nftables', nodeName: 'node-1' })
    await inNewNamespace(sandbox, async (run) => {
      await runScript(run, scriptOf(nftables, backend))
      await runScript(run, scriptOf(first, backend))
      await runScript(run, scriptOf(second, backend))
      expect((await run(['nft', 'list', 'tables'])).stdout).not.toContain('kube-proxy')
      const save = await dumpTables(run, 'IPv4', backend)
      expect(save).toContain('-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES')
    })
  })
})
