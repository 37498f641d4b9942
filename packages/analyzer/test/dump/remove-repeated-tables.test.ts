import { describe, expect, it } from 'vitest'
import { parseDump } from '../../src/dump/parse-dump.js'

const SAVE = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.244.1.5:8080
COMMIT
`
const RULE = 'meta l4proto tcp ip daddr 10.96.0.10 tcp dport 80 counter packets 0 bytes 0 dnat to 10.244.1.5:8080'
const LISTED = `table ip nat {
	chain KUBE-SERVICES {
		${RULE}
	}

	chain PREROUTING {
		type nat hook prerouting priority -100; policy accept;
		counter packets 0 bytes 0 jump KUBE-SERVICES
	}
}
`
const OTHER = 'table inet firewall {\n\tchain input {\n\t}\n}\n'

/** Returns the nft tables of the IPv4 state of dumps. */
function nftTablesOf(texts: readonly string[], lenient = false): readonly string[] {
  const parsed = lenient ? parseDump(texts, { lenient }) : parseDump(texts)
  if (!parsed.ok) throw new Error('nothing was read')
  return (parsed.value.IPv4.nftables?.tables ?? []).map(({ family, name }) => `${family} ${name}`)
}

describe('the output of nft list ruleset', () => {
  it.each([false, true])('loses the tables that iptables-save prints too, lenient: %s', (lenient) => {
    expect(nftTablesOf([SAVE, LISTED + OTHER], lenient)).toEqual(['inet firewall'])
    expect(nftTablesOf([`$ nft list ruleset\n${LISTED}${OTHER}$ iptables-save\n${SAVE}`], true)).toEqual([
      'inet firewall',
    ])
  })

  it.each([
    ['the dump has no iptables tables', [LISTED]],
    ['the iptables table has another name', [SAVE.replace('*nat', '*mangle'), LISTED]],
    ['the iptables table has another chain', [SAVE.replace('-A', ':KUBE-MARK-MASQ - [0:0]\n-A'), LISTED]],
    ['the iptables table lacks a chain', [SAVE.replaceAll(/.*KUBE-SERVICES.*\n/g, ''), LISTED]],
    ['a chain has another number of rules', [SAVE, LISTED.replace(RULE, `${RULE}\n\t\t${RULE}`)]],
    ['the nft table lacks a chain with rules', [SAVE, LISTED.replace(/\n\tchain PREROUTING[^}]*}\n/, '')]],
  ])('keeps its tables when %s', (_, texts) => {
    expect(nftTablesOf(texts)).toEqual(['ip nat'])
  })

  it('keeps a table of the family inet with the same chains', () => {
    expect(nftTablesOf([SAVE, LISTED.replace('table ip nat', 'table inet nat')])).toEqual(['inet nat'])
  })

  it('keeps the tables of the other family', () => {
    const parsed = parseDump([
      SAVE,
      LISTED.replace('table ip nat', 'table ip6 nat').replaceAll('ip daddr 10.96.0.10', 'ip6 daddr fd00::a'),
    ])
    expect(parsed.ok && parsed.value.IPv6.nftables?.tables).toHaveLength(1)
  })
})
