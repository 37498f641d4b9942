import fc from 'fast-check'
import { parseCommands } from '../../../../analyzer/test/support/parse-commands.js'
import type { Element, Rule, Statement, Verdict } from '../../../src/dataplane/nftables/ast.js'
import type { NftCommand } from '../../../src/dataplane/nftables/command.js'

// Transactions on one small table, so that commands often affect the same objects.

const here = { family: 'ip', table: 't' } as const

/** The first commands of every history. */
export const BEGINNING: readonly NftCommand[] = commandsOf(`add table ip t { comment "a table" ; }
add chain ip t base { type filter hook input priority 0 ; }
add chain ip t nat { type nat hook postrouting priority 100 ; }
add chain ip t a
add chain ip t b
add chain ip t c { comment "the third" ; }
add set ip t s { type ipv4_addr ; }
add set ip t d { type ipv4_addr ; flags dynamic,timeout ; timeout 60s ; }
add map ip t m { type ipv4_addr . inet_proto . inet_service : verdict ; }
add map ip t n { type inet_service : ipv4_addr ; }
add counter ip t k
add rule ip t base ip daddr . meta l4proto . th dport vmap @m
`)

/** Parses the commands of a valid text. */
export function commandsOf(text: string): readonly NftCommand[] {
  const read = parseCommands(text)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

const chainName = fc.constantFrom('a', 'b', 'c', 'e')
const anyChain = fc.oneof(
  { weight: 9, arbitrary: chainName },
  { weight: 1, arbitrary: fc.constantFrom('base', 'nowhere') },
)
const setName = fc.constantFrom('s', 'd', 's2')
const mapName = fc.constantFrom('m', 'n', 'm2')
const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3')
const addVerb = fc.constantFrom('add', 'add', 'add', 'create')
const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constantFrom<Verdict>({ kind: 'drop' }, { kind: 'accept' }, { kind: 'return' }),
  fc.record({ kind: fc.constantFrom('goto', 'jump'), chain: anyChain }),
)
const from: Statement = {
  kind: 'match',
  left: [{ kind: 'payload', protocol: 'ip', field: 'saddr' }],
  operator: '==',
  right: { kind: 'value', value: '10.0.0.9' },
}
const source = from.left

const statements: fc.Arbitrary<readonly Statement[]> = fc.oneof(
  verdict.map((last): readonly Statement[] => [from, last]),
  verdict.map((last): readonly Statement[] => [last]),
  setName.map((set): readonly Statement[] => [
    { kind: 'match', left: source, operator: '==', right: { kind: 'named', set } },
    { kind: 'drop' },
  ]),
  fc.constant<readonly Statement[]>([{ kind: 'setUpdate', operation: 'update', set: 'd', key: source }]),
  fc.tuple(verdict, verdict).map(([first, second]): readonly Statement[] => [
    {
      kind: 'vmap',
      key: [{ kind: 'numgen', mode: 'random', mod: 2, offset: 0 }],
      map: {
        kind: 'anonymous',
        elements: [
          { key: '0', verdict: first },
          { key: '1', verdict: second },
        ],
      },
    },
  ]),
  fc.constantFrom('k', 'k2').map((name): readonly Statement[] => [{ kind: 'namedCounter', name }]),
)

const rule: fc.Arbitrary<Rule> = fc.oneof(
  statements.map((some) => ({ statements: some })),
  statements.map((some) => ({ statements: some, comment: 'why' })),
)

const verdictElement: fc.Arbitrary<Element> = fc.record({
  key: fc.tuple(address, fc.constantFrom('tcp', 'udp')).map(([ip, protocol]) => `${ip} . ${protocol} . 80`),
  verdict,
})
const dataElement: fc.Arbitrary<Element> = fc.record({ key: fc.constantFrom('80', '81'), data: address })

function element(command: Partial<NftCommand> & { readonly set: string }): fc.Arbitrary<readonly Element[]> {
  if (command.set === 'm' || command.set === 'm2') return fc.array(verdictElement, { minLength: 1, maxLength: 2 })
  if (command.set === 'n') return fc.array(dataElement, { minLength: 1, maxLength: 2 })
  const bare = address.map((key): Element => ({ key }))
  const timed = fc.record<Element>({ key: address, timeout: fc.constantFrom(60_000, 90_000, 33_000) })
  return fc.array(command.set === 'd' ? fc.oneof(bare, timed) : bare, { minLength: 1, maxLength: 2 })
}

const addElements: fc.Arbitrary<NftCommand> = fc
  .tuple(fc.oneof(setName, mapName), addVerb)
  .chain(([set, verb]) =>
    element({ set }).map((elements) => ({ ...here, verb, object: 'element' as const, set, elements })),
  )

const deleteElements: fc.Arbitrary<NftCommand> = fc.oneof(setName, mapName).chain((set) =>
  element({ set }).map(([first]) => ({
    ...here,
    verb: 'delete' as const,
    object: 'element' as const,
    set,
    elements: [{ key: (first as Element).key }],
  })),
)

const definitions = commandsOf(`add set ip t s { type ipv4_addr ; }
add set ip t d { type ipv4_addr ; flags timeout ; timeout 60s ; }
add set ip t s2 { type ipv4_addr ; comment "more" ; }
add set ip t s2 { type ipv4_addr ; }
create set ip t s2 { type ipv4_addr ; }
add map ip t m { type ipv4_addr . inet_proto . inet_service : verdict ; }
add map ip t n { type inet_service : ipv4_addr ; }
add map ip t m2 { type ipv4_addr . inet_proto . inet_service : verdict ; }
add map ip t m2 { type ipv4_addr . inet_proto . inet_service : verdict ; }
create map ip t m2 { type ipv4_addr . inet_proto . inet_service : verdict ; }
add counter ip t k
add counter ip t k2
delete counter ip t k
delete counter ip t k2
add table ip t
flush table ip t
add chain ip t base { type filter hook input priority 0 ; policy drop ; }
add chain ip t base { type filter hook input priority 0 ; }
add chain ip t base { type filter hook input priority 5 ; }
add chain ip t a { type filter hook input priority 0 ; }
add chain ip t base
`)

const remove: fc.Arbitrary<NftCommand> = fc.oneof(
  fc.record({
    ...constants(here),
    verb: fc.constantFrom('delete', 'flush'),
    object: fc.constant('chain'),
    name: anyChain,
  }),
  fc.record({
    ...constants(here),
    verb: fc.constantFrom('delete', 'flush'),
    object: fc.constant('set'),
    kind: fc.constant('set'),
    name: setName,
  }),
  fc.record({
    ...constants(here),
    verb: fc.constantFrom('delete', 'flush'),
    object: fc.constant('set'),
    kind: fc.constant('map'),
    name: mapName,
  }),
)

function constants<T extends object>(record: T): { readonly [K in keyof T]: fc.Arbitrary<T[K]> } {
  const entries = Object.entries(record).map(([key, value]) => [key, fc.constant(value)])
  return Object.fromEntries(entries)
}

const addChain: fc.Arbitrary<NftCommand> = fc.record({
  ...constants(here),
  verb: addVerb,
  object: fc.constant('chain'),
  chain: chainName.map((name) => ({ name })),
})

const addRule: fc.Arbitrary<NftCommand> = fc.record({
  ...constants(here),
  verb: fc.constantFrom('add', 'insert'),
  object: fc.constant('rule'),
  chain: fc.oneof(anyChain, fc.constantFrom('base', 'nat')),
  rule,
})

const wholeTable: fc.Arbitrary<readonly NftCommand[]> = fc.constant<readonly NftCommand[]>([
  { ...here, verb: 'delete', object: 'table' },
  ...BEGINNING,
])

/** Changes the timeout of a set. This is a separate transaction, because the kernel applies it at the end. */
const otherTime = fc.constantFrom(
  commandsOf('add set ip t d { type ipv4_addr ; flags dynamic,timeout ; timeout 90s ; }\n'),
  commandsOf('add set ip t d { type ipv4_addr ; flags dynamic,timeout ; timeout 60s ; }\n'),
)

const command: fc.Arbitrary<NftCommand> = fc.oneof(
  { weight: 6, arbitrary: addChain },
  { weight: 8, arbitrary: addRule },
  { weight: 6, arbitrary: addElements },
  { weight: 4, arbitrary: deleteElements },
  { weight: 4, arbitrary: fc.constantFrom(...definitions) },
  { weight: 4, arbitrary: remove },
)

/** Generates related commands. */
export const transaction: fc.Arbitrary<readonly NftCommand[]> = fc.oneof(
  { weight: 40, arbitrary: fc.array(command, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: wholeTable },
  { weight: 1, arbitrary: otherTime },
)
