import { describe, expect, it } from 'vitest'
import { readStatements } from '../../../../src/dataplane/nftables/program/read-statement.js'
import type { SelectorRow } from '../../../../src/dataplane/nftables/program/selector-row.js'
import { SELECTOR_ROWS } from '../../../../src/dataplane/nftables/program/selectors.js'
import { STATEMENT_ROWS, type StatementDecision } from '../../../../src/dataplane/nftables/program/statement-rows.js'

const WORDS = {
  decided: 'decided',
  partly: 'decided in part',
  irrelevant: 'does not matter here',
  unknown: 'cannot be known',
} as const

const TRANSPORTS: readonly string[] = ['tcp', 'udp', 'sctp']

function decisionOf({ needs, meaning }: SelectorRow): keyof typeof WORDS {
  if (meaning.kind !== 'unknown') return 'decided'
  if (needs.some((need) => need.kind === 'protocol' && !TRANSPORTS.includes(need.protocol))) return 'decided'
  return needs.some(({ kind }) => kind === 'sender') ? 'partly' : 'unknown'
}

function needText(need: SelectorRow['needs'][number]): string {
  switch (need.kind) {
    case 'family':
      return need.family
    case 'protocol':
      return `\`${need.protocol}\``
    case 'connection':
      return 'a tracked connection'
    case 'sender':
      return 'a packet of the node'
  }
}

/** Joins the selectors with the same header, needs and reason. */
function selectorLines(): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const row of SELECTOR_ROWS) {
    const [header = ''] = row.selector.split(' ')
    const line = `${WORDS[decisionOf(row)]} | ${row.needs.map(needText).join(', ')} | ${row.reason} |`
    const key = `${header}\n${line}`
    groups.set(key, [...(groups.get(key) ?? []), `\`${row.selector}\``])
  }
  return [...groups].map(([key, selectors]) => `| ${selectors.join(', ')} | ${key.split('\n')[1]}`)
}

interface Row {
  readonly statement: string
  readonly example: string
  readonly decision: StatementDecision
  readonly reason: string
}

/** The statements that begin with a selector. */
const CHANGES: readonly Row[] = [
  [
    '`… vmap`',
    'tcp dport vmap { 80 : accept }',
    'decided',
    'the verdict of the matching element; without one, the next rule',
  ],
  [
    '`meta mark set`',
    'meta mark set ct mark & 0xff',
    'decided',
    'computes marks from marks, constants and maps; unknown bits only matter to rules that read them',
  ],
  [
    '`ct mark set`',
    'ct mark set meta mark',
    'decided',
    'as `meta mark set`; does nothing without a tracked connection',
  ],
  [
    '`ct zone set`',
    'ct zone set 1',
    'irrelevant',
    'the first packet is new in every zone; the selector `ct zone` is unknown',
  ],
  ['`ct … set`', 'ct helper set "ftp"', 'irrelevant', 'changes helpers, timeouts, expectations, events and labels'],
  ['`meta … set`', 'meta priority set 1:1', 'irrelevant', 'selectors of these fields are unknown'],
  [
    '`ip … set`',
    'ip ttl set 5',
    'irrelevant',
    'changes fields other than addresses, ports and protocols, whose selectors are unknown',
  ],
  ['`tcp option … set`', 'tcp option maxseg size set 1000', 'irrelevant', 'selectors of options are unknown'],
  [
    '`ip … set`',
    'ip daddr set 10.0.0.1',
    'unknown',
    'packets with changed addresses, ports or protocols are not followed',
  ],
  ['`ct count`', 'ct count over 5', 'unknown', 'matches or not, depending on other connections'],
  ['other statements', 'xt target "TPROXY"', 'unknown', 'matches or not; at the end of a rule, the outcome is unknown'],
].map(([statement = '', example = '', decision, reason = '']) => ({
  ...{ statement, example, reason },
  decision: decision as StatementDecision,
}))

const STATEMENTS: readonly Row[] = [
  ...STATEMENT_ROWS.map(({ words, ...row }) => ({ ...row, statement: words.map((word) => `\`${word}\``).join(', ') })),
  ...CHANGES,
]

const statementLines = STATEMENTS.map(
  ({ statement, example, decision, reason }) => `| ${statement} | \`${example}\` | ${WORDS[decision]} | ${reason} |`,
)

const PAGE = `# Packet semantics of nftables

This page lists the meaning of each selector and statement of \`nft(8)\` in a trace. A trace follows the first packet of a
connection: a TCP packet with the flag SYN alone, a UDP packet, or an SCTP packet with the chunk INIT.

* **decided**: the packet decides.
* **decided in part**: the packet decides in the cases that the reason describes. In all other cases, the trace follows
  both paths.
* **cannot be known**: the trace follows both paths, and names the rule as an assumption if the outcome depends on it.
  After a statement with an unknown effect, the outcome is unknown.
* **does not matter here**: the packet continues, and no other rule reads the change.

## Selectors

A rule does not match a packet without the value that a selector needs, even if the rule compares with \`!=\`. The values
of flags (\`tcp flags\`, \`ct state\`, \`ct status\`) after \`==\` or \`!=\` are compared as one number. Without an operator, one of
the flags must be set. Comparisons with ranges, masks, sets, maps and concatenations are as certain as their selectors.
Masks of addresses must be prefixes.

| selectors | first packet | needs | reason |
|---|---|---|---|
${selectorLines().join('\n')}
| \`numgen random\` | decided |  | with probabilities |
| \`numgen inc\`, \`jhash\`, \`symhash\` | decided in part |  | only \`mod 1\` is known; a map is followed with each of up to 64 elements |

## Statements

Statements run from left to right. A match after a statement with an effect decides only about the rest of the rule.

| statement | example | first packet | effect or reason |
|---|---|---|---|
${statementLines.join('\n')}
`

describe('docs/reference/packet-semantics/nftables.md', () => {
  it('lists the meaning of every selector and statement', async () => {
    const page = new URL('../../../../../../docs/reference/packet-semantics/nftables.md', import.meta.url)
    await expect(PAGE).toMatchFileSnapshot(page.pathname)
  })

  it('lists each selector once', () => {
    const selectors = SELECTOR_ROWS.map(({ selector }) => selector)
    expect(new Set(selectors).size).toBe(selectors.length)
  })

  it.each(STATEMENTS)('reads $example as in the table', ({ example, decision }) => {
    const kinds = readStatements(example, 9).map(({ kind }) => kind)
    expect(kinds).toHaveLength(1)
    const [kind = ''] = kinds
    const isUnknown = ['unknownMatch', 'unknownEffect', 'unread'].includes(kind)
    expect(isUnknown).toBe(decision === 'unknown')
    if (decision === 'irrelevant') expect(kind).toBe('pass')
    if (decision === 'decided') expect(kind).not.toBe('pass')
  })
})
