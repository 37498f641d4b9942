const BUILT_IN_CHAINS = new Set(['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'])

/**
 * Matches the declaration of a chain, set or table in the notation of iptables-restore, ipset or nft; the group is the
 * name.
 */
const DECLARATIONS = [
  /^:(\S+) /,
  /^create (\S+) /,
  /^add (?:table|chain|set|map|counter) ip6? (?:\S+ )?(\S+)(?: \{|$)/,
  /^add table ip6? (\S+)/,
]

/**
 * Matches a rule; the group is its chain, within which the order matters. Lines of ipvsadm have options in place of a
 * chain.
 */
const RULES = [/^-A ([^-\s]\S*)/, /^add rule (ip6? \S+ \S+)/]

/**
 * Reports whether two texts of rules are equal for packets: they differ only in comments, and either in the order of
 * lines that are not rules of one chain, or in consistently changed names.
 */
export function isSameForPackets(a, b) {
  return packetForm(a) === packetForm(b) || packetForm(withoutNames(a)) === packetForm(withoutNames(b))
}

/** Returns a text without comments, sorted except for the rules of each chain. */
function packetForm(text) {
  const loose = []
  const chains = new Map()
  let table = ''
  for (const line of withoutComments(text).split('\n')) {
    if (/^[*#]/.test(line)) table = line
    const chain = firstGroup(RULES, line)
    if (chain === undefined) {
      loose.push(`${table} ${line}`)
      continue
    }
    const key = `${table} ${chain}`
    chains.set(key, [...(chains.get(key) ?? []), line])
  }
  const rules = [...chains].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lines]) => lines)
  return JSON.stringify([loose.sort(), rules])
}

function withoutComments(text) {
  return text
    .replace(/ -m comment --comment (?:"(?:[^"\\]|\\.)*"|\S+)/g, '')
    .replace(/ \{ comment "[^"]*" ; \}/g, '')
    .replace(/ ?comment "[^"]*"(?: ;)?/g, '')
}

/** Replaces each declared name by its number, in the order of declaration. */
function withoutNames(text) {
  const numbers = new Map()
  for (const line of text.split('\n')) {
    const name = firstGroup(DECLARATIONS, line)
    if (name !== undefined && !BUILT_IN_CHAINS.has(name) && !numbers.has(name))
      numbers.set(name, `name-${numbers.size}`)
  }
  return text.replace(/[^\s:,@]+/g, (word) => numbers.get(word) ?? word)
}

function firstGroup(patterns, line) {
  for (const pattern of patterns) {
    const found = pattern.exec(line)
    if (found !== null) return found[1]
  }
  return undefined
}
