import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

const ADDRESS_OPTIONS: ReadonlySet<string> = new Set([
  ...['-s', '-d', '--source', '--destination', '--to-destination', '--to-source', '--mask'],
])

/** Returns the family of the first address in a rule; undefined if it contains no address. */
export function inferFamilyFromOptions(words: readonly string[]): IpFamily | undefined {
  for (const [index, word] of words.entries()) {
    const value = ADDRESS_OPTIONS.has(word) ? words[index + 1] : undefined
    const family = value === undefined ? undefined : familyOfWord(value)
    if (family !== undefined) return family
  }
  return undefined
}

/** Returns the family of `10.0.0.0/8`, `fd00::1`, `10.0.0.1:80` or `[fd00::1]:80`. */
function familyOfWord(word: string): IpFamily | undefined {
  const [, bracketed, plain = ''] = /^(?:\[([^\]/]*)\]|([^/]*))/.exec(word) ?? []
  return parseIp(bracketed ?? plain)?.family ?? parseIp(plain.replace(/:.*/s, ''))?.family
}
