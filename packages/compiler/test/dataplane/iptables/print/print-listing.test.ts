import { describe, expect, it } from 'vitest'
import { printListing } from '../../../../src/dataplane/iptables/print/print-listing.js'
import type { ListingOptions } from '../../../../src/dataplane/tool-options.js'
import { readRule, readState } from '../read-rule.js'

// The expected text is the output of iptables 1.8.9, of both back ends, with names of protocols as other versions have.

const NAT = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-MARK-MASQ - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -m comment --comment "default/web:http cluster IP" -m tcp -p tcp -d 10.96.0.10 --dport 443 -j KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SVC-AAAAAAAAAAAAAAAA ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
-A KUBE-SVC-AAAAAAAAAAAAAAAA -i cali+ -j KUBE-MARK-MASQ
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
COMMIT
`

describe('printListing', () => {
  it('prints built-in chains, then other chains by name, with their reference counts', () => {
    expect(printListing(readState(NAT))).toBe(
      [
        '# iptables -t nat -L -n',
        'Chain PREROUTING (policy ACCEPT)',
        'target     prot opt source               destination         ',
        'KUBE-SERVICES  all  --  0.0.0.0/0            0.0.0.0/0            /* kubernetes service portals */',
        '',
        'Chain INPUT (policy ACCEPT)',
        'target     prot opt source               destination         ',
        '',
        'Chain OUTPUT (policy ACCEPT)',
        'target     prot opt source               destination         ',
        '',
        'Chain POSTROUTING (policy ACCEPT)',
        'target     prot opt source               destination         ',
        '',
        'Chain KUBE-MARK-MASQ (2 references)',
        'target     prot opt source               destination         ',
        'MARK       all  --  0.0.0.0/0            0.0.0.0/0            MARK or 0x4000',
        '',
        'Chain KUBE-SERVICES (1 references)',
        'target     prot opt source               destination         ',
        'KUBE-SVC-AAAAAAAAAAAAAAAA  tcp  --  0.0.0.0/0            10.96.0.10           /* default/web:http cluster IP */ tcp dpt:443',
        '',
        'Chain KUBE-SVC-AAAAAAAAAAAAAAAA (1 references)',
        'target     prot opt source               destination         ',
        'KUBE-MARK-MASQ  all  -- !10.244.0.0/16        0.0.0.0/0           ',
        'KUBE-MARK-MASQ  all  --  0.0.0.0/0            0.0.0.0/0           ',
        '',
      ].join('\n'),
    )
  })

  it('prints counters and interfaces in verbose mode, and rule numbers if requested', () => {
    const lines = printListing(readState(NAT), { verbose: true, lineNumbers: true }).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      '# iptables -t nat -L -n -v --line-numbers',
      'Chain PREROUTING (policy ACCEPT 0 packets, 0 bytes)',
      'num   pkts bytes target     prot opt in     out     source               destination         ',
    ])
    expect(lines.slice(-3)).toEqual([
      '1        0     0 KUBE-MARK-MASQ  all  --  *      *      !10.244.0.0/16        0.0.0.0/0           ',
      '2        0     0 KUBE-MARK-MASQ  all  --  cali+  *       0.0.0.0/0            0.0.0.0/0           ',
      '',
    ])
  })

  it('prints names instead of numeric addresses and ports if the option -n is missing', () => {
    const text = printListing(readState(NAT), { names: true })
    expect(text).toContain('# iptables -t nat -L\n')
    expect(text).toContain('all  --  anywhere             anywhere             /* kubernetes service portals */\n')
    expect(text).toContain('10.96.0.10           /* default/web:http cluster IP */ tcp dpt:https\n')
  })

  it('prints every used table with its policies', () => {
    const text = printListing(
      readState('*mangle\n:KUBE-A - [0:0]\nCOMMIT\n*nat\nCOMMIT\n*filter\n:FORWARD DROP [0:0]\nCOMMIT\n', 'IPv6'),
    )
    expect(text.match(/^#.*$/gm)).toEqual(['# ip6tables -t mangle -L -n', '# ip6tables -t filter -L -n'])
    expect(text).toContain('Chain KUBE-A (0 references)\n')
    expect(text).toContain('Chain FORWARD (policy DROP)\n')
  })

  it('prints nothing for an empty state', () => {
    expect(printListing({ family: 'IPv4', tables: [] })).toBe('')
  })
})

/** Returns the row of a rule. */
function rowOf(text: string, family: 'IPv4' | 'IPv6' = 'IPv4', options: ListingOptions = {}): string | undefined {
  const rules = [{ ...readRule(text, family), chain: 'T' }]
  const table = { name: 'nat', jumps: [], blocks: [{ owner: '', chains: ['T'], rules }] } as const
  return printListing({ family, tables: [table] }, options)
    .trimEnd()
    .split('\n')
    .at(-1)
}

describe('a listing row', () => {
  it.each([
    ['-j MARK --xor-mark 0x4000', 'MARK xor 0x4000'],
    ['-j MARK --set-xmark 0x4000/0x6000', 'MARK xset 0x4000/0x6000'],
    ['-j MARK --set-xmark 0x4000', 'MARK set 0x4000'],
    ['-j MARK --and-mark 0xff', 'MARK and 0xff'],
    ['-j MASQUERADE --random-fully', 'random-fully'],
    [
      '-p tcp -m recent --name X --set -m tcp -j DNAT --to-destination 10.1.1.1:80',
      'recent: SET name: X side: source mask: 255.255.255.255 tcp to:10.1.1.1:80',
    ],
    ['-p tcp -j REDIRECT --to-ports 40001', 'redir ports 40001'],
    ['-j REJECT', 'reject-with icmp-port-unreachable'],
    ['-m mark ! --mark 0x4000/0x4000 -j RETURN', 'mark match ! 0x4000/0x4000'],
    ['-m mark --mark 0x4000 -j RETURN', 'mark match 0x4000'],
    ['-p udp -m udp --sport 5:7 --dport 1:65535 -g KUBE-TARGET', 'udp spts:5:7 dpts:1:65535'],
    ['-p sctp -m sctp ! --dport 80:90 -j RETURN', 'sctp dpts:!80:90'],
    ['-p tcp -m tcp ! --sport 5 -j RETURN', 'tcp spt:!5'],
    ['-m addrtype ! --src-type LOCAL,UNICAST -j RETURN', 'ADDRTYPE match src-type !UNICAST,LOCAL'],
    [
      '-m statistic --mode random ! --probability 0.33333333333 -j RETURN',
      'statistic mode random ! probability 0.33333333349',
    ],
    [
      '-m recent --name X ! --rcheck --seconds 10800 --reap -j RETURN',
      '! recent: CHECK seconds: 10800 reap name: X side: source mask: 255.255.255.255',
    ],
    ['-m physdev ! --physdev-is-bridged -j RETURN', 'PHYSDEV match ! --physdev-is-bridged'],
    ['-m conntrack ! --ctstate RELATED,ESTABLISHED -j RETURN', '! ctstate RELATED,ESTABLISHED'],
    ['-m state ! --state NEW -j RETURN', '! state NEW'],
    ['-m set ! --match-set KUBE-X src,dst -j RETURN', '! match-set KUBE-X src,dst'],
    ['-m nfacct --nfacct-name packets -j RETURN', 'nfacct-name  packets'],
    ['-m ipvs --vaddr 10.96.0.10 --vproto TCP --vport 80 -j RETURN', 'vproto 6 vaddr 10.96.0.10 vport 80'],
    ['-m comment --comment "it\'s \\"quoted\\" */" -j RETURN', '/* it\'s "quoted" */ */'],
    ['-m limit --limit 5/min -j RETURN', '-m limit --limit 5/min'],
    ['-j TPROXY --on-port 80', '--on-port 80'],
  ])('ends with the matches and target options: %s', (rule, rest) => {
    const start = rowOf(rule)?.slice(0, -rest.length)
    expect(rowOf(rule)).toBe(`${start}${rest}`)
    expect(start).toMatch(/ {2}0\.0\.0\.0\/0 {12}$| 0\.0\.0\.0\/0 {11}\[goto\] {2}$/)
  })

  it.each([
    ['! -p udp -j RETURN', {}, 'RETURN    !udp  --  0.0.0.0/0            0.0.0.0/0'],
    ['! -p udp -j RETURN', { protocolNumbers: true }, 'RETURN    !17   --  0.0.0.0/0            0.0.0.0/0'],
    ['-j RETURN', { protocolNumbers: true }, 'RETURN     0    --  0.0.0.0/0            0.0.0.0/0'],
    ['-p gre -j RETURN', {}, 'RETURN     47   --  0.0.0.0/0            0.0.0.0/0'],
    ['-p gre -j RETURN', { names: true }, 'RETURN     gre  --  anywhere             anywhere'],
    ['-d 10.0.0.0/8 ! -s 10.1.0.0/16 -j RETURN', {}, 'RETURN     all  -- !10.1.0.0/16          10.0.0.0/8'],
    ['! -d 10.0.0.0/8 -g KUBE-TARGET', {}, 'KUBE-TARGET  all  --  0.0.0.0/0           !10.0.0.0/8          [goto]'],
    [
      '! -o eth0 -j DROP',
      { verbose: true },
      '    0     0 DROP       all  --  *      !eth0   0.0.0.0/0            0.0.0.0/0',
    ],
    ['-m comment --comment x', {}, '           all  --  0.0.0.0/0            0.0.0.0/0            /* x */'],
    [
      '-p sctp -m sctp --dport 80',
      { names: true },
      '           sctp --  anywhere             anywhere             sctp dpt:80',
    ],
  ] as const)('for %s with the options %j has the expected columns', (rule, options, row) => {
    expect(rowOf(rule, 'IPv4', options)).toBe(row)
  })

  it('widens the address columns for long IPv6 addresses', () => {
    expect(
      rowOf('-p tcp -d fd00:1234:5678:9abc:def0:1234:5678:9abc -j DNAT --to-destination [fd00::2]:80', 'IPv6'),
    ).toBe('DNAT       tcp  --  ::/0                 fd00:1234:5678:9abc:def0:1234:5678:9abc  to:[fd00::2]:80')
  })

  it('cannot be printed if a comment contains a line break', () => {
    const rules = [{ chain: 'T', matches: [{ kind: 'comment', text: 'a\nb' }] }] as const
    const table = { name: 'nat', jumps: [], blocks: [{ owner: '', chains: ['T'], rules }] } as const
    expect(() => printListing({ family: 'IPv4', tables: [table] })).toThrow('cannot be written as one line')
  })
})
