import { describe, expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'

// Templates of single lines, one by one: the parsed result of each, and the ignored lines.

interface Read {
  readonly lines: readonly string[]
  readonly left: readonly string[]
  readonly whole: readonly string[]
}

function read(text: string, family: 'IPv4' | 'IPv6' = 'IPv4'): Read {
  const parsed = parseDump(text, { lenient: true, family: 'IPv4' })
  const left = parsed.problems.map(({ code, line }) => `${line} ${code}`)
  if (!parsed.ok) return { lines: [], left, whole: [] }
  const state = parsed.value[family]
  const lines = print(state, { format: 'save' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?::|\*|COMMIT|# |link add)/.test(line))
  return { lines, left, whole: state.coverage?.complete ?? ['everything'] }
}

const LIST = '$ iptables -t nat -L T -n\nChain T (1 references)\ntarget     prot opt source               destination\n'

describe('a row of a listing', () => {
  it.each([
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  tcp flags:0x17/0x02', '-A T -m tcp --tcp-flags FIN,SYN,RST,ACK SYN -j A'],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  tcp flags:!0x3F/0x00',
      '-A T -m tcp ! --tcp-flags FIN,SYN,RST,PSH,ACK,URG NONE -j A',
    ],
    ['A  all  -f  localhost  default', '-A T -s 127.0.0.1/32 -f -j A'],
    ['A  all  !f  0.0.0.0/0  0.0.0.0/0', '-A T ! -f -j A'],
    [
      'A  tcp  --  0.0.0.0/0  0.0.0.0/0  multiport dports !http,https',
      '-A T -p tcp -m multiport ! --dports 80,443 -j A',
    ],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  limit: avg 1/sec burst 9', '-A T -m limit --limit 1/sec --limit-burst 9 -j A'],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  statistic mode nth ! every 3 packet 1',
      '-A T -m statistic --mode nth ! --every 3 --packet 1 -j A',
    ],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  statistic mode random ! probability 0.50000000000',
      '-A T -m statistic --mode random ! --probability 0.50000000000 -j A',
    ],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  ! state NEW', '-A T -m state ! --state NEW -j A'],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  ! recent: UPDATE hit_count: 4 TTL-Match name: X side: dest',
      '-A T -m recent ! --update --hitcount 4 --name X --rdest -j A',
    ],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  vproto 6 vaddr 10.0.0.1 vport 80',
      '-A T -m ipvs --vproto 6 --vaddr 10.0.0.1 --vport 80 -j A',
    ],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  nfacct-name  x', '-A T -m nfacct --nfacct-name  x -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  owner UID match 1337', '-A T -m listed owner UID match 1337 -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  "', '-A T -m listed -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  foo "open', '-A T -m listed foo open -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  foo ! --bar', '-A T -m listed foo "!" "--bar" -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  /* a */ /* b */', '-A T -m comment --comment a -m comment --comment b -j A'],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  /* cut', '-A T -m comment --comment cut -j A'],
    [
      'MASQUERADE  tcp  --  0.0.0.0/0  0.0.0.0/0  masq ports: 1024-2048 random',
      '-A T -p tcp -j MASQUERADE --to-ports 1024-2048 --random',
    ],
    ['SNAT  all  --  0.0.0.0/0  0.0.0.0/0  to:10.0.0.1 persistent', '-A T -j SNAT --to-source 10.0.0.1 --persistent'],
    ['LOG  all  --  0.0.0.0/0  0.0.0.0/0  LOG flags 0 level 7', '-A T -j LOG --log-level 7'],
    ['LOG  all  --  0.0.0.0/0  0.0.0.0/0  LOG flags 4 level 4', '-A T -j LOG LOG flags 4 level 4'],
    ['MARK  all  --  0.0.0.0/0  0.0.0.0/0  MARK xset 0x1', '-A T -j MARK --set-xmark 0x1/0xffffffff'],
    [
      'DNAT  tcp  --  0.0.0.0/0  0.0.0.0/0  tcp dpt:no-such-name to:10.0.0.1:80',
      '-A T -p tcp -m tcp --dport no-such-name -j DNAT --to-destination 10.0.0.1:80',
    ],
    ['A  all  --  0.0.0.0/0  0.0.0.0/0  connmark match  0x1/0x1', '-A T -m connmark --mark 0x1/0x1 -j A'],
    ['           all  --  10.0.0.1  0.0.0.0/0', '-A T -s 10.0.0.1/32'],
    ['A"B  all  --  0.0.0.0/0  10.0.0.1', '-A T -d 10.0.0.1/32 -j AB'],
    ['"  all  --  0.0.0.0/0  10.0.0.1', '-A T -d 10.0.0.1/32 -j _'],
    [
      'A  all  --  0.0.0.0/0  0.0.0.0/0  recent: SET',
      '-A T -m recent --set --name DEFAULT --mask 255.255.255.255 --rsource -j A',
    ],
    ['A  tcp  --  0.0.0.0/0  0.0.0.0/0  tcp flags:SYN,RST/SYN', '-A T -p tcp -m tcp --tcp-flags SYN,RST SYN -j A'],
    ['           all  --  0.0.0.0/0  0.0.0.0/0  to:1.2.3.4', '-A T -m listed to:1.2.3.4'],
  ])('is parsed: %s', (row, rule) => {
    expect(read(`${LIST}${row}\n`)).toMatchObject({ lines: [rule], left: [] })
  })

  it('is parsed without a heading', () => {
    const rows = [
      'A  all  --  10.0.0.1  0.0.0.0/0',
      '7  A  all  --  10.0.0.2  0.0.0.0/0',
      '12K 720K A  all  --  *  eth0  10.0.0.3  0.0.0.0/0',
      '7  0  0 A  all  --  lo  *  10.0.0.4  0.0.0.0/0',
    ]
    expect(read(`$ iptables -t nat -L T -n | grep A\n${rows.join('\n')}\n`).lines).toEqual([
      '-A T -s 10.0.0.1/32 -j A',
      '-A T -s 10.0.0.2/32 -j A',
      '-A T -s 10.0.0.3/32 -o eth0 -j A',
      '-A T -s 10.0.0.4/32 -i lo -j A',
    ])
  })

  it('without a chain name belongs to the only chain where kube-proxy writes such a rule', () => {
    const rows = [
      'KUBE-SVC-A  tcp  --  0.0.0.0/0  10.0.0.1  /* a/b:c cluster IP */ tcp dpt:80',
      'KUBE-MARK-MASQ  tcp  --  !10.1.0.0/16  10.0.0.1  /* a/b:c cluster IP */ tcp dpt:80',
      'KUBE-EXT-A  tcp  --  0.0.0.0/0  0.0.0.0/0  /* a/b:c */ tcp dpt:30080',
      'KUBE-SVC-A  tcp  --  10.0.0.0/8  0.0.0.0/0  /* a/b:c */ tcp dpt:30080',
      'KUBE-SVC-A  tcp  --  0.0.0.0/0  10.0.0.1  /* a/b:c */ tcp dpt:30080',
    ]
    expect(read(`$ iptables -t nat -L -n | grep a/b\n${rows.join('\n')}\n`)).toMatchObject({
      lines: [
        '-A KUBE-NODEPORTS -p tcp -m comment --comment "a/b:c" -m tcp --dport 30080 -j KUBE-EXT-A',
        '-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m comment --comment "a/b:c cluster IP" -m tcp --dport 80 -j KUBE-SVC-A',
      ],
      left: ['3 strayLine', '5 strayLine', '6 strayLine'],
      whole: [],
    })
  })

  it('is rejected if it has no number but the heading has a number column', () => {
    const numbered = LIST.replace('target', 'num  target')
    expect(read(`${numbered}A  all  --  0.0.0.0/0  10.0.0.1\n2  B  all  --  0.0.0.0/0  10.0.0.2\n`)).toEqual({
      lines: ['-A T -d 10.0.0.2/32 -j B'],
      left: ['4 badRow'],
      whole: [],
    })
  })

  it('makes the chain incomplete if it follows a gap', () => {
    const rows = ['A  all  --  0.0.0.0/0  10.0.0.1', 'B  all  --  0.0.0.0/0  10.0.0.2']
    expect(read(LIST + rows.join('\n')).whole).toEqual(['nat/T'])
    expect(read(LIST + rows.join('\n...\n'))).toEqual({
      lines: ['-A T -d 10.0.0.1/32 -j A', '-A T -d 10.0.0.2/32 -j B'],
      left: [],
      whole: [],
    })
  })

  it('is omitted if the row is truncated or its chain is unknown', () => {
    expect(read('KUBE-X  all  --  0.0.0.0/0  10.0.0.1\n').left).toEqual(['1 strayLine'])
    expect(read(`${LIST}A  all  --  0.0.0.0/0  10.0.0...\nB  all  --  0.0.0.0/0  10.0.0.1\n`)).toMatchObject({
      lines: ['-A T -d 10.0.0.1/32 -j B'],
      left: ['4 badRow'],
      whole: [],
    })
    expect(read(`${LIST}A-LONG-NA...  all  --  0.0.0.0/0  10.0.0.2\nB  all  --  0.0.0.0/0  10.0.0.1\n`)).toMatchObject({
      lines: ['-A T -d 10.0.0.1/32 -j B'],
      left: ['4 badRow'],
      whole: [],
    })
    expect(read(`${LIST}A  eigrp  --  0.0.0.0/0  10.0.0.1\nB  all  --  0.0.0.0/0  10.0.0.1\n`).left).toEqual([
      '4 badRow',
    ])
  })
})

describe('iptables rules in an excerpt', () => {
  it.each([
    ['*natt\n-A T -j DNAT --to-destination 10.0.0.1:80\n', ['-A T -j DNAT --to-destination 10.0.0.1:80'], []],
    ['*nat\n:T\n-A T -j A\n', ['-A T -j A'], []],
    ['-N "a b"\n-A T -j A\n', ['-A T -j A'], []],
    ['-P INPUT DROP\n-A INPUT -j A\n', ['-A INPUT -j A'], []],
    [
      '-I INPUT 1 -s 10.0.0.1 -j REJECT\n',
      ['-A INPUT -s 10.0.0.1/32 -j REJECT --reject-with icmp-port-unreachable'],
      [],
    ],
    ['-A T -s 10.0.0.1/32 -j A -j B\n-A T -j C\n', ['-A T -j C'], ['1 duplicateTarget']],
    ['-A T word -j A\n-A T -j C\n', ['-A T -j C'], ['1 unexpectedWord']],
    ['-A T -j LOG\n-A OUTPUT -p tcp -j REDIRECT\n', ['-A OUTPUT -p tcp -j REDIRECT', '-A T -j LOG'], []],
    ['-A OUTPUT -m state --state NEW -j KUBE-SERVICES\n', ['-A OUTPUT -m state --state NEW -j KUBE-SERVICES'], []],
    ['$ iptables --table=nat --list-rules\n-A T -j A\n', ['-A T -j A'], []],
    ['$ iptables -tnat -S\n-A T -j A\n', ['-A T -j A'], []],
    ['$ iptables -S | awk 1\n-N T\n-A T -j A\n', ['-A T -j A'], []],
    ['$ iptables -S > out.txt\n-N T\n-A T -j A\n', ['-A T -j A'], []],
    ['-A T -m comment --comment "x" -j\nA\n', ['-A T -m comment --comment x -j A'], []],
    ['I ran iptables -t nat -S and got\n-A T -j A # here\n', ['-A T -j A'], []],
    ['-A T -m comment --comment "a # b" -j A\n', ['-A T -m comment --comment "a # b" -j A'], []],
    ['<p>\n-A T -j A\n</p>\n', ['-A T -j A'], []],
    ['ps: &copy; see\n-A T -j A\n', ['-A T -j A'], []],
    ['```\n`-A T -j A`\n```\n', ['-A T -j A'], []],
    ['$ date\n-A T -j A\n', ['-A T -j A'], []],
    ['-A T -j A\n... 40 more rules\n-A T -j B\n', ['-A T -j A', '-A T -j B'], []],
  ])('are parsed from %j', (text, lines, left) => {
    const found = read(text)
    expect(found.lines).toEqual(lines)
    for (const each of left) expect(found.left).toContain(each)
  })

  it.each([
    ['[12:34]-A T -s 10.0.0.1/32 -j B\n', ['-A T -s 10.0.0.1/32 -j B'], []],
    ['[12:34]   -A T -s 10.0.0.1/32 -j B\n', ['-A T -s 10.0.0.1/32 -j B'], []],
    ['-N a"b\n-A T -j A\n', ['-A T -j A'], ['1 cutLine']],
    ['$ iptables -t nat -S\n-N T\n-I T\n-A T -j A\n$ true\n', ['-A T', '-A T -j A'], []],
    ['-A PREROUTING -j CT\n-A OUTPUT -j\n', ['-A PREROUTING -j CT'], ['2 missingValue']],
    ['-A PREROUTING -j NOTRACK\n-A FORWARD -j TRACE\n', ['-A PREROUTING -j NOTRACK', '-A FORWARD -j TRACE'], []],
    [
      '$ iptables -t nat -S\n-P INPUT DROP\n-A INPUT -j A\n$ iptables -t nat -S INPUT\n-P INPUT DROP\n-A INPUT -j A\n',
      ['-A INPUT -j A'],
      [],
    ],
  ])('are parsed from %j, and each problem is reported', (text, lines, left) => {
    const found = read(text)
    expect({ lines: found.lines, left: found.left }).toEqual({ lines, left })
  })

  it('are assigned to a table that can contain them if they follow a gap', () => {
    const parsed = parseDump('*nat\n:T - [0:0]\n-A T -j A\n...\n-A FORWARD -j REJECT\n-A KUBE-X -j NOTRACK\n', {
      lenient: true,
    })
    const tables = parsed.ok ? (parsed.value.IPv4.iptables?.tables ?? []) : []
    const held = tables.flatMap(({ name, jumps, blocks }) =>
      [...jumps, ...blocks.flatMap(({ rules }) => rules)].map(({ chain }) => `${name}/${chain}`),
    )
    expect(held.sort()).toEqual(['filter/FORWARD', 'nat/T', 'raw/KUBE-X'])
  })

  it('belong to table filter if they match ctstate NEW in OUTPUT', () => {
    const rule =
      '-A OUTPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES'
    const parsed = parseDump(`${rule}\n`, { lenient: true })
    expect(parsed.ok && parsed.value.IPv4.iptables?.tables.map(({ name }) => name)).toEqual(['filter'])
  })

  it('are incomplete if a line is truncated before the name of the chain', () => {
    const save = '*nat\n:A - [0:0]\n:B - [0:0]\n-A A -s 10.0.0.1/32 -j B\n'
    for (const cut of ['-A ...\n', '-A A...\n', '-A A']) expect(read(save + cut).whole).not.toContain('nat/A')
    expect(read(`${save}-A B -j RETURN\n`).whole).toContain('nat/A')
  })

  it('do not belong to the table of the previous command if that table cannot contain them', () => {
    const tables = (text: string) => {
      const parsed = parseDump(text, { lenient: true })
      const { iptables } = parsed.ok ? parsed.value.IPv4 : {}
      return iptables?.tables.flatMap(({ name, blocks }) =>
        blocks.flatMap(({ chains }) => chains.map((chain) => [name, chain])),
      )
    }
    const run = '$ iptables -t nat -S\n-P PREROUTING ACCEPT\n-N KUBE-SERVICES\n-A PREROUTING -j KUBE-SERVICES\n'
    const accept = '-A KUBE-NODEPORT-NON-LOCAL -p tcp -m tcp --dport 41010 -m state --state NEW -j ACCEPT\n'
    expect(tables(run + accept)).toEqual([
      ['nat', 'KUBE-SERVICES'],
      ['filter', 'KUBE-NODEPORT-NON-LOCAL'],
    ])
    const listing =
      '$ iptables -t nat -L OUTPUT -n\nChain OUTPUT (policy ACCEPT)\ntarget     prot opt source  destination\n'
    const own = read(`${listing}\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j KUBE-FORWARD\n`)
    expect(own.whole).toEqual(['nat/OUTPUT'])
  })

  it('are merged in order if two searches cover the same chain', () => {
    const rule = (name: string) => `-A T -s 10.0.0.${name}/32 -j A`
    const text = (...names: readonly string[]) => `$ iptables-save -t nat | grep x\n${names.map(rule).join('\n')}\n`
    expect(read(text('1', '3', '5') + text('2', '3', '4')).lines).toEqual(['1', '2', '3', '5', '4'].map(rule))
    expect(read(text('1') + text('2')).lines).toEqual(['1', '2'].map(rule))
    expect(read(text('1', '2') + text('2', '1')).lines).toEqual(['1', '2'].map(rule))
  })

  it('are taken from the listing with more columns if a chain is listed twice', () => {
    const listing = (options: string, row: string) =>
      `$ iptables -t nat -L T ${options}\nChain T (1 references)\n${row}\n`
    const brief = listing('-n', 'target     prot opt source   destination\nA  all  --  0.0.0.0/0  0.0.0.0/0')
    const full = listing(
      '-nv',
      'pkts bytes target  prot opt in out source  destination\n1 2 A  all  --  eth0 *  0.0.0.0/0  0.0.0.0/0',
    )
    for (const text of [brief + full, full + brief, full + full])
      expect(read(text).lines).toEqual(['-A T -i eth0 -j A'])
    expect(read(`${brief}$ iptables-save -t nat | grep x\n-A T -j B\n`).lines).toEqual(['-A T -j A'])
  })
})

describe('a tool name on its own line', () => {
  const RULES = '-A T -j A\n'
  it.each([
    ['ipvsadm\n', ['ipvsadm']],
    ['ipset\n', ['ipset']],
    ['ipvsadm | head\n', []],
    ['iptables-save | grep T\n', []],
  ])('is skipped unless the tool prints output without options: %j', (text, words) => {
    const parsed = parseDump(text + RULES, { lenient: true })
    const notes = parsed.ok ? parsed.notes.filter(({ code }) => code === 'skippedLines') : []
    expect(notes.map(({ message }) => message)).toEqual(
      words.map((word) => `ignored a line that no tool prints: ${JSON.stringify(word)}`),
    )
    expect(read(text + RULES).lines).toEqual(['-A T -j A'])
  })

  it('is not an add command if the chain is missing', () => {
    expect(read('iptables -t nat -A\niptables -t nat -A KUBE-SVC-A -j B\n').lines).toEqual(['-A KUBE-SVC-A -j B'])
  })
})

describe('virtual servers in an excerpt', () => {
  const HEAD =
    'IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\n'
  it.each([
    [
      'TCP  10.0.0.1:443 sh (sh-fallback,sh-port) persistent 60 mask 255.255.255.0\n  -> 10.1.0.1:https  Route 1 0 0\n',
      [
        '-A -t 10.0.0.1:443 -s sh -p 60 -M 255.255.255.0 -b sh-fallback,sh-port',
        '-a -t 10.0.0.1:443 -r 10.1.0.1:443 -g -w 1',
      ],
      [],
    ],
    [
      'UDP  10.0.0.1:53 rr ops\nSCTP 10.0.0.1:9 rr pe sip\n',
      ['-A -u 10.0.0.1:53 -s rr -o', '-A --sctp-service 10.0.0.1:9 -s rr'],
      [],
    ],
    ['TCP  10.0.0.1:443 rr\n  -> 10.1.0.1:443 Masq\n', ['-A -t 10.0.0.1:443 -s rr'], ['5 badRow']],
    ['TCP  10.0.0.1:443 12 5 4 3\n  -> 10.1.0.1:443 Masq 1 0 0\n', [], ['4 badRow', '5 strayLine']],
    [
      'TCP  node-1:443 rr\nTCP  10.0.0.2:1 rr\n  -> node-2:1 Masq 1 0 0\n',
      ['-A -t 10.0.0.2:1 -s rr'],
      ['4 invalidAddress', '6 invalidAddress'],
    ],
    [
      'TCP  10.0.0.2:1 rr\n...\n  -> 10.1.0.1:2 Masq 1 0 0\n',
      ['-A -t 10.0.0.2:1 -s rr', '-a -t 10.0.0.2:1 -r 10.1.0.1:2 -m -w 1'],
      [],
    ],
    [
      '-a -t 10.0.0.3:1 -r 10.1.0.1:2 -m -w 1\nTCP  10.0.0.2:1 rr\n  -> 10.1....\n',
      ['-A -t 10.0.0.2:1 -s rr'],
      ['4 strayLine', '6 cutLine'],
    ],
    ['FWM  1 rr\n-A -f 1 -s rr\n', [], ['4 badRow']],
  ])('are parsed from %j', (text, lines, left) => {
    const found = read(`${HEAD}${text}`)
    expect({ lines: found.lines, left: [...found.left].sort() }).toEqual({ lines, left: [...left].sort() })
  })

  it('are complete if the excerpt omits nothing', () => {
    expect(read(`${HEAD}TCP  10.0.0.2:1 rr\n$ date\n`).whole).toEqual(['ipvs', 'ipvs TCP 10.0.0.2:1'])
    expect(read('$ ipvsadm -Ln | grep 10.0.0.2\nTCP  10.0.0.2:1 rr\n').whole).toEqual([])
  })

  it('are partial if the text ends at one of them', () => {
    const other = 'TCP  10.0.0.1:1 rr\n  -> 10.1.0.1:1 Masq 1 0 0\n'
    expect(read(`${HEAD}${other}TCP  10.0.0.2:1 rr\n\n`).whole).toEqual(['ipvs TCP 10.0.0.1:1'])
    expect(read(`${HEAD}TCP  10.0.0.2:1 rr\n${other}`).whole).toContain('ipvs TCP 10.0.0.2:1')
  })

  it('are named if their names are truncated in a listing without the option -n', () => {
    expect(read(`${HEAD}TCP  ip-10-0-0-5.ec2.internal: rr\n  -> 10.1.0.1:1 Masq 1 0 0\n`).left).toContain(
      '4 invalidAddress',
    )
  })
})

describe('sets in an excerpt', () => {
  const SET = 'Name: S\nType: hash:ip,port\nRevision: 5\nHeader: family inet hashsize 1024 maxelem 65536\n'
  const CREATE = 'create S hash:ip,port family inet hashsize 1024 maxelem 65536'
  it.each([
    [
      `${SET}Members:\n10.0.0.1,tcp:80 timeout 5\n10.0.0.2,tcp:80\n`,
      [CREATE, 'add S 10.0.0.1,tcp:80 timeout 5', 'add S 10.0.0.2,tcp:80'],
      [],
    ],
    [`${SET}Number of entries: 2\nMembers:\n10.0.0.1,tcp:80\n`, [CREATE, 'add S 10.0.0.1,tcp:80'], []],
    [`${SET}Members:\n10.0.0.1,tcp:80 comment "a\n`, [CREATE], ['6 badQuote']],
    ['Name: S\nType: hash:ip\nHeader: family inet5\nMembers:\n', [], ['1 invalidValue']],
    ['Type: hash:ip\n', [], ['1 strayLine']],
    ['Name: a b\nType: hash:ip\n', [], ['1 strayLine', '2 strayLine']],
    [
      '$ ipset save\nadd S 10.0.0.1,tcp:80\nadd P 80\nadd A 10.0.0.1\nadd L 10.0.0.1,tcp:80,10.0.0.1\nadd N 10.0.0.1,tcp:80,10.0.0.0/8\n',
      [
        CREATE,
        'add S 10.0.0.1,tcp:80',
        'create P bitmap:port range 0-65535',
        'add P 80',
        'create A hash:ip family inet hashsize 1024 maxelem 65536',
        'add A 10.0.0.1',
        'create L hash:ip,port,ip family inet hashsize 1024 maxelem 65536',
        'add L 10.0.0.1,tcp:80,10.0.0.1',
        'create N hash:ip,port,net family inet hashsize 1024 maxelem 65536',
        'add N 10.0.0.1,tcp:80,10.0.0.0/8',
      ],
      [],
    ],
    [`$ ipset save\n${CREATE}\n${CREATE}\n...\nadd S 10.0.0.1,tcp:80\n`, [CREATE, 'add S 10.0.0.1,tcp:80'], []],
    [
      `$ ipset save\n${CREATE}\nadd S 10.0.0...\nadd S 10.0.0.2,tcp:80\n`,
      [CREATE, 'add S 10.0.0.2,tcp:80'],
      ['3 cutLine'],
    ],
    [`${SET}Members:\n10.0.0...\n10.0.0.2,tcp:80\n`, [CREATE, 'add S 10.0.0.2,tcp:80'], ['6 cutLine']],
    [`$ ipset list\n${SET}Members:\n10.0.0.1,tcp:80\n\n${SET}Members:\n`, [CREATE, 'add S 10.0.0.1,tcp:80'], []],
  ])('are parsed from %j', (text, lines, left) => {
    const found = read(text)
    expect({ lines: found.lines, left: found.left }).toEqual({ lines, left })
  })

  it('are IPv6 sets if their entries are IPv6', () => {
    const { lines } = read('$ ipset save\nadd S fd00::1\n', 'IPv6')
    expect(lines).toEqual(['create S hash:ip family inet6 hashsize 1024 maxelem 65536', 'add S fd00::1'])
  })

  it('are complete if the command lists all sets', () => {
    expect(read(`$ ipset list\n${SET}Members:\n10.0.0.1,tcp:80\n`).whole).toEqual(['ipset', 'ipset S'])
    expect(read(`$ ipset list S\n${SET}Members:\n...\n`).whole).toEqual([])
    // The heading `# ipset` is not a command.
    expect(read(`$ iptables -S\n-P INPUT ACCEPT\n# ipset\n${CREATE}\n`).whole).not.toContain('ipset')
  })
})

describe('nftables tables in an excerpt', () => {
  const chains = (text: string) => read(text)
  it.each([
    [
      'table ip t {\n\tchain a {\n\t\tip saddr 10.0.0.1 accept\n\t\tip saddr "open accept\n\t\tdrop\n\t}\n}\n',
      ['ip saddr 10.0.0.1 accept', 'drop'],
      ['4 cutLine'],
    ],
    ['table ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1, "open, 10.0.0.2 }\n\t}\n}\n', [], []],
    ['table ip t {\n\tset s {\n\t\telements = { 10.0.0.1\n\t}\n}\n', [], ['2 cutLine']],
    [
      'table ip t {\n\tmap m {\n\t\ttype ipv4_addr : verdict\n\t\telements = { 10.0.0.1 : goto a,\n\t\t10.0.0.2 : go\n',
      ['elements = { 10.0.0.1 : goto a }'],
      [],
    ],
    ['table ip t {\n\tcounter c {\n\t\tpackets x\n\t}\n\tchain a {\n\t\taccept\n\t}\n}\n', ['accept'], ['2 cutLine']],
    ['chain mine {\n\taccept\n}\n', [], ['1 strayLine']],
    [
      'table ip t {\n\tcomment "x"\n\tnonsense here\n\tchain a {\n\t\taccept\n\tchain b {\n\t\tdrop\n\t}\n}\n',
      ['comment "x"', 'accept', 'drop'],
      ['3 strayLine'],
    ],
    ['table ip t {\n\tchain a {\n\t\taccept\n\t\t...\n\t\tdrop\n\t}\n}\n', ['accept'], ['5 cutLine']],
    [
      '$ nft list ruleset\ntable inet t {\n\tchain a {\n\t\tip saddr {\n\t\t10.0.0.1,\n\t\t10.0.0.2 } accept\n\t\tip saddr {\n',
      [],
      [],
    ],
    [
      'table ip t {\n\tchain a {\n\t\taccept\n\t}\n}\n$ nft list table t\ntable ip t {\n\tchain a {\n\t\taccept\n\t}\n\tcounter c {\n\t\tpackets 1 bytes 2\n\t}\n}\n',
      ['packets 1 bytes 2', 'accept'],
      [],
    ],
    ['chain services {\n\tip6 daddr fd00::1 drop\n', [], []],
    ['chain services {\n\taccept ...\n}\n', ['chain services {'], ['2 cutLine']],
    ['chain services {\n\taccept\nchain services-2 {\n\tdrop\n}\n', ['accept', 'drop'], []],
    [
      'table ip t {\n\tchain a {\n\t\ttype filter hook input priority 0; policy accept;\n\t\tip saddr "open\n\t\tdrop\n\t}\n}\n',
      ['type filter hook input priority filter; policy accept;', 'drop'],
      ['4 cutLine'],
    ],
    [
      'table t {\n\tset s {\n\t\ttype ipv4_addr\n\t\tbogus\n\t}\n\tset u {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1, nonsense here there }\n\t}\n}\n',
      ['elements = { 10.0.0.1 }'],
      ['2 cutLine', '8 cutLine'],
    ],
  ])('are parsed from %j', (text, lines, left) => {
    const found = chains(text)
    for (const line of lines) expect(found.lines).toContain(line)
    for (const each of left) expect(found.left).toContain(each)
    expect(lines.length + left.length + found.left.length + found.lines.length).toBeGreaterThanOrEqual(0)
  })

  it('are complete if all referenced parts exist', () => {
    const table = (rule: string) =>
      `$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\ttype filter hook input priority 0; policy accept;\n\t\t${rule}\n\t}\n}\n$ true\n`
    expect(read(table('drop')).whole).toEqual(['everything'])
    // A kubelet writes tables with empty chains, and without base chains.
    const ofKubelet = '$ nft list ruleset\ntable ip mine {\n\tchain hint {\n\t}\n}\n$ true\n'
    expect(read(ofKubelet).whole).toEqual(['everything'])
    expect(read(table('jump b')).whole).toEqual(['nftables ip t chain a'])
    expect(read(table('ip saddr @s drop')).whole).toEqual(['nftables ip t chain a'])
    // grep has omitted the end of the chain, so that the following lines belong to another one.
    const incompleteChains = '$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\tdrop\n'
    expect(read(`${incompleteChains}\t\tcomment "of another"\n\t}\n}\n`).whole).toEqual([])
    expect(read(`${incompleteChains}\t\telements = { 10.0.0.1 }\n\t}\n}\n`).whole).toEqual([])
  })

  it('are taken from the complete table if a table occurs twice', () => {
    const part = 'table ip t {\n\tchain a {\n\t\taccept\n\t\t...\n\t}\n}\n'
    const whole = 'table ip t {\n\tchain a {\n\t\tdrop\n\t}\n}\n'
    for (const text of [part + whole, whole + part]) {
      expect(read(text).lines).toContain('drop')
      expect(read(text).lines).not.toContain('accept')
    }
  })

  it.each([
    ['nft list ruleset | grep -A2 services', 'ip saddr 10.0.0.1 accept', 'IPv6', 'IPv4'],
    ['nft list ruleset | grep -A2 services', 'accept', 'IPv6', 'IPv6'],
    ['nft list table t', 'ip saddr 10.0.0.1 accept', 'IPv6', 'IPv4'],
    ['nft list table t', 'accept', 'IPv4', 'IPv4'],
  ] as const)(
    'that follow "%s" and contain "%s" belong to the family of the rule or the requested %s',
    (command, rule, family, expected) => {
      const parsed = parseDump(`$ ${command}\nchain services {\n\t${rule}\n}\n`, { lenient: true, family })
      const held = (['IPv4', 'IPv6'] as const).filter((each) => parsed.ok && parsed.value[each].nftables !== undefined)
      expect(held).toEqual([expected])
    },
  )

  it('are IPv6 if their rules match IPv6 addresses', () => {
    expect(read('chain services {\n\tip6 daddr fd00::1 drop\n}\n', 'IPv6').lines).toContain('ip6 daddr fd00::1 drop')
  })
})

describe('comments after nft lines', () => {
  const command = (...lines: readonly string[]) =>
    parseDump(
      `$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\ttype filter hook input priority 0; policy accept;\n${lines.map((line) => `\t\t${line}\n`).join('')}\t}\n}\n`,
      { lenient: true },
    )
  const remarks = (parsed: ReturnType<typeof command>) =>
    parsed.ok
      ? parsed.notes.flatMap(({ code, line, message }) => (code === 'trailingComment' ? `${line} ${message}` : []))
      : []
  const rules = (parsed: ReturnType<typeof command>) =>
    parsed.ok
      ? print(parsed.value.IPv4, { format: 'save' })
          .split('\n')
          .slice(3, -3)
          .map((line) => line.trim())
      : []

  it.each([
    ['accept # see iptables -S', 'accept', '# see iptables -S'],
    ['counter accept # from nft add rule', 'counter packets 0 bytes 0 accept', '# from nft add rule'],
    ['ip saddr 10.0.0.1 accept # the web', 'ip saddr 10.0.0.1 accept', '# the web'],
    ['jump b # handle 7 of mine', 'jump b', '# handle 7 of mine'],
    [`drop # ${'x'.repeat(50)}`, 'drop', `# ${'x'.repeat(38)}…`],
  ])('are reported, and the rule is kept: %s', (line, rule, remark) => {
    const parsed = command(line, 'tcp dport 80 drop')
    expect(rules(parsed)).toEqual([rule, 'tcp dport 80 drop'])
    expect(remarks(parsed)).toEqual([`5 ignored after the rule: ${JSON.stringify(remark)}`])
    expect(parsed.problems).toEqual([])
    expect(parsed.ok && parsed.value.IPv4.coverage?.complete.includes('nftables ip t chain a')).not.toBe(false)
  })

  it.each([['drop # handle 7'], ['drop comment "a # b"'], ['drop comment "a # b" # handle 7']])(
    'are not reported if nft itself prints them: %s',
    (line) => {
      const parsed = command(line)
      expect(rules(parsed)).toEqual([line.replace(/ # handle.*/, '')])
      expect(remarks(parsed)).toEqual([])
    },
  )

  it('may also follow elements and the heads of blocks', () => {
    const text =
      '$ nft list set ip t s\ntable ip t { # here\n\tset s { # mine\n\t\ttype ipv4_addr # of nodes\n\t\telements = { 10.0.0.1, # one\n\t\t\t10.0.0.2 } # two\n\t}\n}\n'
    const parsed = parseDump(text, { lenient: true })
    expect(parsed.ok && print(parsed.value.IPv4, { format: 'save' })).toContain('elements = { 10.0.0.1, 10.0.0.2 }')
    expect(remarks(parsed).map((note) => note.split(':')[1])).toEqual([
      ' "# mine"',
      ' "# of nodes"',
      ' "# one"',
      ' "# two"',
    ])
  })

  it('mark a gap if they contain only dots', () => {
    const parsed = command('accept # ...', 'drop')
    expect(rules(parsed)).toEqual(['accept'])
    expect(parsed.problems.map(({ code, line }) => `${line} ${code}`)).toEqual(['6 cutLine'])
    expect(parsed.ok && parsed.value.IPv4.coverage?.complete).toEqual([])
  })

  it('do not end the output of nft, unlike a prompt', () => {
    const parsed = parseDump(
      '$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\taccept\nroot@node:~ # nft list ruleset\ntable ip t {\n\tchain b {\n\t\tdrop\n\t}\n}\nip a # see below\n',
      { lenient: true },
    )
    expect(remarks(parsed)).toEqual([])
    expect(parsed.ok && print(parsed.value.IPv4, { format: 'save' })).toMatch(
      /chain a \{\n\t\taccept\n\t\}\n\n\tchain b \{\n\t\tdrop\n/,
    )
  })
})

describe('tables in an excerpt', () => {
  const NAT =
    '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:T - [0:0]\n-A T -j RETURN\nCOMMIT\n'
  const FILTER =
    '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j ACCEPT\nCOMMIT\n'
  const HEADING = '# Generated by iptables-save v1.8.9 on Tue Mar 10 09:12:44 2026\n'
  const tables = (text: string) => read(text).whole.filter((id) => /^[a-z]+$/.test(id))

  it.each([
    ['with words between two tables', `nat:\n${NAT}and filter:\n${FILTER}`],
    ['as requested, one table for each command', `$ iptables-save -t nat\n${NAT}$ iptables-save -t filter\n${FILTER}`],
    ['with a table after the last line of the output', `${HEADING}${NAT}# Completed on Tue\nand\n${FILTER}`],
  ])('do not imply that other tables are empty: %s', (_, text) => {
    expect(tables(text)).toEqual(['nat', 'filter'])
  })

  it('are incomplete if their rules reference a missing set', () => {
    const ofSet = NAT.replace('-A T', '-A T -m set --match-set KUBE-CLUSTER-IP dst,dst')
    const foreign = ofSet.replace('KUBE-CLUSTER-IP', 'mine')
    expect(tables(`$ iptables-save\n${ofSet}${FILTER}`)).toEqual(['nat', 'filter'])
    expect(tables(HEADING + ofSet + FILTER)).toEqual(['nat', 'filter'])
    expect(read(HEADING + foreign + FILTER).whole).toEqual(['everything'])
    const withSet = `${HEADING}${ofSet}${FILTER}# ipset\ncreate KUBE-CLUSTER-IP hash:ip,port\n`
    expect(read(`${withSet}-A -t 10.96.0.1:443 -s rr\n`).whole).toEqual(['everything'])
  })

  it('are incomplete if sets of kube-proxy show that virtual servers are missing', () => {
    const withSet = (name: string) => `${HEADING}${NAT}${FILTER}# ipset\ncreate ${name} hash:ip,port\n`
    expect(read(withSet('KUBE-CLUSTER-IP')).whole).toEqual(['nat', 'filter'])
    expect(read(withSet('mine')).whole).toEqual(['everything'])
  })

  it('are parts if one of them declares a chain after its rules', () => {
    const late = NAT.replace(':T - [0:0]\n-A T -j RETURN', '-A OUTPUT -j T\n:T - [0:0]')
    expect(read(HEADING + late + FILTER).whole).toEqual([])
    expect(read(late + FILTER).whole).toEqual([])
    expect(read(`$ iptables-save\n${late}$ iptables-save -t filter\n${FILTER}`).whole).toContain('filter')
  })

  it('are parts if one of them has rules of a chain that it does not declare', () => {
    const undeclared = NAT.replace(':T - [0:0]\n', '')
    expect(tables(HEADING + undeclared + FILTER)).toEqual(['filter'])
    expect(read(undeclared.replace(/^:.*\n/gm, '') + FILTER).whole).toEqual(['everything'])
  })

  it('are parts if kube-proxy has chains in them, but a built-in chain is missing', () => {
    const chains = ':KUBE-SERVICES - [0:0]\n:KUBE-FORWARD - [0:0]\n-A KUBE-FORWARD -j ACCEPT\n'
    const table = `look:\n*filter\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n${chains}COMMIT\n`
    const forward = table.replace(':OUTPUT', ':FORWARD ACCEPT [0:0]\n:OUTPUT')
    expect(read(table).whole).toEqual([])
    expect(read(forward).whole).toContain('filter/KUBE-FORWARD')
    expect(read(table.replace(/:INPUT.*\n:OUTPUT.*\n/, '')).whole).toContain('filter/KUBE-FORWARD')
    expect(read(table.replaceAll('KUBE-', 'MINE-')).whole).toContain('filter/MINE-FORWARD')
  })

  it('are parts if they may belong to either family', () => {
    const ipv6 = NAT.replace('-A T', '-A T -d fd00:10:96::1/128')
    expect(read(`...\n${ipv6}${FILTER}`).whole).toEqual([])
    expect(read(`...\n${NAT}${FILTER}`).whole).toContain('filter/FORWARD')
  })

  it('are of the family of the endpoint in a comment of kube-proxy', () => {
    const rule = (address: string) => `-A KUBE-SVC-A -m comment --comment "shop/web:http -> ${address}" -j KUBE-SEP-B`
    const text = [':KUBE-SVC-A - [0:0]', rule('[fd00:10:244::5]:8080'), ''].join('\n')
    expect(read(text, 'IPv6').lines).toEqual([rule('[fd00:10:244::5]:8080')])
    expect(read(text, 'IPv4').lines).toEqual([])
    expect(read(rule('10.244.1.5:8080'), 'IPv4').lines).toEqual([rule('10.244.1.5:8080')])
  })

  it.each([
    ['with the command', `$ sudo iptables-save\n${NAT}${FILTER}`],
    ['with the command, but no prompt', `iptables-save\n${NAT}${FILTER}`],
    ['with the heading line of iptables-save', HEADING + NAT + FILTER],
    ['with the heading line, and words around the output', `look:\n${HEADING}${NAT}${FILTER}thanks\n`],
    ['with the headings of our own text', `# iptables\n${NAT}${FILTER}`],
    ['with tool output alone', NAT + FILTER],
  ])('are assumed to be the only tables of the node if the output is complete: %s', (_, text) => {
    expect(read(text).whole).toEqual(['everything'])
  })
})

describe('the output of a search', () => {
  const SVC = 'KUBE-SVC-AAAAAAAAAAAAAAAA'
  const rule = `-A ${SVC} -s 10.0.0.1/32 -j RETURN`

  it('has all rules of a chain that it declares', () => {
    expect(read(`$ iptables-save | grep ${SVC}\n:${SVC} - [0:0]\n${rule}\n`).whole).toEqual([`nat/${SVC}`])
    expect(read(`$ iptables-save | grep -n -E ${SVC}\n:${SVC} - [0:0]\n${rule}\n`).whole).toEqual([`nat/${SVC}`])
  })

  it.each(['-A 1', '-A1', '-B 2', '-iC 3', '-5', '-m 2', '-v', '-o', '--context=3', '--after-context 2'])(
    'does not, if grep prints other lines, too: %s',
    (option) => {
      expect(read(`$ iptables-save | grep ${option} ${SVC}\n:${SVC} - [0:0]\n${rule}\n`).whole).toEqual([])
    },
  )

  const rows = [
    `Chain ${SVC} (1 references)`,
    `KUBE-MARK-MASQ  all  --  10.244.1.5  0.0.0.0/0  /* shop/web:http */`,
    '',
  ].join('\n')

  it('does not show the chain of a row of a listing', () => {
    expect(read(`$ iptables -t nat -L -n | grep MASQ\n${rows}`)).toMatchObject({ lines: [], left: ['3 strayLine'] })
  })

  it.each(['grep KUBE', 'grep -i kube', "grep 'KUBE-'", 'grep Chain | grep KUBE', 'head -n 20', 'cat'])(
    'shows the chain if it has the headings of all chains: %s',
    (filter) => {
      expect(read(`$ iptables -t nat -L -n | ${filter}\n${rows}`).lines).toHaveLength(1)
    },
  )
})

describe('the first page of a pager', () => {
  const SERVERS = 'TCP  10.96.0.1:443 rr\n  -> 10.1.1.1:6443  Masq  1  0  0\n'
  const CHAIN = '-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-N KUBE-FORWARD\n-A KUBE-FORWARD -j ACCEPT\n'
  it.each([
    ['ipvsadm -Ln', SERVERS],
    ['ipset save', 'create KUBE-CLUSTER-IP hash:ip,port\nadd KUBE-CLUSTER-IP 10.96.0.1,tcp:443\n'],
    ['iptables -S', CHAIN],
  ])('is a part, because nothing shows where the output ends: %s', (command, text) => {
    expect(read(`$ ${command}\n${text}`).whole).not.toEqual([])
    expect(read(`$ ${command} | less\n${text}`).whole).toEqual([])
    expect(read(`$ sudo ${command} | sudo more\n${text}`).whole).toEqual([])
  })

  it.each([
    ['iptables-save', '*nat\n:KUBE-MARK-MASQ - [0:0]\n-A KUBE-MARK-MASQ -j RETURN\nCOMMIT\n'],
    ['nft list ruleset', 'table ip kube-proxy {\n\tchain services {\n\t\tdrop\n\t}\n}\n'],
    [
      'iptables -t nat -vnL',
      'Chain KUBE-MARK-MASQ (1 references)\n pkts bytes target prot opt in out source destination\n\nChain X (0 references)\n',
    ],
  ])('has complete chains if the output shows their ends: %s', (command, text) => {
    expect(read(`$ ${command} | less\n${text}`).whole).toEqual(read(`$ ${command}\n${text}`).whole)
  })
})

describe('addresses in an excerpt', () => {
  it.each([
    [
      '$ ip addr show kube-ipvs0\n5: kube-ipvs0: <BROADCAST> mtu 1500\n    inet 10.0.0.1/32 scope global kube-ipvs0\n    inet6 fe80::1/64 scope link\n',
      ['address add 10.0.0.1/32 dev kube-ipvs0'],
      [],
    ],
    [
      'inet 10.0.0.1/32 scope global kube-ipvs0\n2: eth0: <UP>\n    inet 10.9.9.9/24 scope global eth0\n',
      ['address add 10.0.0.1/32 dev kube-ipvs0'],
      [],
    ],
    [
      '    inet 10.0.0.1/32 scope global kube-ipvs0\n    inet 10.0.0.2/32 scope global kube-ipvs0:2\n',
      ['address add 10.0.0.1/32 dev kube-ipvs0', 'address add 10.0.0.2/32 dev kube-ipvs0'],
      [],
    ],
    ['inet 10.0.0.2/32 scope global kube-ipvs0:2\n', ['address add 10.0.0.2/32 dev kube-ipvs0'], []],
    ['5: kube-ipvs0    inet 10.0.0.999/32 scope global kube-ipvs0\n...\n', [], ['1 invalidAddress']],
  ])('are parsed from %j', (text, lines, left) => {
    const found = read(text)
    expect({ lines: found.lines, left: found.left }).toEqual({ lines, left })
  })
})

describe('commands that insert a rule', () => {
  it.each(['-I KUBE-SVC-AAAAAAAAAAAAAAAA 1', '-I KUBE-SVC-AAAAAAAAAAAAAAAA', '-A KUBE-SVC-AAAAAAAAAAAAAAAA'])(
    'are parsed: %s',
    (head) => {
      const read = parseDump(`*nat\n${head} -j KUBE-SEP-BBBBBBBBBBBBBBBB\n`, { lenient: true })
      expect(read.ok && print(read.value.IPv4, { format: 'save' })).toContain(
        '-A KUBE-SVC-AAAAAAAAAAAAAAAA -j KUBE-SEP-BBBBBBBBBBBBBBBB\n',
      )
    },
  )
})

describe('lines that a web page reformatted', () => {
  const RULE = '-A KUBE-SVC-A -p tcp -j KUBE-SEP-B'

  it.each([
    ['12: -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['node-1: -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['a.rules:12:-A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['2024-03-05 09:12:44 -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['Mar  5 09:12:44 node-1 sh[12]: -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['I0611 08:20:31.402277       1 proxier.go:12] -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['* `-A KUBE-SVC-A -p tcp -j KUBE-SEP-B`'],
    ['2. `-A KUBE-SVC-A -p tcp -j KUBE-SEP-B`'],
    ['└─▶ -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['| 3 | `-A KUBE-SVC-A -p tcp -j KUBE-SEP-B` |'],
    ['<li><code>-A KUBE-SVC-A -p tcp -j KUBE-SEP-B</code></li>'],
    ['–A KUBE-SVC-A –p tcp –j KUBE-SEP-B'],
    ['it has -A KUBE-SVC-A -p tcp -j KUBE-SEP-B'],
    ['> \n> -A KUBE-SVC-A -p tcp -j KUBE-SEP-B\n>'],
  ])('are parsed: %s', (text) => {
    expect(read(`${text}\n`)).toMatchObject({ lines: [RULE], left: [] })
  })

  it.each([
    // Lines with several rules, with rules in comments, and with omitted or replaced characters.
    ['#-A KUBE-SVC-A -p tcp -j KUBE-SEP-B\n-A KUBE-SVC-A -j KUBE-SEP-B', ['-A KUBE-SVC-A -j KUBE-SEP-B']],
    [
      '-A KUBE-SVC-A -m comment --comment "a -A KUBE-B x" -j A',
      ['-A KUBE-SVC-A -m comment --comment "a -A KUBE-B x" -j A'],
    ],
    ['-A KUBE-SVC-A -j A -A KUBE-SVC-B -j B', ['-A KUBE-SVC-A -j A', '-A KUBE-SVC-B -j B']],
    ['-A KUBE-SVC-A –m comment —comment x –j A', ['-A KUBE-SVC-A -m comment --comment x -j A']],
    [
      'rules="-A KUBE-SVC-A -j A\\n-A KUBE-SVC-B -m comment --comment \\"x y\\" -j B\\n"',
      ['-A KUBE-SVC-B -m comment --comment "x y" -j B'],
    ],
    ['-A KUBE-SVC-A ... -g KUBE-SEP-B', ['-A KUBE-SVC-A -m leftout -g KUBE-SEP-B']],
    ['-A KUBE-SVC-A -d 10.0.0.1 … -m comment', ['-A KUBE-SVC-A -d 10.0.0.1/32 -m comment -m leftout']],
  ])('are parsed together with adjacent lines: %s', (text, lines) => {
    expect(read(`${text}\n`).lines).toEqual(lines)
  })

  it('may have consecutive line numbers in addition to the rule numbers of the listing', () => {
    expect(read('1\t-A KUBE-SVC-A -j A\n\n2\t-A KUBE-SVC-B -j B\n3\t-A KUBE-SVC-C -j C\n').lines).toHaveLength(3)
    const rows = [
      '1    A  all  --  10.0.0.1  0.0.0.0/0',
      '2    B  all  --  10.0.0.2  0.0.0.0/0',
      '3    C  all  --  10.0.0.3  0.0.0.0/0',
    ]
    const heading = 'Chain T (1 references)\nnum  target  prot opt source  destination\n'
    expect(read(`$ iptables -t nat -L T -n --line-numbers\n${heading}${rows.join('\n')}\n`).lines).toHaveLength(3)
  })

  it('are parsed without the lines that a diff removes', () => {
    const text = '@@ -1,2 +1,2 @@\n--A KUBE-SVC-A -j A\n+-A KUBE-SVC-A -j B\n'
    expect(read(text).lines).toEqual(['-A KUBE-SVC-A -j B'])
    const parsed = parseDump(text, { lenient: true })
    expect(parsed.ok && parsed.notes.map(({ code }) => code)).toContain('diffRemovedLine')
  })

  it('are parsed as one row if a row continues in the next line', () => {
    const rows = [
      'A  tcp  --  0.0.0.0/0\n10.0.0.1  /* a/b */ tcp dpt:80',
      'B  all  --  0.0.0.0/0  0.0.0.0/0  /* of\ntwo lines */',
      'C  all  --  0.0.0.0/0  0.0.0.0/0\nstatistic mode random probability 0.50000000000',
    ]
    expect(read(`${LIST}${rows.join('\n')}\n`).lines).toEqual([
      '-A T -d 10.0.0.1/32 -p tcp -m comment --comment "a/b" -m tcp --dport 80 -j A',
      '-A T -m comment --comment "of two lines" -j B',
      '-A T -m statistic --mode random --probability 0.50000000000 -j C',
    ])
  })

  it('are not a rule if a quote is never closed', () => {
    const text = `-A KUBE-SVC-A -m comment --comment "\n${'x "" y\n'.repeat(2000)}`
    expect(read(text).lines).toEqual([])
  })
})

describe('add commands', () => {
  it.each([
    ['iptables -t nat -A KUBE-SVC-A -j KUBE-SEP-B', ['-A KUBE-SVC-A -j KUBE-SEP-B']],
    [
      '$ sudo ipvsadm -A -t 10.0.0.1:80 -s rr\n$ sudo ipvsadm -a -t 10.0.0.1:80 -r 10.1.0.1:80 -m -w 1',
      ['-A -t 10.0.0.1:80 -s rr', '-a -t 10.0.0.1:80 -r 10.1.0.1:80 -m -w 1'],
    ],
    [
      '# ipset create KUBE-X hash:ip,port\n# ipset add KUBE-X 10.0.0.1,tcp:80',
      ['create KUBE-X hash:ip,port family inet hashsize 1024 maxelem 65536', 'add KUBE-X 10.0.0.1,tcp:80'],
    ],
    // Commands that add or remove rules are not parsed as rules.
    ['iptables -t nat -A KUBE-SVC-A -j B\n-A KUBE-SVC-C -j D', ['-A KUBE-SVC-C -j D']],
    ['iptables -t nat -D KUBE-SVC-A -j B', []],
    ['$ nft add rule ip x y drop', []],
  ])('are parsed: %s', (text, lines) => {
    const found = read(`${text}\n`)
    expect(found.lines).toEqual(lines)
    expect(found.whole).toEqual([])
  })
})

describe('statistics of virtual servers in an excerpt', () => {
  it('have assumed schedulers and weights, and no connections', () => {
    const text = [
      'TCP  10.0.0.1:80    12  3.4K  5  6M  7',
      '  -> 10.1.0.1:8080  12  3.4K  5  6M  7',
      'UDP  10.0.0.2:53    1  2  3  4  5',
      'TCP 14:58  ESTABLISHED 10.244.3.9:41822   10.96.3.4:80       10.244.1.21:8080',
    ]
    const parsed = parseDump(`# ipvsadm -Ln --stats\n${text.join('\n')}\n`, { lenient: true })
    expect(read(`# ipvsadm -Ln --stats\n${text.join('\n')}\n`).lines).toEqual([
      '-A -t 10.0.0.1:80 -s rr',
      '-a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m -w 1',
      '-A -u 10.0.0.2:53 -s rr',
    ])
    expect(parsed.ok && parsed.notes.filter(({ code }) => code === 'assumedServer')).toHaveLength(1)
  })
})

describe('a list of persistent connections in an excerpt', () => {
  it('has virtual servers with their scheduler, and real servers with an assumed forwarding method', () => {
    const text = `# ipvsadm -L -n --persistent-conn
Prot LocalAddress:Port            Weight    PersistConn ActiveConn InActConn
  -> RemoteAddress:Port
TCP  10.0.0.1:6379 wlc persistent 60
  -> 10.1.0.1:32768             1         1           1          0
# date
`
    expect(read(text).lines).toEqual([
      '-A -t 10.0.0.1:6379 -s wlc -p 60',
      '-a -t 10.0.0.1:6379 -r 10.1.0.1:32768 -m -w 1',
    ])
    const parsed = parseDump(text, { lenient: true })
    const assumed = parsed.ok ? parsed.notes.filter(({ code }) => code === 'assumedServer') : []
    expect(assumed.map(({ message }) => message)).toEqual(['masquerading is assumed'])
  })
})

describe('a chain in the output of a search', () => {
  it.each([
    ['nft list chain ip6 kube-proxy x', 'ip6 kube-proxy'],
    ['nft list table inet filter', 'inet filter'],
  ])('belongs to the table that the command names: %s', (command, table) => {
    const parsed = parseDump(`$ ${command} | grep -A3 x\nchain x {\n drop\n}\n`, { lenient: true })
    const tables = parsed.ok ? (parsed.value.IPv6.nftables?.tables ?? []) : []
    expect(tables.map(({ family, name }) => `${family} ${name}`)).toEqual([table])
  })
})
