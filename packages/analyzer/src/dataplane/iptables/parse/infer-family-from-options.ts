import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

const ADDRESS_OPTIONS: ReadonlySet<string> = new Set([
  ...['-s', '-d', '--source', '--destination', '--to-destination', '--to-source', '--mask'],
])

/** Returns the family of the first address or set in a rule; undefined if it contains neither. */
export function inferFamilyFromOptions(words: readonly string[]): IpFamily | undefined {
  for (const [index, word] of words.entries()) {
    const value = ADDRESS_OPTIONS.has(word) ? words[index + 1] : undefined
    const family = value === undefined ? familyOfSet(word, words[index + 1]) : familyOfWord(value)
    if (family !== undefined) return family
  }
  return undefined
}

/** Returns IPv6 for a lookup in a set of IPv6 in ipvs mode: `--match-set KUBE-6-CLUSTER-IP`. */
function familyOfSet(option: string, name: string | undefined): IpFamily | undefined {
  return option === '--match-set' && name?.startsWith('KUBE-6-') === true ? 'IPv6' : undefined
}

/** Returns the family of `10.0.0.0/8`, `fd00::1`, `10.0.0.1:80` or `[fd00::1]:80`. */
function familyOfWord(word: string): IpFamily | undefined {
  const [, bracketed, plain = ''] = /^(?:\[([^\]/]*)\]|([^/]*))/.exec(word) ?? []
  return parseIp(bracketed ?? plain)?.family ?? parseIp(plain.replace(/:.*/s, ''))?.family
}
