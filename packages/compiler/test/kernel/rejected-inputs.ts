/** A text that a real tool rejects. */
export interface RejectedInput {
  /** The invalid part. */
  readonly input: string
  readonly text: string
}

function restoreText(table: string, rule: string): string {
  return `*${table}\n:KUBE-A - [0:0]\n-A KUBE-A ${rule}\nCOMMIT\n`
}

function tableText(rule: string, declarations = ''): string {
  return `table ip t {\n${declarations}\tchain c {\n\t\t${rule}\n\t}\n}\n`
}

/** Matches, targets, chains and tables that iptables-restore rejects, in both back ends. */
export const REJECTED_BY_IPTABLES: readonly RejectedInput[] = [
  {
    input: 'probability above one',
    text: restoreText('nat', '-m statistic --mode random --probability 1.5 -j RETURN'),
  },
  {
    input: 'unknown statistic mode',
    text: restoreText('nat', '-m statistic --mode often --probability 0.5 -j RETURN'),
  },
  { input: 'mark of 33 bits', text: restoreText('nat', '-m mark --mark 0x1ffffffff -j RETURN') },
  { input: 'mark without a value', text: restoreText('nat', '-m mark -j RETURN') },
  { input: 'recent without an action', text: restoreText('nat', '-m recent --name a -j RETURN') },
  {
    input: 'recent with --reap and without --seconds',
    text: restoreText('nat', '-m recent --name a --rcheck --reap -j RETURN'),
  },
  {
    input: 'recent with seconds of zero',
    text: restoreText('nat', '-m recent --name a --rcheck --seconds 0 -j RETURN'),
  },
  { input: 'port above 65535', text: restoreText('nat', '-p tcp -m tcp --dport 65536 -j RETURN') },
  { input: 'reversed port range', text: restoreText('nat', '-p tcp -m tcp --dport 20:10 -j RETURN') },
  { input: 'port without a protocol', text: restoreText('nat', '-m tcp --dport 80 -j RETURN') },
  { input: 'port of another protocol', text: restoreText('nat', '-p udp -m tcp --dport 80 -j RETURN') },
  { input: 'unknown protocol', text: restoreText('nat', '-p tcq -j RETURN') },
  { input: 'unknown address type', text: restoreText('nat', '-m addrtype --dst-type LOCALE -j RETURN') },
  { input: 'addrtype without a type', text: restoreText('nat', '-m addrtype -j RETURN') },
  { input: 'unknown conntrack state', text: restoreText('filter', '-m conntrack --ctstate OLD -j RETURN') },
  { input: 'unknown state', text: restoreText('filter', '-m state --state OLD -j RETURN') },
  { input: 'physdev without a question', text: restoreText('filter', '-m physdev -j RETURN') },
  { input: 'match-set without directions', text: restoreText('nat', '-m set --match-set A -j RETURN') },
  { input: 'match-set with an unknown direction', text: restoreText('nat', '-m set --match-set A up -j RETURN') },
  { input: 'match-set of a missing set', text: restoreText('nat', '-m set --match-set MISSING dst -j RETURN') },
  { input: 'address with an octet above 255', text: restoreText('nat', '-s 10.0.0.256 -j RETURN') },
  { input: 'prefix longer than the address', text: restoreText('nat', '-d 10.0.0.0/33 -j RETURN') },
  { input: 'IPv6 address in an IPv4 table', text: restoreText('nat', '-d fd00::1 -j RETURN') },
  { input: 'source given twice', text: restoreText('nat', '-s 10.0.0.1 -s 10.0.0.2 -j RETURN') },
  { input: 'interface longer than 15', text: restoreText('filter', `-i ${'e'.repeat(16)} -j RETURN`) },
  {
    input: 'nfacct name longer than 31',
    text: restoreText('filter', `-m nfacct --nfacct-name ${'n'.repeat(32)} -j RETURN`),
  },
  { input: 'missing nfacct counter', text: restoreText('filter', `-m nfacct --nfacct-name missing -j RETURN`) },
  { input: 'unknown match', text: restoreText('nat', '-m nosuchmatch --yes -j RETURN') },
  { input: 'unknown option', text: restoreText('nat', '--sources 10.0.0.1 -j RETURN') },
  { input: 'word after the end of a rule', text: restoreText('nat', '-j RETURN again') },
  { input: 'DNAT without a destination', text: restoreText('nat', '-p tcp -j DNAT') },
  { input: 'DNAT to a port above 65535', text: restoreText('nat', '-p tcp -j DNAT --to-destination 10.0.0.1:65536') },
  { input: 'DNAT to a port without a protocol', text: restoreText('nat', '-j DNAT --to-destination 10.0.0.1:80') },
  { input: 'DNAT in table filter', text: restoreText('filter', '-p tcp -j DNAT --to-destination 10.0.0.1:80') },
  { input: 'MASQUERADE in table filter', text: restoreText('filter', '-j MASQUERADE') },
  { input: 'REDIRECT to a port without a protocol', text: restoreText('nat', '-j REDIRECT --to-ports 80') },
  { input: 'REJECT in table nat', text: restoreText('nat', '-j REJECT') },
  { input: 'REJECT with an unknown type', text: restoreText('filter', '-j REJECT --reject-with icmp-no') },
  {
    input: 'REJECT with a TCP reset for every protocol',
    text: restoreText('filter', '-j REJECT --reject-with tcp-reset'),
  },
  { input: 'MARK without a value', text: restoreText('nat', '-j MARK') },
  { input: 'MARK of 33 bits', text: restoreText('nat', '-j MARK --set-xmark 0x1ffffffff/0xffffffff') },
  { input: 'MARK set twice', text: restoreText('nat', '-j MARK --or-mark 1 --and-mark 2') },
  { input: 'jump to a missing chain', text: restoreText('nat', '-j KUBE-MISSING') },
  { input: 'chain longer than 28', text: `*nat\n:${'K'.repeat(29)} - [0:0]\nCOMMIT\n` },
  { input: 'rule of a missing chain', text: `*nat\n-A KUBE-MISSING -j RETURN\nCOMMIT\n` },
  { input: 'unknown policy', text: `*filter\n:INPUT MAYBE [0:0]\nCOMMIT\n` },
  { input: 'unknown table', text: `*nats\nCOMMIT\n` },
  { input: 'two targets', text: restoreText('nat', '-j RETURN -j ACCEPT') },
  { input: 'goto and jump', text: restoreText('nat', '-g KUBE-A -j RETURN') },
]

/** Sets and entries that ipset restore rejects. */
export const REJECTED_BY_IPSET: readonly RejectedInput[] = [
  { input: 'unknown type', text: 'create A hash:ips\n' },
  { input: 'missing set', text: 'add A 10.0.0.1\n' },
  { input: 'name longer than 31', text: `create ${'A'.repeat(32)} hash:ip\n` },
  { input: 'entry of another kind', text: 'create A hash:ip,port\nadd A 10.0.0.1\n' },
  { input: 'port above 65535', text: 'create A hash:ip,port\nadd A 10.0.0.1,tcp:65536\n' },
  { input: 'unknown protocol', text: 'create A hash:ip,port\nadd A 10.0.0.1,tcq:80\n' },
  { input: 'port without a protocol of ports', text: 'create A hash:ip,port\nadd A 10.0.0.1,esp:80\n' },
  { input: 'address of the other family', text: 'create A hash:ip family inet6\nadd A 10.0.0.1\n' },
  { input: 'port outside of a bitmap', text: 'create A bitmap:port range 0-100\nadd A 101\n' },
  { input: 'bitmap without a range', text: 'create A bitmap:port\n' },
  { input: 'entry given twice', text: 'create A hash:ip\nadd A 10.0.0.1\nadd A 10.0.0.1\n' },
  { input: 'set given twice', text: 'create A hash:ip\ncreate A hash:net\n' },
  { input: 'comment of a set without comments', text: 'create A hash:ip\nadd A 10.0.0.1 comment "x"\n' },
  { input: 'comment longer than 255', text: `create A hash:ip comment\nadd A 10.0.0.1 comment "${'x'.repeat(256)}"\n` },
  { input: 'unknown option', text: 'create A hash:ip sizes 5\n' },
  { input: 'more entries than maxelem', text: 'create A hash:ip maxelem 1\nadd A 10.0.0.1\nadd A 10.0.0.2\n' },
  { input: 'prefix of zero in hash:net', text: 'create A hash:net\nadd A 0.0.0.0/0\n' },
  { input: 'third address missing', text: 'create A hash:ip,port,ip\nadd A 10.0.0.1,tcp:80\n' },
  { input: 'prefix longer than the address', text: 'create A hash:ip,port,net\nadd A 10.0.0.1,tcp:80,10.0.0.0/33\n' },
  { input: 'unknown command', text: 'creates A hash:ip\n' },
]

/** Statements, sets and chains that nft rejects. */
export const REJECTED_BY_NFT: readonly RejectedInput[] = [
  { input: 'unknown statement', text: tableText('hello') },
  { input: 'port above 65535', text: tableText('tcp dport 65536 accept') },
  { input: 'address with an octet above 255', text: tableText('ip daddr 10.0.0.256 accept') },
  { input: 'IPv6 address in table ip', text: tableText('ip daddr fd00::1 accept') },
  { input: 'ip6 selector without an address', text: tableText('ip6 daddr accept') },
  { input: 'unknown verdict', text: tableText('ip daddr 10.0.0.1 maybe') },
  { input: 'jump without a chain', text: tableText('jump') },
  { input: 'jump to a missing chain', text: tableText('jump missing') },
  { input: 'mark of 33 bits', text: tableText('meta mark 0x1ffffffff accept') },
  { input: 'dnat without a port protocol', text: tableText('dnat to 10.0.0.1:80') },
  { input: 'dnat to a port above 65535', text: tableText('meta l4proto tcp dnat to 10.0.0.1:65536') },
  {
    input: 'numgen without a modulus',
    text: tableText('meta l4proto tcp dnat ip addr . port to numgen random map { 0 : 10.0.0.1 . 80 }'),
  },
  { input: 'vmap of a missing map', text: tableText('ip daddr . meta l4proto . th dport vmap @missing') },
  {
    input: 'map of another type',
    text: tableText('ip daddr . meta l4proto . th dport vmap @m', '\tmap m {\n\t\ttype ipv4_addr : verdict\n\t}\n'),
  },
  { input: 'set without a type', text: tableText('accept', '\tset s {\n\t}\n') },
  {
    input: 'element of another type',
    text: tableText('accept', '\tset s {\n\t\ttype ipv4_addr\n\t\telements = { fd00::1 }\n\t}\n'),
  },
  { input: 'unknown type', text: tableText('accept', '\tset s {\n\t\ttype ipv4_adr\n\t}\n') },
  { input: 'unknown flag', text: tableText('accept', '\tset s {\n\t\ttype ipv4_addr\n\t\tflags fast\n\t}\n') },
  {
    input: 'unknown hook',
    text: 'table ip t {\n\tchain c {\n\t\ttype nat hook nowhere priority 0; policy accept;\n\t}\n}\n',
  },
  {
    input: 'unknown chain type',
    text: 'table ip t {\n\tchain c {\n\t\ttype nats hook input priority 0; policy accept;\n\t}\n}\n',
  },
  { input: 'policy of a chain without a hook', text: 'table ip t {\n\tchain c {\n\t\tpolicy drop;\n\t}\n}\n' },
  { input: 'reject with an unknown type', text: tableText('reject with icmp no-such') },
  { input: 'masquerade with an unknown flag', text: tableText('masquerade slowly') },
  { input: 'fib without a result', text: tableText('fib daddr accept') },
  { input: 'unknown fib result', text: tableText('fib daddr types local accept') },
  { input: 'unknown ct state', text: tableText('ct state old accept') },
  { input: 'update of a missing set', text: tableText('update @missing { ip saddr }') },
  { input: 'limit without a rate', text: tableText('limit rate accept') },
  { input: 'comment longer than 128', text: tableText(`ip daddr 10.0.0.1 comment "${'x'.repeat(129)}"`) },
  { input: 'two verdicts', text: tableText('accept drop') },
  { input: 'missing brace', text: 'table ip t {\n\tchain c {\n' },
  { input: 'unknown family', text: 'table ipv4 t {\n}\n' },
  { input: 'interface longer than 15', text: tableText(`iifname "${'e'.repeat(16)}" accept`) },
  {
    input: 'element given twice with other data',
    text: tableText(
      'accept',
      '\tmap m {\n\t\ttype ipv4_addr : verdict\n\t\telements = { 10.0.0.1 : accept, 10.0.0.1 : drop }\n\t}\n',
    ),
  },
  { input: 'quoted name of a set', text: tableText('ip daddr @"s" accept') },
]
