/**
 * Reports whether nft rejects a word without quotes in place of an interface name, because it is a keyword. These are
 * the words that `nft add rule … iifname WORD` of nft 1.0.6 rejects.
 */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `
  accept add ah all and auto-merge bridge cgroup chain comment constant continue counter cpu create ct day dccp
  define delete describe device devices drop dst dup dynamic element elements eq esp exists expires export exthdr
  fib flags flow flowtable flush frag fwd gc-interval ge get goto gt handle hbh hook hour ibriport ibrname icmp
  icmpv6 igmp iif iifgroup iifname iiftype import include index inet insert ipsec jhash jump le limit list log
  lshift lt map mark masquerade meta meter mh missing monitor ne netdev nftrace not notrack numgen offload oif
  oifgroup oifname oiftype or osf parameter-problem pkttype policy priority queue quota random redefine redirect
  reject rename replace return rt rt0 rt2 rtclassid rule ruleset sctp secmark set shutdown-complete size skgid
  skuid socket srh symhash synproxy table tcp time timeout tproxy type typeof udp udplite undefine update vmap xor
  xt
`.match(/\S+/g),
)
