/** A line in the form of tool output, with the number of preceding characters in the original line. */
export interface CleanedLine {
  readonly source: string
  readonly before: number
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&gt;': '>',
  '&lt;': '<',
  '&amp;': '&',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&apos;': "'",
  '&nbsp;': ' ',
  '&#160;': ' ',
  '&gt': '>',
}

/** The first words of rules and chain declarations. */
const BEGINNING = String.raw`(?:(?:\[\d+:\d+\] )?-A |:[A-Z]\S* |\*(?:nat|filter|mangle|raw)\s*$|-[NP] [A-Z]|COMMIT\s*$)`

const ESCAPE = String.fromCharCode(27)
const BELL = String.fromCharCode(7)

/** Colors and other terminal control sequences. */
const ESCAPES = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][0-9A-Za-z]|[=>])`,
  'g',
)

/** Invisible characters, and carriage returns. */
const UNSEEN = /[^\P{Cc}\t]|[\p{Cf}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu

/**
 * Removes decoration by web pages, terminals and mail from a line: colors, HTML entities, non-breaking spaces,
 * typographic quotation marks, quotation and diff markers, and line numbers.
 */
export function cleanLine(written: string): CleanedLine {
  if (PLAIN.test(written)) return { source: written, before: 0 }
  const plain = withDashes(written.includes(ESCAPE) ? written.replace(ESCAPES, '') : written)
    .replace(TAGS, '')
    .replace(UNSEEN, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
  if (/^\s*(?:>\s*)+$/.test(plain)) return { source: '', before: 0 }
  const text = plain.includes('&') ? plain.replace(/&(?:[a-z]+|#x?[0-9a-f]+);|&gt/gi, entityText) : plain
  const rest = text.replace(PREFIX, '')
  const source = withoutRemark(rest)
    .trimEnd()
    .replace(/^(`{1,2}-A .*`)\s*\|$/, '$1')
    .replace(/^`{1,2}(?=[-*:[A-Za-z])|(?<!`)`{1,2}$/g, '')
  return { source, before: text.length - rest.length + Math.max(0, rest.trimEnd().indexOf(source)) }
}

/** Matches lines of iptables-save and ipvsadm without any decoration. Nearly all lines of large dumps are like this. */
const PLAIN = /^(?:-[A-Za-z] |:)(?:[\w.,:"!%[\] -]|(?<! )\/)*(?<! )$/

/** Tags for code in web pages. */
const TAGS =
  /<\/?(?:a|b|blockquote|br|code|div|em|i|kbd|li|ol|p|pre|samp|span|strong|summary|td|th|tr|tt|ul)(?:\s[^<>]*)?\/?>/gi

/** Replaces typographic dashes. Within a rule, the two dashes before an option name may have become one. */
function withDashes(line: string): string {
  if (!/[\u2013\u2014]/.test(line)) return line
  const isRule = /^\W{0,12}(?:\d+:)?\W{0,12}A [A-Z]/.test(line)
  return line.replace(
    /(^|\s)[\u2013\u2014](?=[A-Za-z\u2013\u2014-])(?=(\w{2})?)/g,
    (_, before: string, name?: string) => (isRule && name !== undefined ? `${before}--` : `${before}-`),
  )
}

/** Removes a remark after a rule, where no tool prints text. Text within quotes is part of the rule. */
function withoutRemark(line: string): string {
  if (!/^(?:\[\d+:\d+\]|-[A-Z] |:[A-Z]|Chain |[A-Z-]+\s+(?:all|tcp|udp|sctp)\s)/.test(line)) return line
  const target = /^(?:\[\d+:\d+\]\s*)?-[AI] /.test(line) ? line.search(/\s-[jg] \S/) : -1
  // No word after the target of a rule begins with one of these characters.
  const pattern = target < 0 ? REMARK : REMARK_AFTER_TARGET
  let quotes = 0
  let isInComment = false
  let scanned = 0
  for (const { index } of line.matchAll(pattern)) {
    const passed = line.slice(scanned, index)
    quotes += passed.split('"').length - 1
    isInComment = isInListedComment(line, passed, isInComment)
    scanned = index
    if (quotes % 2 === 0 && index > target && !isInComment) return line.slice(0, index)
  }
  return line
}

const REMARK = /\s(?:<[-=]{2,}|\u2190|\u21d0|#\s|\/{2,}\s)/g
const REMARK_AFTER_TARGET = /\s(?:<[-=]+|[\u2190\u21d0#;(\uff08\uff1b]|\/{2,}|=>)/g

/** Reports whether the end of `passed`, a part of a row of a listing, is between the marks of a comment. */
function isInListedComment(line: string, passed: string, wasInComment: boolean): boolean {
  if (line.startsWith('-')) return false
  const [begin, end] = [passed.lastIndexOf('/*'), passed.lastIndexOf('*/')]
  return begin === end ? wasInComment : begin > end
}

function entityText(entity: string): string {
  return ENTITIES[entity.toLowerCase()] ?? entity
}

/**
 * Matches prefixes of a line: spaces, `> ` of a quotation (without the space only before words of iptables-save), the
 * time of a log, the line number `12:` or the file name `node-1:` of a search, `+` or `-` of a diff, list markers, and
 * arrows.
 */
const PREFIX = new RegExp(
  [
    String.raw`^\s*(?:(?:>\s*)+(?=${BEGINNING})|(?:>\s+)+(?=\S)|[|\u2502]\s+)?`,
    String.raw`(?:(?:\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?|[A-Z][a-z]{2} [ \d]\d [\d:]{8}|[IWE]\d{4} [\d:.]+\s+\d+)\s+(?:std(?:out|err)\s+[FP]\s+|[\w.-]+ [\w.-]+\[\d+\]:\s+|[\w.-]+:\d+\]\s+)?\s*(?=${BEGINNING}))?`,
    String.raw`(?:(?![A-Z]+:)[\w./-]{1,60}:\s?(?=(?:\d+[:-])?${BEGINNING}))?`,
    String.raw`(?:\d{1,6}[:|)-]\s*(?=${BEGINNING}))?`,
    '(?:[+-] ?(?=-A |:KUBE))?',
    String.raw`(?:(?:[-*\u2022]|\d+[.)])\s+(?=\`{0,2}(?:-A |:[A-Z])))?`,
    String.raw`(?:[^\w\s"'\`:*#[-][^\w"'\`:*#[-]*(?=\`{0,2}-A [A-Z]))?\s*`,
  ].join(''),
)

/** Reports whether a line marks an omission: `...`, `[...]`, `<snip>`, `(truncated)`, `-- more --`. */
export function isOmissionMarker(source: string): boolean {
  const bare = source.replace(/^(?:#|\/\/|;)+\s*/, '').trim()
  return (
    /^[[({<"]*\s*(?:\.+$|\.{2,}|\u2026+|(?:\. ){2,}\.?)\s*[\])}>"]*$/.test(bare) ||
    /^[[({<.\s\u2026*-]*(?:snip|snipped|snippet|cut|skip|skipped|omitted|truncated|output (?:omitted|truncated|cut)|(?:many |some )?(?:more|other)(?: (?:rules|lines|entries|chains|services))?(?: omitted| skipped)?|etc|more)[\])}>.\s\u2026*-]*$/i.test(
      bare,
    ) ||
    /^[[({<]*(?:\.{2,}|\u2026)\s*[^"]{0,60}$/.test(bare) ||
    /^\W*\d+ (?:more |other )?(?:lines|rules|chains|entries|services)\b[^"]{0,30}$/i.test(bare) ||
    bare === '--' ||
    /^(?:lines \d+-\d+|--More--|:$)/.test(bare)
  )
}

/** Reports whether a line is truncated with a marker. */
export function isTruncatedLine(source: string): boolean {
  return /[^.](?:\.{3,}|\u2026)$/.test(source)
}

/** Reports whether a line is a Markdown fence, or a web page tag around code. */
export function isMarkdownFence(source: string): boolean {
  return (
    /^(?:```|~~~)\s*[\w+-]*$/.test(source.trimEnd()) ||
    /^<\/?(?:pre|code|details|summary|p|br|div)\b[^>]*>\s*(?:<\/?\w[^>]*>)*$/i.test(source)
  )
}
