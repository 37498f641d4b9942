import fc from 'fast-check'

// What may happen to rules behind our back: texts for `iptables-restore --noflush`.

/** A rule of a dump, and which of its chain it is, from 1. */
interface HeldRule {
  readonly table: string
  readonly chain: string
  readonly number: number
  readonly spec: string
}

interface Mutation {
  readonly kind: keyof typeof MUTATIONS
  /** Picks a rule of the dump. */
  readonly place: number
}

const STALE = 'KUBE-SVC-AAAAAAAAAAAAAAAA'

const MUTATIONS = {
  deleted: ({ chain, number }: HeldRule) => [`-D ${chain} ${number}`],
  preceded: ({ chain, number }: HeldRule) => [`-I ${chain} ${number} -p udp -j RETURN`],
  replaced: ({ chain, number }: HeldRule) => [`-R ${chain} ${number} -m mark --mark 0x1/0x1 -j ACCEPT`],
  repeated: ({ chain, spec }: HeldRule) => [`-A ${chain} ${spec}`],
  movedToEnd: ({ chain, number, spec }: HeldRule) => [`-D ${chain} ${number}`, `-A ${chain} ${spec}`],
  flushed: ({ chain }: HeldRule) => [`-F ${chain}`],
  leadingToStaleChain: ({ chain }: HeldRule) => [
    `:${STALE} - [0:0]`,
    `-A ${STALE} -j RETURN`,
    `-I ${chain} 1 -p tcp -j ${STALE}`,
  ],
}

const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...(Object.keys(MUTATIONS) as (keyof typeof MUTATIONS)[])),
  place: fc.nat(1000),
})

/** Lists of mutations to do one after the other, always the same ones. */
export function mutationLists(count: number): readonly (readonly Mutation[])[] {
  return fc.sample(fc.array(mutations, { minLength: 1, maxLength: 4 }), { numRuns: count, seed: 5 })
}

/** What puts rules of no one we know into a chain: in a built-in one they are not ours to remove. */
const STRANGE: readonly Mutation['kind'][] = ['preceded', 'replaced']

/** What does one mutation to a machine of which this is the dump. */
export function mutationText(dump: string, { kind, place }: Mutation): string {
  const all = rulesOf(dump)
  const rules = all
    .filter(({ chain }) => chain.startsWith('KUBE-') || !STRANGE.includes(kind))
    .filter((each) => kind !== 'movedToEnd' || !isLast(each, all))
  const rule = rules[place % rules.length]
  if (rule === undefined) throw new Error('there is no rule to change')
  return [`*${rule.table}`, ...MUTATIONS[kind](rule), 'COMMIT\n'].join('\n')
}

/** Whether only rules like this one follow in its chain, so that its move to the end changes nothing. */
function isLast({ table, chain, number, spec }: HeldRule, all: readonly HeldRule[]): boolean {
  const following = all.filter((rule) => rule.table === table && rule.chain === chain && rule.number > number)
  return following.every((rule) => rule.spec === spec)
}

function rulesOf(dump: string): readonly HeldRule[] {
  const rules: HeldRule[] = []
  let table = ''
  for (const line of dump.split('\n')) {
    if (line.startsWith('*')) table = line.slice(1)
    const [, chain, spec] = /^-A (\S+) (.*)$/.exec(line) ?? []
    if (chain === undefined || chain === STALE || spec === undefined) continue
    const earlier = rules.filter((rule) => rule.table === table && rule.chain === chain)
    rules.push({ table, chain, number: earlier.length + 1, spec })
  }
  return rules
}
