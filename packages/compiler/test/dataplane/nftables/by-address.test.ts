import { describe, expect, it } from 'vitest'
import { LOCAL, type ReachOf, reachOfAddresses } from '../../../src/dataplane/netfilter/reach.js'
import { partsByAddress } from '../../../src/dataplane/nftables/by-address.js'
import { reachOfSets } from '../../../src/dataplane/nftables/reach-of-sets.js'
import { stateOfContributions, type TableContribution } from '../../../src/dataplane/nftables/state.js'
import { chunkedList } from '../../../src/internal/chunked-list.js'
import { tableOf } from './tables.js'

const NO_SETS: ReachOf = () => undefined

const FIXED = tableOf(`table ip t {
	set s {
		type ipv4_addr
	}

	set p {
		type inet_service
	}

	chain c {
		type filter hook input priority filter; policy accept;
		ip daddr @s drop
		tcp dport @p drop
	}
}
`)

function contribution(owner: string, key: string, rule: string): TableContribution {
  const { chains } = tableOf(`table ip t {\n\tchain ${owner} {\n\t\t${rule}\n\t}\n}\n`)
  return { owner, table: { family: 'ip', name: 't' }, chains, sets: [], elements: [{ set: 's', element: { key } }] }
}

describe('what a change of a table of nftables concerns', () => {
  const asking = contribution('one', '10.0.0.1', 'ip daddr @s drop')
  const blind = contribution('one', '10.0.0.1', 'ip saddr @s drop')
  const added = contribution('two', '10.0.0.2', 'drop')
  const between = (before: readonly TableContribution[], after: readonly TableContribution[]) => {
    const [old, fresh] = [before, after].map((each) => stateOfContributions(FIXED, () => chunkedList(each)))
    return old && fresh && partsByAddress.changed(old, fresh, NO_SETS)
  }

  it('is the addresses of elements', () => {
    expect(between([asking], [asking, added])).toEqual(reachOfAddresses(['10.0.0.2']))
  })

  it('cannot be told where rules of either side look for them without a look at the destination', () => {
    expect(between([blind], [blind, added])).toBeUndefined()
    expect(between([asking], [blind])).toBeUndefined()
    expect(between([blind], [asking])).toBeUndefined()
  })
})

describe('the packets that are looked up by their port', () => {
  const facts = { filled: new Set<string>(), blind: new Set<string>(), leadsTo: new Set<string>() }

  it('are those that come to the rule', () => {
    expect(reachOfSets(FIXED, facts)('p')).toEqual(new Map([[LOCAL, 'all']]))
  })

  it('cannot be told where rules of contributions look, too, or lead there', () => {
    expect(reachOfSets(FIXED, { ...facts, blind: new Set(['p']) })('p')).toBeUndefined()
    const [chain, ...rest] = FIXED.chains
    const led = { ...FIXED, chains: [{ name: chain?.name ?? '', rules: chain?.rules ?? [] }, ...rest] }
    expect(reachOfSets(led, { ...facts, leadsTo: new Set(['c']) })('p')).toBeUndefined()
  })
})
