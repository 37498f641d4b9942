import { expect, it } from 'vitest'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { printLines } from '../../src/view/printed-lines.js'
import { recognizePrograms } from '../../src/view/recognize-programs.js'

/** Returns the lines of a node that belong to other programs, each after the name of its program. */
function linesOfPrograms(dump: string): readonly string[] {
  const lines = printLines(readDump(dump).IPv4, { format: 'save' })
  const programs = recognizePrograms(lines)
  expect(programs).toHaveLength(lines.length)
  return lines.flatMap(({ text }, index) => (programs[index] ? [`${programs[index]}: ${text.trim()}`] : []))
}

const SAVED = `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:DOCKER-USER - [0:0]
:KUBE-FORWARD - [0:0]
:OWN - [0:0]
:cali-FORWARD - [0:0]
-A FORWARD -m comment --comment "cali:wUHhoiAYhphO9Mso" -j cali-FORWARD
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A FORWARD -j DOCKER-USER
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
-A FORWARD -j OWN
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A cali-FORWARD -m mark --mark 0x10000/0x10000 -j ACCEPT
COMMIT
`

it('recognizes the programs of rules and chains by chains and comments, and not by an interface alone', () => {
  expect(linesOfPrograms(SAVED)).toEqual([
    'Docker: :DOCKER-USER - [0:0]',
    'Calico: :cali-FORWARD - [0:0]',
    'Calico: -A FORWARD -m comment --comment "cali:wUHhoiAYhphO9Mso" -j cali-FORWARD',
    'Docker: -A FORWARD -j DOCKER-USER',
    'Calico: -A cali-FORWARD -m mark --mark 0x10000/0x10000 -j ACCEPT',
  ])
})

const LISTED = `table ip kube-proxy {
	chain services {
		ip daddr . meta l4proto . th dport vmap @service-ips
	}
	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
	}
}
table inet firewalld {
	chain filter_INPUT {
		type filter hook input priority filter + 10; policy accept;
		ct state { established, related } accept
	}
}
table ip own {
	chain c {
		drop
	}
}
`

it('recognizes the programs of nftables tables', () => {
  expect(linesOfPrograms(LISTED).map((line) => line.replace(/: .*/, ''))).toContain('firewalld')
  expect(linesOfPrograms(LISTED).join('\n')).not.toMatch(/services|own|chain c/)
})
