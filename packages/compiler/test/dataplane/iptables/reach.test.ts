import { expect, it } from 'vitest'
import type { Table } from '../../../src/dataplane/iptables/ast.js'
import { reachOfChains, reachOfSets } from '../../../src/dataplane/iptables/reach.js'
import { LOCAL } from '../../../src/dataplane/netfilter/reach.js'
import { readDump } from '../../support/read-dump.js'

const DUMP = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:ALL - [0:0]
:HERE - [0:0]
:ONE - [0:0]
:BOTH - [0:0]
:NOBODY - [0:0]
-A INPUT -j HERE
-A FORWARD -j ALL
-A ALL -d 10.96.0.1/32 -j ONE
-A ALL -m addrtype --dst-type LOCAL -j BOTH
-A ONE -j BOTH
-A ONE -m set --match-set LOOKED dst -j ACCEPT
-A BOTH -d 10.96.0.2/32 -m set --match-set LOOKED dst -j ACCEPT
-A HERE -m set --match-set HELD src -j ACCEPT
-A ALL -m set --match-set ANY dst -j ACCEPT
COMMIT
`

const TABLE = readDump(DUMP).IPv4.iptables?.tables[0] as Table
const reachOf = reachOfChains(TABLE, TABLE.blocks, new Set(['ENTERED']))

it.each([
  ['a built-in chain', 'FORWARD', undefined],
  ['INPUT, to which comes what is for the node', 'INPUT', [LOCAL]],
  ['a chain that all packets come to', 'ALL', undefined],
  ['one that only those for the node come to', 'HERE', [LOCAL]],
  ['one for an address', 'ONE', ['10.96.0.1']],
  ['one that two lead to', 'BOTH', [LOCAL, '10.96.0.1']],
  ['one that nothing leads to', 'NOBODY', []],
  ['one that is entered otherwise', 'ENTERED', undefined],
])('tells which packets come to %s', (_, chain, addresses) => {
  const reach = reachOf(chain)
  expect(reach && [...reach.keys()].sort()).toEqual(addresses && [...addresses].sort())
})

it.each([
  ['where rules ask for the destination, or stand where it was asked for', 'LOOKED', ['10.96.0.1', '10.96.0.2']],
  ['where those for the node come', 'HELD', [LOCAL]],
  ['where all come', 'ANY', undefined],
  ['nowhere', 'OTHER', []],
])('tells which packets are looked up in a set %s', (_, set, addresses) => {
  const reach = reachOfSets(TABLE, TABLE.blocks, reachOf)(set)
  expect(reach && [...reach.keys()].sort()).toEqual(addresses && [...addresses].sort())
})
