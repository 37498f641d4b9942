import fc from 'fast-check'

// External changes to rules, as texts for `iptables-restore --noflush`.

/** A rule of a dump, with its position in its chain, from 1. */
interface HeldRule {
  readonly table: string
  readonly chain: string
  readonly number: number
  readonly spec: string
}

interface Mutation {
  readonly kind: keyof typeof MUTATIONS
  /** Selects a rule of the dump. */
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

/** Generates lists of successive mutations. They are always the same. */
export function mutationLists(count: number): readonly (readonly Mutation[])[] {
  return fc.sample(fc.array(mutations, { minLength: 1, maxLength: 4 }), { numRuns: count, seed: 5 })
}

/** Mutations that add foreign rules to a chain. In a built-in chain the repair must not remove them. */
const STRANGE: readonly Mutation['kind'][] = ['preceded', 'replaced']

/**
 * Builds the text that applies one mutation to a machine with this dump; undefined if it has no rule for it. Rules with an
 * argument of `foreign` are preserved.
 */
export function mutationText(dump: string, { kind, place }: Mutation, foreign?: string): string | undefined {
  const all = rulesOf(dump)
  const rules = all
    .filter(({ spec }) => foreign === undefined || !spec.split(' ').includes(foreign))
    .filter(({ chain }) => chain.startsWith('KUBE-') || !STRANGE.includes(kind))
    .filter((each) => kind !== 'movedToEnd' || !isLast(each, all))
  const rule = rules[place % rules.length]
  if (rule === undefined) return undefined
  return [`*${rule.table}`, ...MUTATIONS[kind](rule), 'COMMIT\n'].join('\n')
}

/** Reports whether only identical rules follow in its chain, so that moving it to the end has no effect. */
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
