/**
 * Returns the text without the number in the Service name `evil1` or `evil2`, for a hash function under which the
 * chains of the service ports of both Services have the same names. The names of endpoint chains do not change.
 */
export function withoutNumber(text: string): string {
  return /^[a-z0-9-]+\/evil[12]:[a-z]+(?:tcp|udp|sctp)$/.test(text) ? text.replace(/evil[12]/, 'evil') : text
}

/** Replaces the hashes of chain names in the module `internal/hash`. */
export function withCollidingHashes<Module extends { readonly createPrefixedHash: HashFactory }>(
  original: Module,
): Module {
  return {
    ...original,
    createPrefixedHash: (prefix: string, count: number) => {
      const hash = original.createPrefixedHash(prefix, count)
      return (text: string) => hash(withoutNumber(text))
    },
  }
}

type HashFactory = (prefix: string, count: number) => (text: string) => string
