import { quoteText } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { resolvePortNames } from '../../netfilter/port-names.js'

/** A pattern for one match, or for the options of a target, in a listing, and its conversion. */
export interface ListingPattern {
  readonly pattern: RegExp
  readonly words: (groups: Readonly<Record<string, string | undefined>>) => readonly string[]
  /** Matches the targets with these options; absent for the pattern of a match. */
  readonly target?: RegExp
}

/** Splits a text into words. A value is one word, several words, or none if it is undefined. */
function words(
  texts: TemplateStringsArray,
  ...values: readonly (string | readonly string[] | undefined)[]
): readonly string[] {
  return texts.flatMap((text, index) => [...(text.match(/\S+/g) ?? []), ...[values[index] ?? []].flat()])
}

const not = (mark: string | undefined): readonly string[] => (mark === undefined || mark.trim() === '' ? [] : ['!'])

/** Returns the words of an option with a value; none if there is no value. */
function option(name: string, value: string | undefined, mark?: string): readonly string[] {
  return value === undefined ? [] : [...not(mark), name, value]
}

/** The patterns of matches in a listing; the first pattern that fits is used. */
export const MATCH_PATTERNS: readonly ListingPattern[] = [
  {
    pattern:
      /^(?<protocol>tcp|udp|sctp)(?=\s|$)(?<ports>(?:\s+[sd]pts?:!?[\w-]+(?::[\w-]+)?)*)(?:\s+flags:(?<no>!?)(?<mask>[\w,]+)\/(?<set>[\w,]+))?/,
    words: ({ protocol = '', ports = '', no, mask, set = '' }) => [
      ...words`-m ${protocol} ${ports.trim().split(/\s+/).flatMap(portWords)}`,
      ...(mask === undefined ? [] : words`${not(no)} --tcp-flags ${flagNames(mask)} ${flagNames(set)}`),
    ],
  },
  {
    pattern:
      /^ADDRTYPE match(?:\s+src-type (?<notSource>!?)(?<source>[A-Z,]+))?(?:\s+dst-type (?<notDestination>!?)(?<destination>[A-Z,]+))?/,
    words: ({ notSource, source, notDestination, destination }) =>
      words`-m addrtype ${option('--src-type', source, notSource)} ${option('--dst-type', destination, notDestination)}`,
  },
  {
    pattern: /^statistic mode random (?<no>! )?probability (?<probability>[\d.]+)/,
    words: ({ no, probability }) => words`-m statistic --mode random ${not(no)} --probability ${probability}`,
  },
  {
    pattern: /^statistic mode nth (?<no>! )?every (?<every>\d+)(?: packet (?<packet>\d+))?/,
    words: ({ no, every, packet = '0' }) =>
      words`-m statistic --mode nth ${not(no)} --every ${every} --packet ${packet}`,
  },
  {
    pattern: /^(?<kind>mark|connmark) match\s+(?<no>! ?)?(?<mark>0x[0-9a-f]+(?:\/0x[0-9a-f]+)?)/i,
    words: ({ kind, no, mark }) => words`-m ${kind?.toLowerCase()} ${not(no)} --mark ${mark}`,
  },
  {
    pattern: /^(?<no>! )?ctstate (?<states>[A-Z,]+)/,
    words: ({ no, states }) => words`-m conntrack ${not(no)} --ctstate ${states}`,
  },
  {
    pattern: /^(?<no>! )?state (?<states>[A-Z,]+)/,
    words: ({ no, states }) => words`-m state ${not(no)} --state ${states}`,
  },
  {
    pattern:
      /^(?<no>! )?recent: (?<action>SET|CHECK|UPDATE|REMOVE)(?: seconds: (?<seconds>\d+))?(?<reap> reap)?(?: hit_count: (?<hits>\d+))?(?: TTL-Match)?(?: name: (?<name>\S+))?(?: side: (?<side>source|dest))?(?: mask: (?<mask>\S+))?/,
    words: ({ no, action = '', seconds, reap, hits, name, side, mask }) => [
      ...words`-m recent ${not(no)} ${`--${action === 'CHECK' ? 'rcheck' : action.toLowerCase()}`}`,
      ...option('--seconds', seconds),
      ...(reap === undefined ? [] : ['--reap']),
      ...option('--hitcount', hits),
      ...option('--name', name),
      ...option('--mask', mask),
      ...(side === undefined ? [] : [side === 'source' ? '--rsource' : '--rdest']),
    ],
  },
  {
    pattern: /^(?<no>! )?match-set (?<name>\S+) (?<directions>(?:src|dst)(?:,(?:src|dst))*)/,
    words: ({ no, name, directions }) => words`-m set ${not(no)} --match-set ${name} ${directions}`,
  },
  {
    pattern: /^PHYSDEV match(?<options>(?: (?:! )?--physdev-(?:is-in|is-out|is-bridged|in \S+|out \S+))+)/,
    words: ({ options = '' }) => words`-m physdev ${options.trim().split(/\s+/)}`,
  },
  {
    pattern: /^nfacct-name\s+(?<name>\S+)/,
    words: ({ name }) => words`-m nfacct --nfacct-name ${name}`,
  },
  {
    pattern: /^(?<no>! )?multiport (?<no2>! ?)?(?<kind>s|d|)ports (?<no3>!)?(?<ports>[\w,:-]+)/,
    words: ({ no, no2, no3, kind = '', ports = '' }) =>
      words`-m multiport ${not([no, no2, no3].join(''))} ${`--${kind}ports`} ${ports.split(',').map(resolvePortNames).join(',')}`,
  },
  {
    pattern: /^limit: avg (?<rate>\S+) burst (?<burst>\d+)/,
    words: ({ rate, burst }) =>
      words`-m limit --limit ${rate} ${option('--limit-burst', burst === '5' ? undefined : burst)}`,
  },
  {
    pattern: /^(?:ipvs|vproto (?<protocol>\d+)|vaddr (?<address>[^\s/]+)(?:\/\S+)?|vport (?<port>\d+))(?:\s|$)/,
    words: ({ protocol, address, port }) => [
      ...(protocol === undefined ? [] : words`-m ipvs --vproto ${protocol}`),
      ...option('--vaddr', address),
      ...option('--vport', port),
    ],
  },
]

/** The patterns of target options. */
export const TARGET_PATTERNS: readonly ListingPattern[] = [
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
    words: ({ ports = '' }) => ['--to-ports', resolvePortNames(ports)],
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

/** Converts a mark. `MARK and 0xffffbfff` clears one bit, like `--set-xmark 0x0/0x4000`. */
function markWords(how: string, mark: string): readonly string[] {
  if (how === 'set') return ['--set-xmark', `${mark}/0xffffffff`]
  if (how === 'xset') return ['--set-xmark', mark.includes('/') ? mark : `${mark}/0xffffffff`]
  if (how === 'or') return ['--set-xmark', `${mark}/${mark}`]
  if (how === 'xor') return ['--set-xmark', `${mark}/0x0`]
  return ['--set-xmark', `0x0/0x${(~Number(mark) >>> 0).toString(16)}`]
}

/** Converts ports such as `dpt:!http` and `spts:1:1023`. */
function portWords(text: string): readonly string[] {
  const match = /(?<side>[sd])pts?:(?<no>!?)(?<ports>\S+)/.exec(text)
  const { side, no, ports = '' } = match?.groups ?? {}
  return side === undefined ? [] : [...not(no), `--${side}port`, resolvePortNames(ports)]
}

const FLAGS = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']

/** Converts TCP flags: `0x06` to `SYN,RST`. */
function flagNames(text: string): string {
  if (!/^0x[0-9a-f]+$/i.test(text)) return text
  const names = FLAGS.filter((_, bit) => (Number(text) & (1 << bit)) !== 0)
  return names.length === 0 ? 'NONE' : names.join(',')
}
