/** The words with which lines between the braces of a table begin. */
const WORDS = `
  accept add arp bytes chain comment continue counter ct delete dnat drop dup elements ether exthdr fib flags flow
  fwd gc-interval goto hook icmp icmpv6 iif iifgroup iifname ip ip6 jhash jump limit log map mark masquerade meta
  notrack numgen oif oifgroup oifname packets policy queue quota redirect reject return rt sctp set size snat
  socket symhash synproxy tcp th timeout tproxy type typeof udp udplite update vlan vmap xt
`

/** One of these, an address or number of an element, a quoted one, or a brace. */
const BEGINNING = new RegExp(
  `^(?:(?:${WORDS.trim().replace(/\s+/g, '|')})(?=[\\s{:]|$)|["{}@]|[0-9a-f]*[0-9:.][0-9a-f:./]*(?=[\\s,}-]))`,
)

/**
 * Where somebody has written something behind a line of a table, behind `#`; undefined where nobody has. The number that `nft -a`
 * prints there is none, nor is anything in quotes.
 */
export function remarkAt(line: string): number | undefined {
  if (!line.includes('#') || !BEGINNING.test(line)) return undefined
  const bare = line.replace(/"[^"]*"/g, (text) => ' '.repeat(text.length))
  const at = bare.search(/\s#/)
  return at < 0 || /^#\s*handle \d+\s*$/.test(line.slice(at + 1)) ? undefined : at + 1
}
