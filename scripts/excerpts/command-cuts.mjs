// What commands print of a node if they print only a part of it: one chain, one table, one set, lines with a word, or the
// first lines of a long output.

/** Returns the prompt and the output of a command. */
export function prompt(command, lines) {
  return [`root@node-1:~# ${command}`, ...lines, ''].join('\n')
}

/** Returns the listings of all tables and virtual servers of a dump, as `iptables -L` and `ipvsadm -L` print them. */
export function listingsOf(dump, { print }) {
  const servers = ['IPv4', 'IPv6'].map((family) =>
    dump[family].ipvs === undefined ? '' : print(dump[family], { subsystem: 'ipvs', format: 'listing' }),
  )
  const tables = ['IPv4', 'IPv6'].flatMap((family) =>
    [true, false].flatMap((verbose) => {
      const state = dump[family]
      if (state.iptables === undefined) return []
      const text = print(state, { subsystem: 'iptables', format: 'listing', listing: { verbose } })
      return text.split(/^# /m).flatMap((part) => {
        const [command, ...lines] = part.trimEnd().split('\n')
        return lines.length === 0 ? [] : [{ command, chains: lines.join('\n').split('\n\n') }]
      })
    }),
  )
  // One command prints the virtual servers of both families under one heading.
  const [first = '', ...others] = servers.filter((text) => text !== '')
  const text = [first, ...others.map((each) => each.split('\n').slice(3).join('\n'))].join('')
  return text === '' ? tables : [...tables, { command: 'ipvsadm -Ln', chains: [text.trimEnd()] }]
}

/** Each cut gets the lines of a complete dump, random numbers, and a function that returns the listings of the dump. */
export const COMMAND_CUTS = {
  listing: (_, random, listings) => {
    const listing = pick(listings(), random)
    return listing && prompt(listing.command, listing.chains.join('\n\n').split('\n'))
  },
  'listing of one chain': (_, random, listings) => {
    const listing = pick(listings(), random)
    const chain = pick(listing?.chains ?? [], random)
    const name = /^Chain (\S+)/.exec(chain ?? '')?.[1]
    return name && prompt(listing.command.replace(' -L', ` -L ${name}`), chain.split('\n'))
  },
  'first lines of a listing': (_, random, listings) => {
    const listing = pick(listings(), random)
    const lines = listing?.chains.join('\n\n').split('\n') ?? []
    const count = 1 + random(Math.max(1, lines.length))
    return listing && prompt(`${listing.command} | head -n ${count}`, lines.slice(0, count))
  },
  'search in a listing': (_, random, listings) => {
    const listing = pick(listings(), random)
    const lines = listing?.chains.join('\n\n').split('\n') ?? []
    const word = pick(lines.join('\n').match(WORDS) ?? [], random)
    return (
      word &&
      prompt(
        `${listing.command} | grep ${word}`,
        lines.filter((line) => line.includes(word)),
      )
    )
  },
  'first page of a pager': (lines, random) => {
    const output = pick(outputsOf(lines), random)
    if (output === undefined) return undefined
    const count = 1 + random(output.lines.length)
    const mark = [[':'], ['--More--'], [`lines 1-${count}`], []][random(4)]
    return prompt(`${output.command} | less`, [...output.lines.slice(0, count), ...mark])
  },
  'first or last lines of a tool': (lines, random) => {
    const output = pick(outputsOf(lines), random)
    if (output === undefined) return undefined
    const count = 1 + random(output.lines.length)
    return random(2) === 0
      ? prompt(`${output.command} | head -${count}`, output.lines.slice(0, count))
      : prompt(`${output.command} | tail -n ${count}`, output.lines.slice(-count))
  },
  'search in the output of a tool': (lines, random) => {
    const output = pick(outputsOf(lines), random)
    const word = pick(output?.lines.join('\n').match(WORDS) ?? [], random)
    if (word === undefined) return undefined
    const context = random(2) === 0 ? 0 : 1 + random(3)
    const hits = output.lines.flatMap((line, at) => (line.includes(word) ? [at] : []))
    const option = context === 0 ? '' : `-A ${context} `
    return prompt(`${output.command} | grep ${option}${word}`, linesAfter(output.lines, hits, context))
  },
  'one table of nft': (lines, random) => {
    const table = pick(nftTablesOf(lines), random)
    return table && prompt(`nft list table ${table.name}`, table.lines)
  },
  'one part of nft': (lines, random) => {
    const table = pick(nftTablesOf(lines), random)
    const starts = table?.lines.flatMap((line, at) => (/^\t(?:chain|set|map) /.test(line) ? [at] : [])) ?? []
    const start = pick(starts, random)
    if (start === undefined) return undefined
    const end = table.lines.indexOf('\t}', start)
    const [, kind, name] = /^\t(\w+) (\S+)/.exec(table.lines[start])
    const part = table.lines.slice(start, end + 1)
    return prompt(`nft list ${kind} ${table.name} ${name}`, [`table ${table.name} {`, ...part, '}'])
  },
  'listing of one set': (lines, random) => {
    const set = pick(
      lines.filter((line) => line.startsWith('create ')),
      random,
    )
    if (set === undefined) return undefined
    const [, name, type, ...header] = set.split(' ')
    const members = lines.flatMap((line) => (line.startsWith(`add ${name} `) ? line.slice(5 + name.length) : []))
    return prompt(`ipset list ${name}`, [
      `Name: ${name}`,
      `Type: ${type}`,
      'Revision: 6',
      `Header: ${header.join(' ')}`,
      'Size in memory: 344',
      'References: 2',
      `Number of entries: ${members.length}`,
      'Members:',
      ...members,
    ])
  },
}

const WORDS = /KUBE-[A-Z]+(?:-[A-Z0-9]+)?|\d+\.\d+\.\d+\.\d+|[a-z]+\/[a-z-]+/g

function pick(all, random) {
  return all[random(Math.max(1, all.length))]
}

/** Returns lines with a number of lines after each of them, separated as grep does. */
function linesAfter(lines, hits, count) {
  return hits.flatMap((at, index) => {
    const before = index === 0 ? -1 : hits[index - 1] + count
    const own = lines.slice(Math.max(at, before + 1), at + count + 1)
    return count > 0 && index > 0 && at > before + 1 ? ['--', ...own] : own
  })
}

/** Returns the outputs of which a dump consists, each with its command. */
function outputsOf(lines) {
  const ipv6 = lines.findIndex((line) => line.startsWith('# Generated by ip6tables'))
  const isOf = (pattern) => lines.filter((line) => pattern.test(line))
  const saves = [...(ipv6 < 0 ? [lines] : [lines.slice(0, ipv6), lines.slice(ipv6)])].map((own, index) => ({
    command: index === 0 && !own.some((line) => line.includes('ip6tables-save')) ? 'iptables-save' : 'ip6tables-save',
    lines: tableLinesOf(own),
  }))
  return [
    ...saves,
    { command: 'ipset save', lines: isOf(/^(?:create|add) /) },
    { command: 'ipvsadm -Sn', lines: isOf(/^-[Aa] -/) },
    { command: 'nft list ruleset', lines: nftTablesOf(lines).flatMap((table) => table.lines) },
  ].filter((output) => output.lines.length > 0)
}

function tableLinesOf(lines) {
  let isInside = false
  return lines.filter((line) => {
    isInside ||= /^\*\w+$/.test(line)
    const isKept = isInside || line.startsWith('# Generated')
    if (line === 'COMMIT') isInside = false
    return isKept
  })
}

function nftTablesOf(lines) {
  const starts = lines.flatMap((line, at) => (line.startsWith('table ') ? [at] : []))
  return starts.map((start) => ({
    name: /^table (\S+ \S+)/.exec(lines[start])?.[1],
    lines: lines.slice(start, lines.indexOf('}', start) + 1),
  }))
}
