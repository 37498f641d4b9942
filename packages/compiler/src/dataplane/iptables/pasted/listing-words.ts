import { portNumbers } from '../../netfilter/port-names.js'
import { tokenize } from '../parse/tokenizer.js'
import { quoteText } from '../quote.js'
import type { ListingRow } from './listing-row.js'

/**
 * The words of a rule, as behind `-A CHAIN`, that a row of a listing stands for. What a listing says in a way of its own and
 * is not known here becomes words of a match that nobody understands.
 */
export function wordsOfRow(row: ListingRow): readonly string[] {
  const { matches, target } = readRest(row)
  return [
    ...addressWords('-s', row.source),
    ...addressWords('-d', row.destination),
    ...interfaceWords('-i', row.inInterface),
    ...interfaceWords('-o', row.outInterface),
    ...protocolWords(row.protocol),
    ...(row.options === '-f' ? ['-f'] : row.options === '!f' ? ['!', '-f'] : []),
    ...matches,
    ...target,
  ].map(withoutStrayQuotes)
}

/** A quote that is not closed in its word would begin a text that goes on behind it. */
function withoutStrayQuotes(word: string): string {
  return !word.includes('"') || /^[^ \t"]*"(?:[^"\\]|\\.)*"$/s.test(word) ? word : word.replaceAll('"', '') || '_'
}

function negatable(option: string, text: string): readonly string[] {
  return text.startsWith('!') ? ['!', option, text.slice(1)] : [option, text]
}

function addressWords(option: string, text: string): readonly string[] {
  if (/^(?:anywhere|default|0\.0\.0\.0\/0|::\/0)$/.test(text)) return []
  return negatable(option, text.replace(/^(!?)localhost(?=$|\/)/, '$1127.0.0.1').replace('127.0.0.1/8', '127.0.0.0/8'))
}

function interfaceWords(option: string, text: string | undefined): readonly string[] {
  return text === undefined || text === '*' || text === 'any' ? [] : negatable(option, text)
}

function protocolWords(text: string): readonly string[] {
  return text === 'all' || text === '0' ? [] : negatable('-p', text)
}

interface Rest {
  readonly matches: readonly string[]
  /** From `-j` or `-g` on. */
  readonly target: readonly string[]
}

function readRest({ rest, target, protocol }: ListingRow): Rest {
  const goesTo = /^\[goto\]\s*/.exec(rest)
  const matches: string[] = []
  const targetWords: string[] = []
  const context: PieceContext = { target: target ?? '', protocol: protocol.replace('!', '') }
  let left = rest.slice(goesTo?.[0].length ?? 0).trim()
  while (left !== '') {
    const piece = takePiece(left, context)
    if (piece.isTarget) targetWords.push(...piece.words)
    else matches.push(...piece.words)
    left = left.slice(piece.length).trimStart()
  }
  if (target === undefined) return { matches: [...matches, ...targetWords], target: [] }
  return { matches, target: [goesTo === null ? '-j' : '-g', target, ...targetWords] }
}

interface PieceContext {
  readonly target: string
  readonly protocol: string
}

interface Piece {
  readonly words: readonly string[]
  readonly isTarget: boolean
  readonly length: number
}

/** How a listing spells one match or what a target is given. */
interface Spelling {
  readonly pattern: RegExp
  readonly words: (groups: Readonly<Record<string, string | undefined>>) => readonly string[]
  /** The target whose words these are; absent for a match. */
  readonly target?: RegExp
}

const not = (mark: string | undefined): readonly string[] => (mark === undefined || mark.trim() === '' ? [] : ['!'])

const MATCHES: readonly Spelling[] = [
  {
    pattern:
      /^(?<protocol>tcp|udp|sctp)(?=\s|$)(?<ports>(?:\s+[sd]pts?:!?[\w-]+(?::[\w-]+)?)*)(?:\s+flags:(?<no>!?)(?<mask>[\w,]+)\/(?<set>[\w,]+))?/,
    words: ({ protocol = '', ports = '', no, mask, set = '' }) => [
      '-m',
      protocol,
      ...ports.trim().split(/\s+/).flatMap(portWords),
      ...(mask === undefined ? [] : [...not(no), '--tcp-flags', flagNames(mask), flagNames(set)]),
    ],
  },
  {
    pattern:
      /^ADDRTYPE match(?:\s+src-type (?<notSource>!?)(?<source>[A-Z,]+))?(?:\s+dst-type (?<notDestination>!?)(?<destination>[A-Z,]+))?/,
    words: ({ notSource, source, notDestination, destination }) => [
      '-m',
      'addrtype',
      ...(source === undefined ? [] : [...not(notSource), '--src-type', source]),
      ...(destination === undefined ? [] : [...not(notDestination), '--dst-type', destination]),
    ],
  },
  {
    pattern: /^statistic mode random (?<no>! )?probability (?<probability>[\d.]+)/,
    words: ({ no, probability = '' }) => [
      '-m',
      'statistic',
      '--mode',
      'random',
      ...not(no),
      '--probability',
      probability,
    ],
  },
  {
    pattern: /^statistic mode nth (?<no>! )?every (?<every>\d+)(?: packet (?<packet>\d+))?/,
    words: ({ no, every = '', packet = '0' }) => [
      '-m',
      'statistic',
      '--mode',
      'nth',
      ...not(no),
      '--every',
      every,
      '--packet',
      packet,
    ],
  },
  {
    pattern: /^(?<kind>mark|connmark) match\s+(?<no>! ?)?(?<mark>0x[0-9a-f]+(?:\/0x[0-9a-f]+)?)/i,
    words: ({ kind = '', no, mark = '' }) => ['-m', kind.toLowerCase(), ...not(no), '--mark', mark],
  },
  {
    pattern: /^(?<no>! )?ctstate (?<states>[A-Z,]+)/,
    words: ({ no, states = '' }) => ['-m', 'conntrack', ...not(no), '--ctstate', states],
  },
  {
    pattern: /^(?<no>! )?state (?<states>[A-Z,]+)/,
    words: ({ no, states = '' }) => ['-m', 'state', ...not(no), '--state', states],
  },
  {
    pattern:
      /^(?<no>! )?recent: (?<action>SET|CHECK|UPDATE|REMOVE)(?: seconds: (?<seconds>\d+))?(?<reap> reap)?(?: hit_count: (?<hits>\d+))?(?: TTL-Match)?(?: name: (?<name>\S+))?(?: side: (?<side>source|dest))?(?: mask: (?<mask>\S+))?/,
    words: ({ no, action = '', seconds, reap, hits, name, side, mask }) => [
      '-m',
      'recent',
      ...not(no),
      `--${action === 'CHECK' ? 'rcheck' : action.toLowerCase()}`,
      ...(seconds === undefined ? [] : ['--seconds', seconds]),
      ...(reap === undefined ? [] : ['--reap']),
      ...(hits === undefined ? [] : ['--hitcount', hits]),
      ...(name === undefined ? [] : ['--name', name]),
      ...(mask === undefined ? [] : ['--mask', mask]),
      ...(side === undefined ? [] : [side === 'source' ? '--rsource' : '--rdest']),
    ],
  },
  {
    pattern: /^(?<no>! )?match-set (?<name>\S+) (?<directions>(?:src|dst)(?:,(?:src|dst))*)/,
    words: ({ no, name = '', directions = '' }) => ['-m', 'set', ...not(no), '--match-set', name, directions],
  },
  {
    pattern: /^PHYSDEV match(?<options>(?: (?:! )?--physdev-(?:is-in|is-out|is-bridged|in \S+|out \S+))+)/,
    words: ({ options = '' }) => ['-m', 'physdev', ...options.trim().split(/\s+/)],
  },
  {
    pattern: /^nfacct-name\s+(?<name>\S+)/,
    words: ({ name = '' }) => ['-m', 'nfacct', '--nfacct-name', name],
  },
  {
    pattern: /^(?<no>! )?multiport (?<no2>! ?)?(?<kind>s|d|)ports (?<no3>!)?(?<ports>[\w,:-]+)/,
    words: ({ no, no2, no3, kind = '', ports = '' }) => [
      '-m',
      'multiport',
      ...not([no, no2, no3].join('').replaceAll('undefined', '')),
      `--${kind}ports`,
      ports.split(',').map(portNumbers).join(','),
    ],
  },
  {
    pattern: /^limit: avg (?<rate>\S+) burst (?<burst>\d+)/,
    words: ({ rate = '', burst = '' }) => [
      '-m',
      'limit',
      '--limit',
      rate,
      ...(burst === '5' ? [] : ['--limit-burst', burst]),
    ],
  },
  {
    pattern: /^(?:ipvs|vproto (?<protocol>\d+)|vaddr (?<address>[^\s/]+)(?:\/\S+)?|vport (?<port>\d+))(?:\s|$)/,
    words: ({ protocol, address, port }) => [
      ...(protocol === undefined ? [] : ['-m', 'ipvs', '--vproto', protocol]),
      ...(address === undefined ? [] : ['--vaddr', address]),
      ...(port === undefined ? [] : ['--vport', port]),
    ],
  },
]

const TARGETS: readonly Spelling[] = [
  { target: /^DNAT$/, pattern: /^to:(?<to>\S+)/, words: ({ to = '' }) => ['--to-destination', to] },
  { target: /^SNAT$/, pattern: /^to:(?<to>\S+)/, words: ({ to = '' }) => ['--to-source', to] },
  {
    target: /^MARK$/,
    pattern: /^MARK (?<how>or|xor|and|set|xset) (?<mark>0x[0-9a-f]+(?:\/0x[0-9a-f]+)?)/,
    words: ({ how = '', mark = '' }) => markWords(how, mark),
  },
  {
    target: /^REJECT$/,
    pattern: /^reject-with (?<answer>\S+)/,
    words: ({ answer = '' }) => ['--reject-with', answer],
  },
  {
    target: /^REDIRECT$/,
    pattern: /^redir ports (?<ports>\S+)/,
    words: ({ ports = '' }) => ['--to-ports', portNumbers(ports)],
  },
  {
    target: /^LOG$/,
    pattern: /^LOG flags 0 level (?<level>\w+)(?: prefix ["`](?<prefix>[^"`]*?)["'])?$/,
    words: ({ level = '', prefix }) => [
      ...(prefix === undefined ? [] : ['--log-prefix', quoteText(prefix, 'save')]),
      ...(/^(?:4|warn(?:ing)?)$/.test(level) ? [] : ['--log-level', level]),
    ],
  },
  {
    target: /^MASQUERADE$/,
    pattern: /^masq ports: (?<ports>\S+)/,
    words: ({ ports = '' }) => ['--to-ports', ports],
  },
  {
    target: /^(?:MASQUERADE|SNAT|DNAT)$/,
    pattern: /^(?<word>random-fully|random|persistent)(?=\s|$)/,
    words: ({ word = '' }) => [`--${word}`],
  },
]

/** `MARK and 0xffffbfff` clears one bit, as `--set-xmark 0x0/0x4000` does. */
function markWords(how: string, mark: string): readonly string[] {
  if (how === 'set') return ['--set-xmark', `${mark}/0xffffffff`]
  if (how === 'xset') return ['--set-xmark', mark.includes('/') ? mark : `${mark}/0xffffffff`]
  if (how === 'or') return ['--set-xmark', `${mark}/${mark}`]
  if (how === 'xor') return ['--set-xmark', `${mark}/0x0`]
  return ['--set-xmark', `0x0/0x${(~Number(mark) >>> 0).toString(16)}`]
}

/** `dpt:!http`, `spts:1:1023`. */
function portWords(text: string): readonly string[] {
  const match = /^(?<side>[sd])pts?:(?<no>!?)(?<ports>\S+)$/.exec(text)
  const { side, no, ports = '' } = match?.groups ?? {}
  return side === undefined ? [] : [...not(no), `--${side}port`, portNumbers(ports)]
}

const FLAGS = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']

/** `SYN,RST` for `0x06`. */
function flagNames(text: string): string {
  if (!/^0x[0-9a-f]+$/i.test(text)) return text
  const names = FLAGS.filter((_, bit) => (Number(text) & (1 << bit)) !== 0)
  return names.length === 0 ? 'NONE' : names.join(',')
}

function takePiece(text: string, context: PieceContext): Piece {
  if (text.startsWith('/* ')) return takeComment(text)
  for (const { pattern, words, target } of TARGETS) {
    const match = target?.test(context.target) ? pattern.exec(text) : null
    if (match !== null)
      return { words: words(match.groups as Record<string, string>), isTarget: true, length: match[0].length }
  }
  for (const { pattern, words } of MATCHES) {
    const match = pattern.exec(text)
    if (match !== null && match[0] !== '')
      return { words: words(match.groups as Record<string, string>), isTarget: false, length: match[0].length }
  }
  return takeUnknown(text, context)
}

/** A comment may hold its own end: of a row with one comment it is the last. */
function takeComment(text: string): Piece {
  const last = text.lastIndexOf(' */')
  const end = text.indexOf('/* ', 1) < 0 ? last : text.indexOf(' */')
  const length = end < 0 ? text.length : end + 3
  const comment = text.slice(3, end < 0 ? text.length : Math.max(3, end))
  return { words: ['-m', 'comment', '--comment', quoteText(comment, 'save')], isTarget: false, length }
}

/** What a target of others is given is the last of a row; what of matches nobody knows goes on to its end, too. */
function takeUnknown(text: string, { target }: PieceContext): Piece {
  const isTarget = OTHER_TARGETS.test(target) || text.startsWith(`${target} `)
  const words = wordsOf(text)
  return { words: isTarget ? words : ['-m', 'listed', ...words], isTarget, length: text.length }
}

/** Targets whose words in a listing are of no use elsewhere. */
const OTHER_TARGETS =
  /^(?:LOG|NFLOG|CT|CONNMARK|TCPMSS|CHECKSUM|TPROXY|NETMAP|NFQUEUE|SET|TEE|CLASSIFY|TOS|DSCP|TTL|AUDIT|NOTRACK|TRACE|SYNPROXY|HMARK|CLUSTERIP)$/

/** The words, each of which may stand bare or between quotes: a dash in front would begin something else. */
function wordsOf(text: string): readonly string[] {
  const tokens = tokenize(text, 0, text.length)
  const words = tokens.ok ? tokens.words : (text.replaceAll('"', '').match(/\S+/g) ?? [])
  return words.map((word) => (/^(?:!$|-)/.test(word) ? `"${word.replaceAll('"', '')}"` : word))
}
