import type { MatchKind, Rule, TargetKind } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { canonicalizeRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import { MATCH_PRINTERS } from '@kube-rules/compiler/internal/dataplane/iptables/matches/matches'
import { TARGET_PRINTERS } from '@kube-rules/compiler/internal/dataplane/iptables/targets/targets'
import { describe, expect, it } from 'vitest'
import { MATCH_PATTERNS, TARGET_PATTERNS } from '../../../../src/dataplane/iptables/pasted/listing-patterns.js'
import { parseDump } from '../../../../src/dump/parse-dump.js'

// Two grammars read iptables rules: the options that iptables-save prints, and the columns of `iptables -L -n -v`. Each
// row is one rule in both forms, as iptables 1.8 prints it, with the name of the protocol, whose number 1.8.9 prints.

type BothForms = readonly [saved: string, listed: string]

const ANY = '*  *  0.0.0.0/0  0.0.0.0/0'

const MATCHES: { readonly [K in MatchKind]: readonly BothForms[] } = {
  source: [
    ['-s 10.0.0.0/8 -j RETURN', 'RETURN  all  --  *  *  10.0.0.0/8  0.0.0.0/0'],
    ['! -s 10.0.0.0/8 -j RETURN', 'RETURN  all  --  *  *  !10.0.0.0/8  0.0.0.0/0'],
  ],
  destination: [
    ['-d 10.96.0.10/32 -j RETURN', 'RETURN  all  --  *  *  0.0.0.0/0  10.96.0.10'],
    ['! -d 10.96.0.0/12 -j RETURN', 'RETURN  all  --  *  *  0.0.0.0/0  !10.96.0.0/12'],
  ],
  inInterface: [
    ['-i eth0 -j RETURN', 'RETURN  all  --  eth0  *  0.0.0.0/0  0.0.0.0/0'],
    ['! -i cali+ -j RETURN', 'RETURN  all  --  !cali+  *  0.0.0.0/0  0.0.0.0/0'],
  ],
  outInterface: [
    ['-o eth0 -j RETURN', 'RETURN  all  --  *  eth0  0.0.0.0/0  0.0.0.0/0'],
    ['! -o lo -j RETURN', 'RETURN  all  --  *  !lo  0.0.0.0/0  0.0.0.0/0'],
  ],
  protocol: [
    ['-p udp -j RETURN', `RETURN  udp  --  ${ANY}`],
    ['! -p tcp -j RETURN', `RETURN  !tcp  --  ${ANY}`],
  ],
  transport: [['-p tcp -m tcp --tcp-flags SYN,ACK SYN -j RETURN', `RETURN  tcp  --  ${ANY}  tcp flags:0x12/0x02`]],
  sourcePort: [
    ['-p udp -m udp --sport 53 -j RETURN', `RETURN  udp  --  ${ANY}  udp spt:53`],
    ['-p udp -m udp ! --sport 1:1023 -j RETURN', `RETURN  udp  --  ${ANY}  udp spts:!1:1023`],
  ],
  destinationPort: [
    ['-p tcp -m tcp --dport 80 -j RETURN', `RETURN  tcp  --  ${ANY}  tcp dpt:80`],
    ['-p sctp -m sctp --dport 30000:32767 -j RETURN', `RETURN  sctp  --  ${ANY}  sctp dpts:30000:32767`],
  ],
  comment: [
    ['-m comment --comment "default/web:http ok" -j RETURN', `RETURN  all  --  ${ANY}  /* default/web:http ok */`],
  ],
  mark: [
    ['-m mark --mark 0x4000/0x4000 -j RETURN', `RETURN  all  --  ${ANY}  mark match 0x4000/0x4000`],
    ['-m mark ! --mark 0x8000/0x8000 -j RETURN', `RETURN  all  --  ${ANY}  mark match ! 0x8000/0x8000`],
  ],
  conntrack: [
    ['-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN', `RETURN  all  --  ${ANY}  ctstate RELATED,ESTABLISHED`],
    ['-m conntrack ! --ctstate NEW -j RETURN', `RETURN  all  --  ${ANY}  ! ctstate NEW`],
  ],
  state: [
    ['-m state --state NEW -j RETURN', `RETURN  all  --  ${ANY}  state NEW`],
    ['-m state ! --state INVALID -j RETURN', `RETURN  all  --  ${ANY}  ! state INVALID`],
  ],
  addrtype: [
    ['-m addrtype --dst-type LOCAL -j RETURN', `RETURN  all  --  ${ANY}  ADDRTYPE match dst-type LOCAL`],
    ['-m addrtype ! --src-type LOCAL -j RETURN', `RETURN  all  --  ${ANY}  ADDRTYPE match src-type !LOCAL`],
  ],
  statistic: [
    [
      '-m statistic --mode random --probability 0.50000000000 -j RETURN',
      `RETURN  all  --  ${ANY}  statistic mode random probability 0.50000000000`,
    ],
  ],
  recent: [
    [
      '-m recent --rcheck --seconds 10800 --reap --name KUBE-SEP-A --mask 255.255.255.255 --rsource -j RETURN',
      `RETURN  all  --  ${ANY}  recent: CHECK seconds: 10800 reap name: KUBE-SEP-A side: source mask: 255.255.255.255`,
    ],
    [
      '-m recent --set --name KUBE-SEP-A --mask 255.255.255.255 --rsource -j RETURN',
      `RETURN  all  --  ${ANY}  recent: SET name: KUBE-SEP-A side: source mask: 255.255.255.255`,
    ],
  ],
  nfacct: [
    [
      '-m nfacct --nfacct-name localhost_nps_accepted_pkts -j RETURN',
      `RETURN  all  --  ${ANY}  nfacct-name  localhost_nps_accepted_pkts`,
    ],
  ],
  set: [
    [
      '-m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN',
      `RETURN  all  --  ${ANY}  match-set KUBE-CLUSTER-IP dst,dst`,
    ],
    ['-m set ! --match-set A src -j RETURN', `RETURN  all  --  ${ANY}  ! match-set A src`],
  ],
  physdev: [['-m physdev ! --physdev-is-in -j RETURN', `RETURN  all  --  ${ANY}  PHYSDEV match ! --physdev-is-in`]],
  ipvs: [
    [
      '-m ipvs --vproto 6 --vaddr 10.96.0.1 --vport 80 -j RETURN',
      `RETURN  all  --  ${ANY}  vproto 6 vaddr 10.96.0.1 vport 80`,
    ],
  ],
  unknown: [
    ['-m connmark --mark 0x1/0xf -j RETURN', `RETURN  all  --  ${ANY}  connmark match  0x1/0xf`],
    ['-p tcp -m multiport --dports 80,443 -j RETURN', `RETURN  tcp  --  ${ANY}  multiport dports 80,443`],
    [
      '-m statistic --mode nth --every 3 --packet 1 -j RETURN',
      `RETURN  all  --  ${ANY}  statistic mode nth every 3 packet 1`,
    ],
    ['-m limit --limit 5/min -j RETURN', `RETURN  all  --  ${ANY}  limit: avg 5/min burst 5`],
  ],
}

const TARGETS: { readonly [K in TargetKind]: readonly BothForms[] } = {
  accept: [['-j ACCEPT', `ACCEPT  all  --  ${ANY}`]],
  drop: [['-j DROP', `DROP  all  --  ${ANY}`]],
  return: [['-j RETURN', `RETURN  all  --  ${ANY}`]],
  reject: [
    ['-j REJECT --reject-with icmp-port-unreachable', `REJECT  all  --  ${ANY}  reject-with icmp-port-unreachable`],
  ],
  jump: [['-j KUBE-X', `KUBE-X  all  --  ${ANY}`]],
  goto: [['-g KUBE-X', `KUBE-X  all  --  ${ANY}  [goto] `]],
  mark: [
    ['-j MARK --set-xmark 0x4000/0x4000', `MARK  all  --  ${ANY}  MARK or 0x4000`],
    ['-j MARK --set-xmark 0x0/0x4000', `MARK  all  --  ${ANY}  MARK and 0xffffbfff`],
    ['-j MARK --set-xmark 0x4000/0x0', `MARK  all  --  ${ANY}  MARK xor 0x4000`],
    ['-j MARK --set-xmark 0x2/0xffffffff', `MARK  all  --  ${ANY}  MARK set 0x2`],
    ['-j MARK --set-xmark 0x1/0x3', `MARK  all  --  ${ANY}  MARK xset 0x1/0x3`],
  ],
  masquerade: [['-j MASQUERADE --random-fully', `MASQUERADE  all  --  ${ANY}  random-fully`]],
  dnat: [['-p tcp -m tcp -j DNAT --to-destination 10.244.1.1:80', `DNAT  tcp  --  ${ANY}  tcp to:10.244.1.1:80`]],
  redirect: [['-p tcp -j REDIRECT --to-ports 40001', `REDIRECT  tcp  --  ${ANY}  redir ports 40001`]],
  unknown: [
    [
      '-p tcp -j MASQUERADE --to-ports 1024-65535 --random-fully',
      `MASQUERADE  tcp  --  ${ANY}  masq ports: 1024-65535 random-fully`,
    ],
    [
      '-p tcp -j DNAT --to-destination 10.244.1.1:80 --persistent',
      `DNAT  tcp  --  ${ANY}  to:10.244.1.1:80 persistent`,
    ],
    ['-j SNAT --to-source 192.0.2.1', `SNAT  all  --  ${ANY}  to:192.0.2.1`],
    ['-j LOG --log-prefix "denied: "', `LOG  all  --  ${ANY}  LOG flags 0 level 4 prefix "denied: "`],
  ],
}

const CHAIN = 'custom'

/** Returns the rules of a text in normal form. */
function parsedRules(text: string): readonly Rule[] {
  const parsed = parseDump(text, { family: 'IPv4', lenient: true })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed))
  const tables = parsed.value.IPv4?.iptables?.tables ?? []
  return tables.flatMap(({ blocks }) =>
    blocks.flatMap(({ rules }) => rules.map((rule) => canonicalizeRule(rule, 'IPv4'))),
  )
}

function parseSaved(rule: string): readonly Rule[] {
  return parsedRules(`*nat\n:${CHAIN} - [0:0]\n:KUBE-X - [0:0]\n-A ${CHAIN} ${rule}\nCOMMIT\n`)
}

function parseListed(row: string): readonly Rule[] {
  return parsedRules(
    `$ iptables -t nat -L -n -v\nChain ${CHAIN} (1 references)\n pkts bytes target     prot opt in     out     source               destination\n    0     0 ${row}\n\nChain KUBE-X (1 references)\n pkts bytes target     prot opt in     out     source               destination\n`,
  )
}

/** Returns the rest of a row, after the addresses, at the start of each word. */
function piecesOf(row: string): readonly string[] {
  const rest = row.split(/ {2,}/).slice(7).join(' ')
  return [...rest.matchAll(/(?:^|\s)(?=\S)/g)].map(({ index }) => rest.slice(index).trimStart())
}

const MATCH_KINDS = Object.keys(MATCH_PRINTERS) as MatchKind[]
const TARGET_KINDS = Object.keys(TARGET_PRINTERS) as TargetKind[]

describe('a saved rule and its listing parse to the same rule', () => {
  it.each(MATCH_KINDS.flatMap((kind) => MATCHES[kind].map(([saved, listed]) => ({ kind, saved, listed }))))(
    'with the match $kind: $saved',
    ({ kind, saved, listed }) => {
      const rules = parseSaved(saved)
      expect(parseListed(listed)).toEqual(rules)
      expect(rules).toHaveLength(1)
      expect(rules.flatMap(({ matches }) => matches.map((match) => match.kind))).toContain(kind)
    },
  )

  it.each(TARGET_KINDS.flatMap((kind) => TARGETS[kind].map(([saved, listed]) => ({ kind, saved, listed }))))(
    'with the target $kind: $saved',
    ({ kind, saved, listed }) => {
      const rules = parseSaved(saved)
      expect(parseListed(listed)).toEqual(rules)
      expect(rules.map(({ target }) => target?.kind)).toEqual([kind])
    },
  )

  it('for every kind of match and target, and every pattern of a listing', () => {
    const rows = [...Object.values(MATCHES), ...Object.values(TARGETS)].flat()
    expect(MATCH_KINDS.filter((kind) => MATCHES[kind].length === 0)).toEqual([])
    expect(TARGET_KINDS.filter((kind) => TARGETS[kind].length === 0)).toEqual([])
    const unused = [...MATCH_PATTERNS, ...TARGET_PATTERNS].filter(
      ({ pattern, target }) =>
        !rows.some(
          ([, listed]) =>
            (target === undefined || target.test(listed.split(' ')[0] ?? '')) &&
            piecesOf(listed).some((piece) => pattern.test(piece)),
        ),
    )
    expect(unused.map(({ pattern }) => pattern.source)).toEqual([])
  })
})
