import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Statement } from '../../../../../compiler/src/dataplane/nftables/ast.js'
import { canJoinWords } from '../../../../../compiler/src/dataplane/nftables/parse/unknown-words.js'
import type { NftablesState } from '../../../../../compiler/src/dataplane/nftables/state.js'
import { lowerNftables } from '../../../../src/dataplane/nftables/program/lower-nftables.js'
import { SELECTOR_ROWS } from '../../../../src/dataplane/nftables/program/selectors.js'
import { runBaseChain } from '../../../../src/program/run-chain.js'
import { kernelPacket, nodeFacts, pathState, runContext } from '../../../program/programs.js'

function stateWith(statements: readonly Statement[], priority = 0): NftablesState {
  const base = { type: 'nat', hook: 'prerouting', priority }
  const sets = [
    { kind: 'map', name: 'm', key: { kind: 'type', types: ['ipv4_addr'] }, elements: [{ key: '10.0.0.1', data: 'x' }] },
  ] as const
  return {
    tables: [{ family: 'inet', name: 't', chains: [{ name: 'c', base, rules: [{ statements }] }], sets, objects: [] }],
  }
}

/** Follows packets of both families through a rule, and returns the number of ends. */
function countEnds(statements: readonly Statement[], priority = 0): number {
  const [base] = lowerNftables(stateWith(statements, priority), {}, () => new Map())
  if (base === undefined) throw new Error('the state has no base chain')
  // A text with other words cannot be a rule.
  if (!statements.every((statement) => statement.kind !== 'unknown' || canJoinWords(statement.words))) return 1
  return (['IPv4', 'IPv6'] as const).reduce((count, family) => {
    const path = pathState({ packet: kernelPacket({ family, sourcePort: 4711 }) })
    return count + runBaseChain(base.chain, path, runContext({ facts: nodeFacts() })).length
  }, 0)
}

const SELECTORS = SELECTOR_ROWS.map(({ selector }) => selector)

const OTHERS = `
  accept drop jump c goto c return continue reject with tcp reset icmp type host-unreachable dnat snat redirect
  masquerade to :80 10.0.0.1 10.0.0.1-10.0.0.9:80 [fd00::1]:80 random persistent ip ip6 addr . port prefix map vmap @m
  @x { } , ; : 80 80-90 0x1 0x1/8 & | ^ << / == != < > ! ( ) (fin|syn) syn established,related new dnat "x" "eth0"
  counter packets bytes log prefix limit rate 5/second over burst quota mbytes name add update delete @s timeout 5s
  meter size flow offload dup device fwd queue num bypass flags synproxy mss wscale tproxy reset tcp option maxseg
  size set meta mark ct count helper notrack numgen inc mod 2 offset jhash symhash seed original fib daddr iif local
  ipsec in reqid spnum osf ttl loose socket cgroupv2 level @th,16,16 exists missing last used never - -1 99999999999
`.match(/\S+/g) as readonly string[]

const words = fc.array(fc.constantFrom(...SELECTORS.flatMap((selector) => selector.split(' ')), ...OTHERS), {
  minLength: 1,
  maxLength: 24,
})

/** A selector with words after it. */
const statementWords = fc.tuple(fc.constantFrom(...SELECTORS, 'dnat to', 'meta mark set', 'ct mark set'), words)

const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 5, 'x', '10.0.0.1', '@m', ['syn', 'ack'], 'eth0'),
    fc.dictionary(
      fc.constantFrom(
        '&',
        '|',
        'set',
        'concat',
        'range',
        'prefix',
        'map',
        'key',
        'data',
        'payload',
        'protocol',
        'field',
      ),
      tie('value'),
      { maxKeys: 3 },
    ),
    fc.dictionary(
      fc.constantFrom(
        'meta',
        'ct',
        'fib',
        'numgen',
        'jhash',
        'addr',
        'port',
        'left',
        'right',
        'op',
        'value',
        'flags',
        'elem',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value

const jsonStatement = fc.dictionary(
  fc.constantFrom('match', 'mangle', 'dnat', 'snat', 'redirect', 'vmap', 'limit', 'log', 'queue', 'set', 'tproxy', 'x'),
  json,
  { minKeys: 1, maxKeys: 1 },
)

describe('the lowering of nftables', () => {
  it('does not throw for any words', () => {
    fc.assert(
      fc.property(words, fc.constantFrom(0, -300), (list, priority) => {
        expect(countEnds([{ kind: 'unknown', words: list }, { kind: 'drop' }], priority)).toBeGreaterThan(0)
      }),
    )
    fc.assert(
      fc.property(statementWords, ([selector, list]) => {
        const statement = { kind: 'unknown', words: [...selector.split(' '), ...list] } as const
        expect(countEnds([statement])).toBeGreaterThan(0)
      }),
    )
  })

  it('does not throw for any JSON', () => {
    fc.assert(
      fc.property(jsonStatement, (statement) => {
        expect(countEnds([{ kind: 'unknownJson', json: JSON.stringify(statement) }])).toBeGreaterThan(0)
      }),
    )
  })

  const many = (word: string) => Array.from({ length: 20_000 }, () => word)
  it.each<[string, readonly string[]]>([
    ['hashes of hashes', many('jhash')],
    ['parentheses', many('(')],
    ['braces', ['tcp', 'dport', ...many('{'), ...many('}')]],
    ['sums', ['tcp', 'flags', ...many('syn|')]],
    ['commas', ['ct', 'state', 'new', ...many(','), 'new']],
    ['concatenations', ['ip', 'daddr', ...many('. ip daddr')]],
    ['translations', many('redirect to : x')],
    ['marks', many('meta mark set 1')],
    ['matches', many('tcp dport 80')],
    ['operations', ['meta', 'mark', 'set', 'meta', 'mark', ...many('| 1')]],
  ])('reads many %s within the time limit of a test', (_, list) => {
    expect(countEnds([{ kind: 'unknown', words: list.flatMap((each) => each.split(' ')) }])).toBeGreaterThan(0)
  })

  it('does not read deeply nested JSON', () => {
    const nested = `${'{"&":['.repeat(1000)}1${']}'.repeat(1000)}`
    expect(countEnds([{ kind: 'unknownJson', json: `{"match":{"left":${nested},"op":"==","right":1}}` }])).toBe(2)
  })

  it('does not read a rule with more statements than the kernel allows', () => {
    const statements = Array.from({ length: 129 }, () => ({ kind: 'markSet', operation: 'xor', value: 1 }) as const)
    const [base] = lowerNftables(stateWith(statements), {}, () => new Map())
    expect(base?.chain.instructionsFor(kernelPacket(), false)[0]?.effects).toEqual([
      { kind: 'unknown', reason: 'the effect of a rule with more than 128 statements is unknown' },
    ])
  })
})
