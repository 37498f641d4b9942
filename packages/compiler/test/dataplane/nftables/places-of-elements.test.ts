import { expect, it } from 'vitest'
import { setsAskedWithoutDestination } from '../../../src/dataplane/nftables/places-of-elements.js'
import { tablesOf } from './tables.js'

it('tells the sets that rules look into without a look at the destination', () => {
  const tables = tablesOf(`table ip t {
	set clients {
		type ipv4_addr
	}

	set places {
		type ipv4_addr
	}

	map ports {
		type inet_service : verdict
	}

	chain c {
		ip saddr @clients drop
		ip daddr @places tcp dport vmap @ports
	}
}
`)
  expect([...setsAskedWithoutDestination(tables)]).toEqual(['clients', 'ports'])
})
