import fc from 'fast-check'
import { parseNftables } from '../../../../analyzer/src/dataplane/nftables/parse/parse.js'
import type {
  BaseChain,
  Chain,
  Element,
  NamedObject,
  NamedSet,
  Rule,
  Selector,
  Statement,
  Table,
  Verdict,
} from '../../../src/dataplane/nftables/ast.js'

/** Parses the tables of a valid text. */
export function tablesOf(text: string): readonly Table[] {
  const read = parseNftables(text)
  if (!read.ok) throw new Error(read.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`).join('\n'))
  return read.value
}

/** Parses the only table of a text. */
export function tableOf(text: string): Table {
  const [table, ...rest] = tablesOf(text)
  if (table === undefined || rest.length > 0) throw new Error('not one table')
  return table
}

/** Builds a table with one chain that has one rule. */
export function withRule(rule: string, family = 'ip'): string {
  return `add table ${family} t\nadd chain ${family} t c\nadd chain ${family} t x\nadd chain ${family} t y\nadd rule ${family} t c ${rule}\n`
}

/** Parses the statements of one rule. */
export function statementsOf(rule: string): readonly Statement[] {
  const text = `table ip t {\n\tchain c {\n\t\t${rule}\n\t}\n}\n`
  return tableOf(text).chains[0]?.rules[0]?.statements ?? []
}

// Generated tables: tables of kube-proxy in any generation, and tables of other programs.

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const name = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.string({ unit: fc.constantFrom(...letters, '0', '7', '-', '_', '.', '/'), maxLength: 12 }),
  )
  .map(([first, rest]) => `${first}x${rest}`)

/** Excludes quotes and control characters, which nft cannot express. */
const comment = fc.string({
  unit: fc.constantFrom('a', 'B', '7', ' ', "'", '#', '{', '}', ';', ',', '\\', 'ä', '/'),
  maxLength: 20,
})
const ipv4 = fc.ipV4()
const port = fc.nat(65535)
const protocol = fc.constantFrom('tcp', 'udp', 'sctp')
const mark = fc.oneof(
  fc.nat(31).map((bit) => 2 ** bit),
  fc.nat(0xffffffff),
)
const counts = { packets: fc.nat(), bytes: fc.nat() }

function maybe<Value>(key: string, value: fc.Arbitrary<Value>): fc.Arbitrary<object> {
  return fc.option(value, { nil: undefined }).map((some) => (some === undefined ? {} : { [key]: some }))
}

/** Generates a record with optional further keys. */
function record<Value>(
  required: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> },
  ...optional: readonly fc.Arbitrary<object>[]
): fc.Arbitrary<Value> {
  return fc.tuple(fc.record(required), ...optional).map((parts) => Object.assign({}, ...parts))
}

function selector(family: 'ip' | 'ip6'): fc.Arbitrary<Selector> {
  return fc.oneof(
    fc.record({
      kind: fc.constant('payload' as const),
      protocol: fc.constant(family as string),
      field: fc.constantFrom('saddr', 'daddr'),
    }),
    fc.record({
      kind: fc.constant('payload' as const),
      protocol: fc.constantFrom('th', 'tcp', 'udp'),
      field: fc.constantFrom('dport', 'sport'),
    }),
    fc.constant<Selector>({ kind: 'meta', key: 'l4proto' }),
  )
}

function keyOf(selector: Selector): fc.Arbitrary<string> {
  if (selector.kind === 'meta') return protocol
  if (selector.kind !== 'payload' || selector.field.endsWith('port')) return port.map(String)
  const ipv6 = fc.tuple(fc.nat(0xffff), fc.nat(0xffff)).map(([a, b]) => `fd00:${a.toString(16)}::${b.toString(16)}`)
  return selector.protocol === 'ip' ? ipv4 : ipv6
}

const verdict = (chains: readonly string[]): fc.Arbitrary<Verdict> =>
  fc.oneof(
    fc.constantFrom<Verdict>({ kind: 'accept' }, { kind: 'drop' }, { kind: 'return' }),
    fc.record({ kind: fc.constantFrom('goto', 'jump'), chain: fc.constantFrom(...chains) }),
  )

const unknown = fc.constantFrom<readonly string[]>(
  ['log', 'prefix', '"a b: "', 'level', 'info'],
  ['limit', 'rate', '5/second', 'burst', '10', 'packets'],
  ['ct', 'mark', 'set', 'meta', 'mark'],
  ['snat', 'to', '192.0.2.1'],
  ['tcp', 'flags', '&', '(fin', '|', 'syn)', '==', 'syn'],
  ['meta', 'mark', 'set', 'ip', 'saddr', 'map', '{', '10.0.0.1', ':', '0x00000005', '}'],
)

function statement(family: 'ip' | 'ip6', chains: readonly string[], sets: readonly string[]): fc.Arbitrary<Statement> {
  const selectors = fc.array(selector(family), { minLength: 1, maxLength: 3 })
  const number: Selector = { kind: 'numgen', mode: 'random', mod: 2, offset: 0 }
  const address = keyOf({ kind: 'payload', protocol: family, field: 'saddr' })
  return fc.oneof(
    selector(family).chain((left) =>
      keyOf(left).map(
        (value): Statement => ({ kind: 'match', left: [left], operator: '==', right: { kind: 'value', value } }),
      ),
    ),
    fc
      .tuple(selectors, fc.constantFrom<'==' | '!='>('==', '!='), fc.constantFrom(...sets))
      .map(([left, operator, set]): Statement => ({ kind: 'match', left, operator, right: { kind: 'named', set } })),
    fc
      .tuple(selector(family), fc.constantFrom<'==' | '!='>('==', '!='))
      .chain(([left, operator]) =>
        fc
          .uniqueArray(keyOf(left), { minLength: 2, maxLength: 4 })
          .map((keys): Statement => ({ kind: 'match', left: [left], operator, right: { kind: 'anonymous', keys } })),
      ),
    fc
      .tuple(selectors, fc.constantFrom(...sets))
      .map(([key, set]): Statement => ({ kind: 'vmap', key, map: { kind: 'named', set } })),
    fc.tuple(verdict(chains), verdict(chains)).map(([first, second]): Statement => {
      const elements = [
        { key: '0', verdict: first },
        { key: '1', verdict: second },
      ]
      return { kind: 'vmap', key: [number], map: { kind: 'anonymous', elements } }
    }),
    fc
      .tuple(mark, mark, fc.constantFrom<'==' | '!='>('==', '!='))
      .map(([mask, value, operator]): Statement => ({ kind: 'markMatch', mask, operator, value })),
    fc.record<Statement & { kind: 'markSet' }>({
      kind: fc.constant('markSet'),
      operation: fc.constantFrom('or', 'xor', 'and', 'set'),
      value: mark,
    }),
    fc.constantFrom<Statement>(
      { kind: 'masquerade', fullyRandom: true },
      { kind: 'masquerade', fullyRandom: false },
      { kind: 'reject' },
      { kind: 'reject', with: 'tcp reset' },
      {
        kind: 'match',
        left: [{ kind: 'ct', key: 'state' }],
        operator: '==',
        right: { kind: 'value', value: 'established,new' },
      },
      {
        kind: 'match',
        left: [{ kind: 'meta', key: 'iifname' }],
        operator: '!=',
        right: { kind: 'value', value: 'cali*' },
      },
      {
        kind: 'match',
        left: [{ kind: 'fib', flags: ['saddr'], result: 'type' }],
        operator: '==',
        right: { kind: 'value', value: 'local' },
      },
    ),
    verdict(chains),
    fc
      .tuple(address, port)
      .map(([to, at]): Statement => ({ kind: 'dnat', to: { kind: 'address', address: to, port: at } })),
    fc.array(fc.tuple(address, port), { minLength: 1, maxLength: 3 }).map((ends): Statement => {
      const elements = ends.map(([to, at], index) => ({ key: String(index), data: `${to} . ${at}` }))
      return { kind: 'dnat', family, to: { kind: 'map', key: [{ ...number, mod: ends.length }], elements } }
    }),
    fc
      .tuple(
        fc.constantFrom(...sets),
        maybe(
          'timeout',
          fc.nat(100_000).map((seconds) => seconds * 1000),
        ),
      )
      .map(
        ([set, timeout]): Statement => ({
          kind: 'setUpdate',
          operation: 'update',
          set,
          key: [{ kind: 'payload', protocol: family, field: 'saddr' }],
          ...timeout,
        }),
      ),
    fc.record({ kind: fc.constant('counter' as const), ...counts }),
    fc.constant<Statement>({ kind: 'namedCounter', name: 'k' }),
    unknown.map((words): Statement => ({ kind: 'unknown', words })),
  )
}

/**
 * Limits foreign statements to one, before a verdict. Two foreign statements, or a known statement after a foreign one,
 * would be parsed as one statement.
 */
function separated(statements: readonly Statement[]): readonly Statement[] {
  const index = statements.findIndex(({ kind }) => kind === 'unknown')
  return index < 0 ? statements : [...statements.slice(0, index + 1), { kind: 'drop' }]
}

function rule(family: 'ip' | 'ip6', chains: readonly string[], sets: readonly string[]): fc.Arbitrary<Rule> {
  const statements = fc.array(statement(family, chains, sets), { minLength: 1, maxLength: 4 }).map(separated)
  return record({ statements }, maybe('comment', comment))
}

const base: fc.Arbitrary<BaseChain> = fc.record({
  type: fc.constant('filter'),
  hook: fc.constantFrom('prerouting', 'input', 'forward', 'output', 'postrouting'),
  priority: fc.oneof(fc.integer({ min: -320, max: 320 }), fc.constantFrom(-110, -100, -90, 0, 100)),
  policy: fc.constantFrom('accept', 'drop'),
})

const seconds = fc.nat(200_000).map((some) => some * 1000)

function namedSet(setName: string, chains: readonly string[]): fc.Arbitrary<NamedSet> {
  const options = [
    maybe('comment', comment),
    maybe('timeout', seconds),
    maybe('size', fc.integer({ min: 10, max: 65535 })),
    maybe('gcInterval', seconds),
    maybe('flags', fc.constantFrom(['timeout'], ['interval'], ['dynamic', 'timeout'], ['constant'])),
    maybe('counts', fc.constant(true)),
    maybe('autoMerge', fc.constant(true)),
    maybe('policy', fc.constantFrom('memory', 'performance')),
  ]
  return fc
    .tuple(fc.constantFrom('set', 'map'), fc.boolean(), fc.array(selector('ip'), { minLength: 1, maxLength: 3 }))
    .chain(([kind, isTimed, parts]) => {
      const times = isTimed ? [maybe('timeout', seconds), maybe('expires', seconds)] : []
      const elementOptions = [maybe('comment', comment), maybe('counter', fc.record(counts)), ...times]
      const types = parts.map((part) =>
        part.kind === 'meta'
          ? 'inet_proto'
          : part.kind === 'payload' && part.field.endsWith('port')
            ? 'inet_service'
            : 'ipv4_addr',
      )
      const key = fc.tuple(...parts.map(keyOf)).map((values) => values.join(' . '))
      const element =
        kind === 'set'
          ? record<Element>({ key }, ...elementOptions)
          : record<Element>({ key, verdict: verdict(chains) }, ...elementOptions)
      return record<NamedSet>(
        {
          kind: fc.constant(kind),
          name: fc.constant(setName),
          key: fc.constant({ kind: 'type', types }),
          elements: fc.uniqueArray(element, { maxLength: 7, selector: (each) => each.key }),
          ...(kind === 'map' && { data: fc.constant(['verdict']) }),
        } as { [Key in keyof NamedSet]: fc.Arbitrary<NamedSet[Key]> },
        ...options,
        isTimed ? fc.constant({ flags: ['timeout'] }) : fc.constant({}),
      )
    })
}

const objects: fc.Arbitrary<readonly NamedObject[]> = fc.constantFrom<readonly NamedObject[]>(
  [{ kind: 'counter', name: 'k', packets: 3, bytes: 4 }],
  [{ kind: 'counter', name: 'k', packets: 0, bytes: 0, comment: 'all of them' }],
  [
    { kind: 'counter', name: 'k', packets: 0, bytes: 0 },
    { kind: 'unknown', type: 'quota', name: 'q', lines: [['over', '5', 'mbytes']] },
    {
      kind: 'unknown',
      type: 'ct helper',
      name: 'h',
      lines: [
        ['type', '"ftp"', 'protocol', 'tcp'],
        ['l3proto', 'ip'],
      ],
    },
  ],
)

/** Generates tables without undefined references; the elements of sets are in any order. */
export const table: fc.Arbitrary<Table> = fc
  .record({
    family: fc.constantFrom('ip' as const, 'ip6' as const),
    name,
    chainNames: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
    setNames: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
  })
  .chain(({ family, name: tableName, chainNames, setNames }) =>
    record<Table>(
      {
        family: fc.constant(family),
        name: fc.constant(tableName),
        chains: fc.tuple(
          ...chainNames.map((chainName) =>
            record<Chain>(
              { name: fc.constant(chainName), rules: fc.array(rule(family, chainNames, setNames), { maxLength: 4 }) },
              maybe('comment', comment),
            ),
          ),
          ...['base'].map((chainName) =>
            record<Chain>({
              name: fc.constant(chainName),
              base: base as fc.Arbitrary<BaseChain | undefined>,
              rules: fc.array(rule(family, chainNames, setNames), { maxLength: 4 }),
            } as { [Key in keyof Chain]: fc.Arbitrary<Chain[Key]> }),
          ),
        ),
        sets: fc.tuple(...setNames.map((setName) => namedSet(setName, chainNames))),
        objects,
      },
      maybe('comment', comment),
    ),
  )
