import {
  destinationPortMatchParser,
  sourcePortMatchParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { peekWord, type WordCursor } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { findMatchParserByOption } from './find-match.js'

/** The long options of iptables itself that do not start a match. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(['--jump', '--goto', '--match', '--set-counters'])

/** Reports whether an option is `--sport`, `--dport` or an alias, of TCP, UDP, SCTP or another module. */
export function isPortOption(option: string): boolean {
  const definition: unknown = findMatchParserByOption(option)
  return definition === sourcePortMatchParser || definition === destinationPortMatchParser
}

/** Reports whether this option starts a new match or target, and so does not belong to the previous one. */
function endsExtensionOptions(option: string, portsBelongToTransport: boolean): boolean {
  if (isPortOption(option)) return portsBelongToTransport
  return /^-[a-z]$/i.test(option) || OWN_OPTIONS.has(option) || findMatchParserByOption(option) !== undefined
}

/** Reports whether the next option belongs to the last module or target. */
export function startsExtensionOption(words: WordCursor, portsBelongToTransport: boolean): boolean {
  const word = words.raw[words.raw[words.at] === '!' ? words.at + 1 : words.at]
  return word?.startsWith('--') === true && !endsExtensionOptions(word, portsBelongToTransport)
}

/** Skips arguments up to the next option. With `withOptions`, also skips the options of the same module or target. */
export function skipExtensionWords(words: WordCursor, withOptions: boolean, portsBelongToTransport: boolean): void {
  for (let word = peekWord(words); word !== undefined; word = peekWord(words)) {
    const option = word === '!' ? (words.raw[words.at + 1] ?? '') : word
    const isOption = word === '!' || option.startsWith('-')
    if (isOption && (!withOptions || endsExtensionOptions(option, portsBelongToTransport))) return
    words.at++
  }
}
