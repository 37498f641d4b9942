// Reads the descriptions of features, for the history of the rules and for the playground.

/** Returns the description of each feature in the text of features.ts. */
export function descriptionsOf(source) {
  const rows = source.matchAll(/^ {2}\/\*\*\n?((?: \*|[^/]|\/(?!\*))*?)\*\/\n {2}(\w+):/gm)
  return new Map(
    Array.from(rows, ([, text, name]) => [
      name,
      text
        .replace(/^ *\* ?/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    ]),
  )
}
