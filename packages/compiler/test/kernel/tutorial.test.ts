import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verify } from '../../../analyzer/src/verify/verify.js'
import { readerPackagesFor, readTutorial } from '../../../cli/test/support/tutorial-steps.js'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import { diff } from '../../src/diff/diff.js'
import { readDump } from '../support/read-dump.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { type CommandExecutor, inNewNamespace } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// The proxy of the tutorial, with the files and commands of the page: a change reaches the kernel through an informer.

/** The objects of the fake API server of the page after its change. */
const CHANGED = {
  services: [
    {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' }, spec: { podCIDR: '10.244.1.0/24' } }],
}

/** Returns a folder with the files that a reader of the page saves. */
function folderOf(files: ReturnType<typeof readTutorial>['files']): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutorial-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(readerPackagesFor([]), join(folder, 'node_modules'))
  for (const { name, content } of files) writeFileSync(join(folder, name), content)
  return folder
}

async function listRuleset(run: CommandExecutor): Promise<string> {
  return (await run(['nft', '-s', 'list', 'ruleset'])).stdout
}

/** Sorts the words of a listing, because nft lists chains by age, and elements of a set in any order. */
function words(listing: string): readonly string[] {
  return listing.split(/[\s,]+/).sort()
}

describe('the proxy of docs/tutorials/build-a-proxy.md', () => {
  const sandboxFor = useSandbox(['nft', 'network'])
  const isBuilt = existsSync(join(readerPackagesFor([]), '@kube-rules/compiler/dist/index.js'))

  it.skipIf(!isBuilt)(
    'leaves the rules of a full compile on the node after a change (needs a build)',
    async (context) => {
      const sandbox = await sandboxFor(context)
      const { files, steps } = readTutorial('build-a-proxy.md')
      const [start, look, ...others] = steps.filter(({ needsRoot }) => needsRoot)
      if (start === undefined || look === undefined) throw new Error('the page has no commands for root')
      expect(others).toEqual([])
      const folder = folderOf(files)
      const ruleset = await inNewNamespace(sandbox, async (run) => {
        await run(['sh', '-ec', `cd ${folder}; (${start.command}) > log 2>&1 &`])
        // The page shows the output of nft 1.0.
        const looked = async () => (await run(['sh', '-c', look.command])).stdout.replace('ip addr . port to', 'ip to')
        await expect.poll(looked, { timeout: 60_000, interval: 100 }).toBe(look.output)
        return listRuleset(run)
      })
      expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(start.output)
      const result = compile(CHANGED, { mode: 'nftables', nodeName: 'node-1', families: ['IPv4'] })
      const fresh = await inNewNamespace(sandbox, async (run) => {
        await runToolCommands(run, toCommands(diff(undefined, result)), 'nft')
        return listRuleset(run)
      })
      expect(words(ruleset)).toEqual(words(fresh))
      expect(verify(result, readDump(ruleset), { complete: true }).families.flatMap(({ drift }) => drift)).toEqual([])
    },
  )
})
