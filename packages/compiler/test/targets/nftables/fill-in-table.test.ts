import { expect, it } from 'vitest'
import { printListing } from '../../../src/dataplane/nftables/print/print-listing.js'
import { fillInTable } from '../../../src/targets/nftables/fill-in-table.js'
import { tablesOf } from '../../dataplane/nftables/tables.js'

it.each([
  ['IPv4', 'ip', 'ipv4_addr'],
  ['IPv6', 'ip6', 'ipv6_addr'],
] as const)('looks into the maps of %s that are given', (family, address, type) => {
  const [table] = tablesOf(
    `table ${address} kube-proxy {\n\tmap service-ips {\n\t\ttype ${type} . inet_proto . inet_service : verdict\n\t}\n}\n`,
  )
  if (table === undefined) throw new Error('there is no table')
  const [filled] = fillInTable({ tables: [table] }, { whole: [] }, family).tables
  const rules = filled && printListing(filled, { version: '1.1' }).match(/^\t\t.*@.*$/gm)
  expect(rules).toEqual([
    `\t\t${address} daddr . meta l4proto . th dport vmap @service-ips comment "not given: taken to be as kube-proxy makes it"`,
  ])
})
