/** The words of docs/reference/rule-words.md with their meanings, by the heading of their table. */
export type RuleWordMeanings = Readonly<Record<string, readonly (readonly [word: string, meaning: string])[]>>

/** A word of a line, and its meaning. */
export interface FoundWord {
  readonly from: number
  readonly to: number
  readonly meaning: string
}

/** Finds the longest word with a meaning at a column of a line. Undefined if there is no such word at this column. */
export function findRuleWord(
  line: string,
  column: number,
  language: 'yaml' | 'rules',
  words: RuleWordMeanings,
): FoundWord | undefined {
  const matches = sectionsOf(line, language).flatMap((section) =>
    (words[section] ?? []).flatMap(([word, meaning]) => {
      const range = rangeAt(line, column, patternOf(word, language))
      return range === undefined ? [] : [{ ...range, meaning }]
    }),
  )
  return matches.sort((a, b) => b.to - b.from - (a.to - a.from))[0]
}

/** Returns the headings of the tables that apply to a line. */
function sectionsOf(line: string, language: 'yaml' | 'rules'): readonly string[] {
  if (language === 'yaml') return ['Fields of a Service']
  if (/^-[Aa] -[tuf] /.test(line)) return ['ipvsadm']
  if (/^(?:add|create|delete|destroy|flush) /.test(line)) return ['nftables']
  return ['iptables', 'Chains of kube-proxy']
}

/**
 * Builds the pattern of a word. `*` matches the rest of a name. In YAML, a colon must follow the word, because the word
 * is a key.
 */
function patternOf(word: string, language: 'yaml' | 'rules'): RegExp {
  const [name = '', rest] = word.split(/(?<=-)\*$/)
  const text = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (language === 'yaml') return new RegExp(`(?<![\\w"])"?${text}"?(?=\\s*:)`, 'g')
  return new RegExp(`(?<![^\\s:])${text}${rest === undefined ? '(?=\\s|$)' : '\\S+'}`, 'g')
}

function rangeAt(line: string, column: number, pattern: RegExp): Pick<FoundWord, 'from' | 'to'> | undefined {
  for (const { 0: text, index } of line.matchAll(pattern)) {
    if (index <= column && column <= index + text.length) return { from: index, to: index + text.length }
  }
  return undefined
}
