/** The first words of lines between the braces of a table. */
const WORDS = `
  accept add arp bytes chain comment continue counter ct delete dnat drop dup elements ether exthdr fib flags flow
  fwd gc-interval goto hook icmp icmpv6 iif iifgroup iifname ip ip6 jhash jump limit log map mark masquerade meta
  notrack numgen oif oifgroup oifname packets policy queue quota redirect reject return rt sctp set size snat
  socket symhash synproxy tcp th timeout tproxy type typeof udp udplite update vlan vmap xt
`

/**
 * Matches the beginning of a line in a table: one of these words, an address or number of an element, a quoted word, or
 * a brace.
 */
const BEGINNING = new RegExp(
  `^(?:(?:${WORDS.trim().replace(/\s+/g, '|')})(?=[\\s{:]|$)|["{}@]|[0-9a-f]*[0-9:.][0-9a-f:./]*(?=[\\s,}-]))`,
)

/**
 * Returns the position of a remark after `#` on a line of a table; undefined if the line has no remark. The handle that
 * `nft -a` prints is not a remark, nor is quoted text.
 */
export function findTrailingComment(line: string): number | undefined {
  if (!line.includes('#') || !BEGINNING.test(line)) return undefined
  const bare = line.replace(/"[^"]*"/g, (text) => ' '.repeat(text.length))
  const at = bare.search(/\s#/)
  return at < 0 || /^#\s*handle \d+\s*$/.test(line.slice(at + 1)) ? undefined : at + 1
}
