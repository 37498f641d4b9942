import { matchOfOption } from '@kube-rules/compiler/internal/dataplane/iptables/matches/matches'
import { destinationPort, sourcePort } from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { peekWord, type Words } from '@kube-rules/compiler/internal/dataplane/iptables/words'

/** The long options of iptables itself that begin no match. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(['--jump', '--goto', '--match', '--set-counters'])

/** Whether an option is `--sport`, `--dport` or an alias: those of TCP, UDP and SCTP, or of another module. */
export function isPortOption(option: string): boolean {
  const language: unknown = matchOfOption(option)
  return language === sourcePort || language === destinationPort
}

/** Whether something else begins with this option, so that it belongs to no module or target before it. */
export function startsPiece(option: string, portsBelongToTransport: boolean): boolean {
  if (isPortOption(option)) return portsBelongToTransport
  return /^-[a-z]$/i.test(option) || OWN_OPTIONS.has(option) || matchOfOption(option) !== undefined
}

/** Whether an option follows that belongs to the module or target read last. */
export function isAtExtensionOption(words: Words, portsBelongToTransport: boolean): boolean {
  const word = words.raw[words.raw[words.at] === '!' ? words.at + 1 : words.at]
  return word?.startsWith('--') === true && !startsPiece(word, portsBelongToTransport)
}

/** Moves over arguments, and `withOptions` also over further options, up to where something else begins. */
export function skipExtensionWords(words: Words, withOptions: boolean, portsBelongToTransport: boolean): void {
  for (let word = peekWord(words); word !== undefined; word = peekWord(words)) {
    const option = word === '!' ? (words.raw[words.at + 1] ?? '') : word
    const isOption = word === '!' || option.startsWith('-')
    if (isOption && (!withOptions || startsPiece(option, portsBelongToTransport))) return
    words.at++
  }
}
