import type { IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { canonicalizeState } from '../../../analyzer/test/support/canonical-state.js'
import { oneOf } from '../../../testing/src/arbitraries/weighted.js'
import { chainsOf } from '../../src/dataplane/iptables/chains.js'
import { printRule } from '../../src/dataplane/iptables/print/print.js'
import type { NodeState } from '../../src/dataplane/node-state.js'
import { type ListingStyle, listChain } from './listing-printer.js'

// Realistic excerpts from a dump, and the text around them.

/** An excerpt from a dump. */
export interface Cut {
  readonly how: string
  readonly text: string
  /** The number of combined selections. */
  readonly selections: number
}

/** A selection from a dump. */
type Selection = Omit<Cut, 'selections'>

/** The separator of two cuts. Without it the border between them would be ambiguous. */
const BORDER = '$ cd /tmp'

/** Generates excerpts from the dump of a node for one family: `dump` is the text of `state` as its tools print it. */
export function cutsOf(state: NodeState, dump: string): fc.Arbitrary<Cut> {
  const lines = dump.split('\n')
  const some = [searches(lines), elisions(lines), halves(lines), ...listings(state), ...ruleLists(state)]
  const cut = fc.oneof(...some, ...(state.iptables === undefined ? [] : [oneTable(state, lines)]))
  return fc
    .tuple(fc.oneof({ weight: 5, arbitrary: fc.tuple(cut) }, { weight: 1, arbitrary: fc.tuple(cut, cut) }), dressings)
    .map(([parts, dress]) => ({
      how: `${parts.map(({ how }) => how).join(' + ')} ${dress.how}`,
      text: dress.of(parts.flatMap(({ text }, index) => (index === 0 ? [text] : [BORDER, text]))),
      selections: parts.length,
    }))
}

function searches(lines: readonly string[]): fc.Arbitrary<Selection> {
  const words = [...new Set(lines.flatMap((line) => line.split(/[^\w./:-]+/)))].filter(
    (word) => /^[A-Za-z0-9][\w./:-]{2,}$/.test(word) && !/^\d{1,3}$/.test(word),
  )
  if (words.length === 0) return fc.constant({ how: 'nothing', text: '' })
  return fc.tuple(fc.constantFrom(...words), fc.boolean()).map(([word, hasCommand]) => {
    const found = lines.filter((line) => line.includes(word))
    return {
      how: `search for ${word}`,
      text: [...(hasCommand ? [`$ iptables-save | grep ${word}`] : []), ...found].join('\n'),
    }
  })
}

/** Replaces some lines by `...`. */
function elisions(lines: readonly string[]): fc.Arbitrary<Selection> {
  return fc
    .tuple(
      fc.nat(lines.length),
      fc.nat(12),
      fc.constantFrom('...', '…', '[...]', '# ...', '<snip>', '... more rules ...'),
    )
    .map(([at, count, mark]) => ({
      how: `without ${count} lines`,
      text: [...lines.slice(0, at), mark, ...lines.slice(at + count)].join('\n'),
    }))
}

/** Generates a range of lines, possibly with a truncated line. */
function halves(lines: readonly string[]): fc.Arbitrary<Selection> {
  const before = fc
    .nat(lines.length)
    .map((count) => ({ how: `the first ${count} lines`, text: lines.slice(0, count).join('\n') }))
  const after = fc
    .nat(lines.length)
    .map((count) => ({ how: `all but the first ${count} lines`, text: lines.slice(count).join('\n') }))
  const cutLine = fc.tuple(fc.nat(lines.length), fc.nat(60)).map(([at, length]) => ({
    how: 'a cut line',
    text: [...lines.slice(0, at), `${(lines[at] ?? '').slice(0, length)}...`].join('\n'),
  }))
  return fc.oneof(before, after, cutLine)
}

function oneTable({ iptables }: NodeState, lines: readonly string[]): fc.Arbitrary<Selection> {
  const names = iptables?.tables.map(({ name }) => name) ?? []
  return fc.constantFrom(...names).map((name) => {
    const start = lines.indexOf(`*${name}`)
    return { how: `table ${name}`, text: lines.slice(start, lines.indexOf('COMMIT', start) + 1).join('\n') }
  })
}

const STYLES: fc.Arbitrary<ListingStyle> = fc.record({
  verbose: fc.boolean(),
  numbers: fc.boolean(),
  names: fc.boolean(),
})

const POLICIES: readonly string[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING']

/** Generates `iptables -L` output of a table or of one of its chains. */
function listings({ iptables, family }: NodeState): readonly fc.Arbitrary<Selection>[] {
  if (iptables === undefined) return []
  return canonicalizeState(iptables).tables.map((table) => {
    const chains = [...chainsOf(table)].filter(([chain]) => chain !== 'INPUT' || table.name !== 'nat')
    const policyOf = (chain: string) =>
      POLICIES.includes(chain) ? (table.policies?.find((each) => each.chain === chain)?.policy ?? 'ACCEPT') : undefined
    const of = (some: readonly (readonly [string, Parameters<typeof listChain>[1]])[], style: ListingStyle) =>
      some.map(([chain, rules]) => listChain(chain, rules, family, style, policyOf(chain))).join('\n')
    return fc.tuple(fc.oneof(fc.constant(undefined), fc.constantFrom(...chains)), STYLES).map(([one, style]) => {
      const options = `${style.verbose ? ' -v' : ''}${style.names ? '' : ' -n'}${style.numbers ? ' --line-numbers' : ''}`
      const command = `$ ${toolOf(family)} -t ${table.name} -L${one === undefined ? '' : ` ${one[0]}`}${options}`
      return { how: command, text: `${command}\n${of(one === undefined ? chains : [one], style)}` }
    })
  })
}

/** Generates `iptables -S` output of a table or of one of its chains. */
function ruleLists({ iptables, family }: NodeState): readonly fc.Arbitrary<Selection>[] {
  if (iptables === undefined) return []
  return canonicalizeState(iptables).tables.map((table) => {
    const chains = chainsOf(table)
    const policyOf = (chain: string) => table.policies?.find((each) => each.chain === chain)?.policy ?? 'ACCEPT'
    const heads = [...chains.keys()].map((chain) =>
      POLICIES.includes(chain) ? `-P ${chain} ${policyOf(chain)}` : `-N ${chain}`,
    )
    const rules = linesOf(table, family)
    return fc.oneof(fc.constant(undefined), fc.constantFrom(...chains.keys())).map((one) => {
      const command = `$ sudo ${toolOf(family)} -t ${table.name} -S${one === undefined ? '' : ` ${one}`}`
      const isOfIt = (line: string) => one === undefined || line.split(' ')[1] === one
      return { how: command, text: [command, ...[...heads, ...rules].filter(isOfIt)].join('\n') }
    })
  })
}

function linesOf(table: Parameters<typeof chainsOf>[0], family: IpFamily): readonly string[] {
  return [...chainsOf(table).values()].flat().map((rule) => printRule(rule, 'save', family))
}

function toolOf(family: IpFamily): string {
  return family === 'IPv4' ? 'iptables' : 'ip6tables'
}

/** Text that people, pages and terminals add around an excerpt. */
interface Dressing {
  readonly how: string
  of(parts: readonly string[]): string
}

const dressings: fc.Arbitrary<Dressing> = oneOf<Dressing>(
  [6, { how: 'as it is', of: (parts) => parts.join('\n') }],
  [1, { how: 'indented', of: (parts) => parts.join('\n').replace(/^/gm, '    ') }],
  [1, { how: 'with tabs and CRLF', of: (parts) => parts.join('\n').replace(/^/gm, '\t').replace(/\n/g, '\r\n') }],
  [1, { how: 'quoted', of: (parts) => parts.join('\n').replace(/^/gm, '> ') }],
  [1, { how: 'fenced', of: (parts) => parts.map((part) => `Some words\n\n\`\`\`sh\n${part}\n\`\`\`\n`).join('\n') }],
  [1, { how: 'with counters', of: (parts) => parts.join('\n').replace(/^-A (?!-)/gm, '[17:1020] -A ') }],
  [
    1,
    {
      how: 'escaped',
      of: (parts) => parts.join('\n').replace(/&/g, '&amp;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    },
  ],
  [
    1,
    {
      how: 'coloured',
      of: (parts) => parts.join('\n').replace(/KUBE-SVC/g, '\u001b[01;31m\u001b[KKUBE-SVC\u001b[m\u001b[K'),
    },
  ],
  [1, { how: 'of a root shell', of: (parts) => parts.join('\n').replace(/^\$ /gm, 'root@node-1:~# ') }],
)
