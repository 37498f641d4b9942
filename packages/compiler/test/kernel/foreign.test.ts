import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { diff } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { generatedHistories } from './histories.js'
import { scopeOf } from './machine.js'
import { parsed } from './real-inputs.js'
import { repairRuns } from './repair.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { dumpTables } from './sandbox/dump.js'
import { type CommandExecutor, inNewNamespace, succeeded } from './sandbox/sandbox.js'
import { BACKENDS, FAMILIES, iptablesTools } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

/** Builds a firewall like those of ufw and Docker, with rules in every table and a policy. */
function firewall(family: IpFamily): string {
  const network = family === 'IPv4' ? '172.17.0.0/16' : 'fd00:17::/64'
  return `*mangle
-A FORWARD -p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu
COMMIT
*raw
-A PREROUTING -p udp -m udp --dport 53 -j NOTRACK
COMMIT
*filter
:FORWARD DROP [0:0]
:DOCKER-USER - [0:0]
:ufw-before-input - [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -j ufw-before-input
-A FORWARD -j DOCKER-USER
-A FORWARD -s ${network} -j ACCEPT
-A DOCKER-USER -j RETURN
-A ufw-before-input -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-input -p tcp -m tcp --dport 22 -m comment --comment "KUBE-SERVICES is not ours to name" -j ACCEPT
COMMIT
*nat
:DOCKER - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
-A POSTROUTING -s ${network} ! -o docker0 -j MASQUERADE
-A DOCKER -i docker0 -j RETURN
COMMIT
`
}

/** Later foreign rules, before and after our jumps. */
const LATER = `*filter
-I INPUT 1 -p icmp -j ACCEPT
-A INPUT -m limit --limit 5/min -j LOG
COMMIT
*nat
-I PREROUTING 1 -i docker0 -j RETURN
-A OUTPUT -m addrtype --dst-type LOCAL -j DOCKER
COMMIT
`

const OURS = /^(:KUBE-|-A KUBE-|-A \S+ .*-j KUBE-)/

/** A chain of the kubelet: kube-proxy up to 1.24 jumps there, and never deletes it. */
const KUBELET_CHAIN = ':KUBE-MARK-DROP -'

function withoutKubeletChain(dump: string): string {
  return dump.replace(`${KUBELET_CHAIN}\n`, '')
}

function linesOf(dump: string): { readonly ours: readonly string[]; readonly others: readonly string[] } {
  const lines = dump.split('\n').filter((line) => line !== KUBELET_CHAIN)
  return { ours: lines.filter((line) => OURS.test(line)), others: lines.filter((line) => !OURS.test(line)) }
}

const histories = generatedHistories(8).filter(({ results }) => results[0]?.mode === 'iptables')

/** Returns a result of the family; older versions compile one family only. */
function resultOf(family: IpFamily): CompileResult {
  const results = histories.flatMap((history) => history.results)
  const found = results.find(({ families }) => families.some((each) => each.family === family))
  if (found === undefined) throw new Error(`no result of ${family}`)
  return found
}

/** Loads the chains of the kubelet that the results need. */
async function loadKubelet(run: CommandExecutor, results: readonly CompileResult[], backend: IptablesBackend) {
  for (const [family, text] of scopeOf(results, { hasIpvs: false }).kubelet)
    succeeded(await run([iptablesTools(family, backend).restore, '--noflush'], text))
}

describe.each(BACKENDS)('kube-rules on a node with foreign rules and iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`, 'network'])

  describe.each(FAMILIES)('for %s', (family) => {
    const { restore } = iptablesTools(family, backend)
    const dump = (run: CommandExecutor) => dumpTables(run, family, backend)
    const load = async (run: CommandExecutor, text: string) => succeeded(await run([restore, '--noflush'], text))
    const result = resultOf(family)

    it.for(histories)(
      'adds, changes and removes $name without changing foreign rules',
      async ({ results }, context) => {
        const sandbox = await sandboxFor(context)
        await inNewNamespace(sandbox, async (run) => {
          await load(run, firewall(family))
          await loadKubelet(run, results, backend)
          for (const [step, result] of results.entries()) {
            if (step === 1) await load(run, LATER)
            const { others } = linesOf(await dump(run))
            await runToolCommands(run, toCommands(diff(results[step - 1], result), { backend }), backend)
            const held = linesOf(await dump(run))
            expect(held.others, `step ${step}`).toEqual(others)
            expect(held.ours, `step ${step}`).toEqual(await oursAlone(result))
          }
          await runToolCommands(run, toCommands(diff(results.at(-1), undefined), { backend }), backend)
          expect(withoutKubeletChain(await dump(run))).toBe(await foreignAlone())
        })

        function oursAlone(result: CompileResult): Promise<readonly string[]> {
          return inNewNamespace(sandbox, async (run) => {
            await loadKubelet(run, [result], backend)
            await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
            return linesOf(await dump(run)).ours
          })
        }

        function foreignAlone(): Promise<string> {
          return inNewNamespace(sandbox, async (run) => {
            await load(run, firewall(family))
            await load(run, LATER)
            return dump(run)
          })
        }
      },
    )

    it('repairs only kube-proxy rules', async (context) => {
      const sandbox = await sandboxFor(context)
      await inNewNamespace(sandbox, async (run) => {
        await load(run, firewall(family))
        await loadKubelet(run, [result], backend)
        await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
        await load(run, LATER)
        const before = await dump(run)
        await load(run, '*nat\n-F KUBE-SERVICES\n-I KUBE-POSTROUTING 1 -j RETURN\nCOMMIT\n')
        await runToolCommands(run, repairRuns(result, family, await dump(run), backend), backend)
        expect(await dump(run)).toBe(before)
      })
    })

    it('loads missing rules without duplicates if the state of the node is unknown', async (context) => {
      const sandbox = await sandboxFor(context)
      const runs = toCommands(reconcile(undefined, result), { backend })
      await inNewNamespace(sandbox, async (run) => {
        await load(run, firewall(family))
        await loadKubelet(run, [result], backend)
        await runToolCommands(run, runs, backend)
        const before = await dump(run)
        await runToolCommands(run, runs, backend)
        expect(await dump(run)).toBe(before)
        expect(
          parsed(before, family)
            .tables.map(({ name }) => name)
            .sort(),
        ).toEqual(['filter', 'mangle', 'nat', 'raw'])
      })
    })
  })
})

it('the kernel tests have enough histories', () => {
  expect(histories.length).toBeGreaterThan(3)
})
