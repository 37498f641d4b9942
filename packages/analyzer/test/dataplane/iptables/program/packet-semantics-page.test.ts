import { describe, expect, it } from 'vitest'
import { MATCH_MODULES } from '../../../../src/dataplane/iptables/program/modules/match-modules.js'
import { TARGET_MODULES } from '../../../../src/dataplane/iptables/program/targets/target-modules.js'

const MATCH_WORDS = { decided: 'decided', partly: 'decided in part', unknown: 'cannot be known' }
const TARGET_WORDS = { decided: 'decided', irrelevant: 'does not matter here', unknown: 'cannot be known' }

interface Row {
  readonly name: string
  readonly options: string
  readonly result: string
  readonly reason: string
}

const codeOf = (options: string) => (options.startsWith('-') ? `\`${options.replaceAll(', ', '`, `')}\`` : options)

function tableOf(heading: string, rows: readonly Row[]): string {
  const sorted = [...rows].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return [
    `| ${heading} | options | first packet | reason |`,
    '|---|---|---|---|',
    ...sorted.map(({ name, options, result, reason }) => `| ${name} | ${codeOf(options)} | ${result} | ${reason} |`),
  ].join('\n')
}

const matches = MATCH_MODULES.flatMap(({ name, meanings }) =>
  meanings.map(({ options, decision, reason }) => ({
    name: name === '' ? 'none' : `\`${name}\``,
    options,
    result: MATCH_WORDS[decision],
    reason,
  })),
)

const targets = TARGET_MODULES.flatMap(({ name, meanings }) =>
  meanings.map(({ options, decision, reason }) => ({
    name: `\`${name}\``,
    options,
    result: TARGET_WORDS[decision],
    reason,
  })),
)

const PAGE = `# Packet semantics of iptables

This page lists the meaning of each match and target of \`iptables-extensions(8)\` in a trace. A trace follows the first packet
of a connection: a TCP packet with the flag SYN alone, a UDP packet, or an SCTP packet with the chunk INIT.

* **decided**: the packet decides.
* **decided in part**: the packet decides in the cases that the reason describes. In all other cases, the trace follows
  both paths, and names the rule as an assumption if the outcome depends on it.
* **cannot be known**: the trace always follows both paths. After a target with an unknown effect, the outcome is unknown.
* **does not matter here**: the packet continues, and no other rule reads the change.

All options of a match must apply. \`!\` negates one option, not the whole match. A match or target that is not on this
page cannot be known, and neither can one with an option that is not in \`iptables-extensions(8)\`.

## Matches

${tableOf('match', matches)}

## Targets

A jump (\`-j CHAIN\`) continues in the chain, and then at the next rule. A goto (\`-g CHAIN\`) continues in the chain, and then
in the caller of its own chain.

${tableOf('target', targets)}
`

describe('docs/reference/packet-semantics/iptables.md', () => {
  it('lists the meaning of every match and target', async () => {
    const page = new URL('../../../../../../docs/reference/packet-semantics/iptables.md', import.meta.url)
    await expect(PAGE).toMatchFileSnapshot(page.pathname)
  })

  it('describes each module once', () => {
    for (const modules of [MATCH_MODULES, TARGET_MODULES]) {
      const names = modules.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(modules.filter(({ meanings }) => meanings.length === 0)).toEqual([])
    }
  })
})
