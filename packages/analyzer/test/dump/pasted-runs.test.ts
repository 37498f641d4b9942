import { describe, expect, it } from 'vitest'
import { chainsOf } from '../../../compiler/src/dataplane/iptables/chains.js'
import { printRule } from '../../../compiler/src/dataplane/iptables/print/print.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'

// Tests the end of each tool's output in a paste, the table of the lines that follow, and completeness.

function read(text: string): NodeState {
  const parsed = parseDump(text, { lenient: true, family: 'IPv4' })
  if (!parsed.ok) throw new Error('nothing was read')
  return parsed.value.IPv4
}

/** Returns each rule with its table, and the complete chains. */
function rulesOf(text: string): { readonly rules: readonly string[]; readonly whole: readonly string[] } {
  const { iptables, coverage } = read(text)
  const rules = (iptables?.tables ?? []).flatMap((table) =>
    [...chainsOf(table).values()].flat().map((rule) => `${table.name} ${printRule(rule, 'save', 'IPv4')}`),
  )
  return { rules, whole: coverage?.complete ?? ['everything'] }
}

describe('a command of another program', () => {
  const ENDED = '$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\taccept\n'
  const OTHER = '\t\tdrop\n\t}\n\n\tchain b {\n\t\tdrop\n\t}\n}\n'

  it.each(['$ cd /tmp', 'root@node-1:~# date', '[root@node-1 ~]# ls', '❯ ls', '~ # ls', 'sh-5.1# ls'])(
    'ends the text of an nft table: %s',
    (command) => {
      const state = read(`${ENDED}${command}\n${OTHER}`)
      expect(print(state, { format: 'save' })).toMatch(/chain a \{\n\t\taccept\n\t\}\n/)
      expect(state.coverage?.complete).toEqual([])
    },
  )

  it.each(['ip daddr @web accept # handle 3', 'tcp dport @web accept # handle 3', '10.0.0.1 : drop # handle 4'])(
    'is not recognized in the line %s',
    (line) => {
      const state = read(`${ENDED}\t\t${line}\n${OTHER}`)
      expect(state.coverage?.complete).toContain('nftables ip t chain a')
    },
  )
})

describe('a line that ends the elements of a set', () => {
  it.each(['set s {\n\t\ttype ipv4_addr', 'chain s {\n\t\taccept'])(
    'does not end a block that starts with %j',
    (beginning) => {
      const text = (end: string) => `$ nft list table ip t\ntable ip t {\n\t${beginning}\n${end}\t}\n}\n`
      expect(read(text('')).coverage?.complete).toHaveLength(1)
      expect(read(text('\t\t\t10.0.0.2 }\n')).coverage?.complete).toEqual([])
      // A search finds it without the end of the surrounding element list.
      expect(
        read(`table ip t {\n\t${beginning}\n\t\t\t10.0.0.2 }\n\tchain b {\n\t\tdrop\n\t}\n`).coverage?.complete,
      ).toEqual(['nftables ip t chain b'])
    },
  )
})

describe('iptables rules in an excerpt', () => {
  it('after a listing belong to the tables that the rules imply', () => {
    const listing =
      '$ iptables -t nat -L OUTPUT -n\nChain OUTPUT (policy ACCEPT)\ntarget     prot opt source  destination\n'
    expect(rulesOf(`${listing}\n-A INPUT -j KUBE-IPVS-FILTER\n-A OUTPUT -j A\n`)).toEqual({
      rules: ['filter -A INPUT -j KUBE-IPVS-FILTER', 'filter -A OUTPUT -j A'],
      whole: ['nat/OUTPUT'],
    })
  })

  it('belong to another command if the rules of a chain repeat in another order', () => {
    const run = '$ iptables -t nat -S\n-N A\n-N B\n-A B -j RETURN\n'
    expect(rulesOf(`${run}-A A -j REJECT\n`).rules).toEqual([
      'nat -A B -j RETURN',
      'filter -A A -j REJECT --reject-with icmp-port-unreachable',
    ])
  })

  it('may be in any order, but belong to two commands if they repeat', () => {
    const rules = '-A A -j B\n-A B -j RETURN\n'
    expect(rulesOf(`${rules}-A A -j C\n`).rules).toEqual(['nat -A A -j B', 'nat -A A -j C', 'nat -A B -j RETURN'])
    expect(rulesOf(rules + rules).rules).toEqual(['nat -A A -j B', 'nat -A B -j RETURN'])
  })

  it('may belong to another table than the heading names if a search found the rules', () => {
    const found = '*nat\n:KUBE-NODE-PORT - [0:0]\n-A KUBE-NODE-PORT -j KUBE-MARK-MASQ\n-A INPUT -j KUBE-IPVS-FILTER\n'
    expect(rulesOf(found)).toEqual({
      rules: ['nat -A KUBE-NODE-PORT -j KUBE-MARK-MASQ', 'filter -A INPUT -j KUBE-IPVS-FILTER'],
      whole: [],
    })
    const beginning = found.replace(':KUBE', ':INPUT ACCEPT [0:0]\n:KUBE')
    expect(rulesOf(beginning).rules).toContain('nat -A INPUT -j KUBE-IPVS-FILTER')
  })

  it('belong to another table after a gap if their chains repeat', () => {
    const filter = '*filter\n:KUBE-NODE-PORT - [0:0]\n-A KUBE-NODE-PORT -j ACCEPT\n'
    const nat = ':KUBE-NODE-PORT - [0:0]\n-A KUBE-NODE-PORT -j RETURN\n-A KUBE-NODE-PORT -j KUBE-MARK-MASQ\nCOMMIT\n'
    expect(rulesOf(`${filter}...\n${nat}`)).toEqual({
      rules: [
        'filter -A KUBE-NODE-PORT -j ACCEPT',
        'nat -A KUBE-NODE-PORT -j RETURN',
        'nat -A KUBE-NODE-PORT -j KUBE-MARK-MASQ',
      ],
      whole: [],
    })
  })
})

describe('rules after an omission', () => {
  const heading = '# Generated by iptables-save v1.8.9 on Sat Nov 28 10:00:00 2026\n*filter\n:INPUT ACCEPT [0:0]\n'
  const truncatedOf = (rules: string) =>
    read(`${heading}-A INPUT -j ACCEPT\n...\n${rules}\nCOMMIT\n`).coverage?.truncated

  it('may belong to the same table of the other family, so their chains do not count as they are', () => {
    expect(truncatedOf('-A FORWARD -j KUBE-FORWARD')).toEqual(['filter/FORWARD'])
  })

  it('belong to the family of the endpoint in their comment', () => {
    const rule = (endpoint: string) =>
      `-A KUBE-SVC-67NZLRHBNDSAWJRO -m comment --comment "shop/web:http -> ${endpoint}" -j KUBE-SEP-IZCKPGPSA5VUQQNV`
    const parsed = parseDump(`${heading}...\n${rule('[fd00::7]:8080')}\nCOMMIT\n`, { lenient: true, family: 'IPv4' })
    expect(parsed.ok && parsed.value.IPv6.iptables?.tables.map(({ name }) => name)).toEqual(['nat'])
    expect(truncatedOf(rule('10.244.2.7:8080'))).toBe(undefined)
  })
})

it('a command with an invalid table name does not determine the nft table', () => {
  const text = '$ nft list chain ip }ube-proxy services\nchain services {\n\taccept\n}\n'
  expect(read(text).nftables?.tables.map(({ name }) => name)).toEqual(['kube-proxy'])
})
