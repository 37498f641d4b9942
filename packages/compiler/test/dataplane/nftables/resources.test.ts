import { describe, expect, it } from 'vitest'
import { assembleNftables, isNftablesId, resourcesOf } from '../../../src/dataplane/nftables/resources.js'
import { readDump } from '../../support/read-dump.js'

const TEXT = `table ip t {
	comment "mine"
	flags dormant
	counter c {
		packets 1 bytes 2
	}

	set s {
		type ipv4_addr
		flags dynamic,timeout
		timeout 1m
	}

	map m {
		type ipv4_addr : verdict
		elements = { 10.0.0.1 : jump a,
			     10.0.0.2 : drop }
	}

	chain base {
		type filter hook input priority filter; policy accept;
		ip saddr @s counter name "c" goto a
		ip daddr vmap @m
		ip daddr vmap { 10.0.0.3 : jump b }
		tcp dport 80 accept
	}

	chain a {
		update @s { ip saddr }
	}

	chain b {
		return
	}
}
table inet other {
	chain x {
	}
}
`

function stateOf(text: string) {
  const { nftables } = readDump(text).IPv4
  if (nftables === undefined) throw new Error('nothing was read')
  return nftables
}

const state = stateOf(TEXT)

describe('the resources of nftables tables', () => {
  it('are tables, chains with rules, sets, elements and other objects, with their references', () => {
    const refs = Object.fromEntries(Array.from(resourcesOf(state).values(), (each) => [each.id, each.refs]))
    const t = 'nftables ip t'
    expect(refs).toEqual({
      [t]: [],
      [`${t} object c`]: [t],
      [`${t} chain base`]: [t, `${t} chain a`, `${t} chain b`, `${t} object c`, `${t} set m`, `${t} set s`],
      [`${t} chain a`]: [t, `${t} set s`],
      [`${t} chain b`]: [t],
      [`${t} set s`]: [t],
      [`${t} set m`]: [t],
      [`${t} element m 10.0.0.1`]: [`${t} chain a`, `${t} set m`],
      [`${t} element m 10.0.0.2`]: [`${t} set m`],
      'nftables inet other': [],
      'nftables inet other chain x': ['nftables inet other'],
    })
  })

  it('can be assembled to the same tables', () => {
    expect(assembleNftables(resourcesOf(state))).toEqual(state)
    expect(assembleNftables(new Map())).toEqual({ tables: [] })
  })

  it('can be assembled in any order, without the table itself, and without elements of missing sets', () => {
    const own = [...resourcesOf(state)].filter(([id]) => id.includes('other chain'))
    expect(assembleNftables(new Map(own)).tables).toMatchObject([{ family: 'inet', name: 'other', chains: [{}] }])
    const reversed = [...resourcesOf(state)].reverse()
    expect(assembleNftables(new Map(reversed)).tables.map(({ name, chains }) => [name, chains.length])).toEqual([
      ['other', 1],
      ['t', 3],
    ])
    const withoutMap = reversed.filter(([id]) => id !== 'nftables ip t set m')
    expect(assembleNftables(new Map(withoutMap)).tables[1]?.sets.map(({ name }) => name)).toEqual(['s'])
  })

  it('do not contain handles', () => {
    const [table] = state.tables
    if (table === undefined) throw new Error('no table')
    const handled = {
      ...table,
      handle: 1,
      chains: table.chains.map((chain) => ({
        ...chain,
        handle: 2,
        rules: chain.rules.map((rule) => ({ ...rule, handle: 3 })),
      })),
      sets: table.sets.map((set) => ({ ...set, handle: 4 })),
      objects: table.objects.map((object) => ({ ...object, handle: 5 })),
    }
    expect(resourcesOf({ tables: [handled] })).toEqual(resourcesOf({ tables: [table] }))
  })

  it('are recognized by their ids', () => {
    const ids = ['nftables ip t', 'nftables ip t chain a', 'nat/KUBE-SERVICES', 'ipset KUBE-CLUSTER-IP', 'nftables']
    expect(ids.map(isNftablesId)).toEqual([true, true, false, false, false])
  })
})
