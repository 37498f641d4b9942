const BUILT_IN_CHAINS = new Set(['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'])

/** A declaration of a chain, a set or a table, as iptables-restore, ipset and nft write it; the name is the group. */
const DECLARATIONS = [
  /^:(\S+) /,
  /^create (\S+) /,
  /^add (?:table|chain|set|map|counter) ip6? (?:\S+ )?(\S+)(?: \{|$)/,
  /^add table ip6? (\S+)/,
]

/** A rule; the group is its chain, in which the order counts. The virtual servers of ipvsadm have options instead. */
const RULES = [/^-A ([^-\s]\S*)/, /^add rule (ip6? \S+ \S+)/]

/**
 * Reports whether two texts of rules differ only in what no packet sees: comments, and either the order of all except
 * the rules of a chain, or names that change consistently.
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
