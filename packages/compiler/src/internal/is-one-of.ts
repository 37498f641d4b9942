/** Reports whether a list of strings contains a string. */
export function isOneOf<Text extends string>(texts: ReadonlySet<Text> | readonly Text[], text: string): text is Text {
  const known: ReadonlySet<string> | readonly string[] = texts
  return 'has' in known ? known.has(text) : known.includes(text)
}
