import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import type { Rule } from '../../src/dataplane/iptables/ast.js'
import { chainsOf } from '../../src/dataplane/iptables/chains.js'
import { printRule } from '../../src/dataplane/iptables/print/print.js'
import { iptablesGoldens, jumpText, parsed } from './real-inputs.js'
import { inFreshNamespace, succeeded } from './sandbox/sandbox.js'
import { iptablesTools } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

describe('the rules of iptables-nft', () => {
  const sandboxFor = useSandbox(['iptables-nft', 'nft'])

  it.for(iptablesGoldens())('of fixtures/$name are read from the listing of nft', async (golden, context) => {
    const { family, restore, save } = golden
    const tools = iptablesTools(family, 'nft')
    const script = `${tools.restore} --noflush --counters; nft list ruleset 2>&1; echo "# save"; ${tools.save}`
    const ran = await inFreshNamespace(await sandboxFor(context), script, jumpText(parsed(save, family)) + restore)
    succeeded(ran)
    const [listed = '', saved = ''] = ran.stdout.split('# save\n')
    const [read, expected] = [chainsOfDump(listed, family), chainsOfDump(saved, family)]
    expect(read.size).toBeGreaterThan(0)
    for (const [chain, rules] of expected) {
      const own = read.get(chain) ?? []
      // What nft prints without its options cannot be compared.
      const known = (at: number) => own[at]?.matches.every(({ kind }) => kind !== 'unknown')
      expect(own.filter((_, at) => known(at)).map((rule) => format(rule, family))).toEqual(
        rules.filter((_, at) => known(at)).map((rule) => format(rule, family)),
      )
      expect(own).toHaveLength(rules.length)
    }
  })
})

/** Returns the rules of a dump by table and chain. */
function chainsOfDump(text: string, family: IpFamily): ReadonlyMap<string, readonly Rule[]> {
  const dump = parseDump(text, { lenient: true, family })
  if (!dump.ok) throw new Error(JSON.stringify(dump.problems))
  const tables = dump.value[family].iptables?.tables ?? []
  return new Map(
    tables.flatMap((table) =>
      Array.from(chainsOf(table), ([chain, rules]) => [`${table.name}/${chain}`, rules] as const),
    ),
  )
}

/** Prints a rule without what nft leaves out: comments, modules without options, and the older name of `conntrack`. */
function format({ matches, ...rule }: Rule, family: IpFamily): string {
  const hasPort = matches.some(({ kind }) => kind === 'destinationPort' || kind === 'sourcePort')
  const told = matches.filter(({ kind }) => kind !== 'comment' && (kind !== 'transport' || hasPort))
  return printRule({ ...rule, matches: told }, 'save', family).replace('-m state --state', '-m conntrack --ctstate')
}
