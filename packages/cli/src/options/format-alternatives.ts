/** Formats a list of alternatives: `ipset, ipvs or iptables`. */
export function formatAlternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
