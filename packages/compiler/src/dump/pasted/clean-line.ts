/** A line as a tool would have printed it, and how many characters of the written one stand before it. */
export interface CleanLine {
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

const ESCAPE = String.fromCharCode(27)
const BELL = String.fromCharCode(7)

/** Colours and other orders to a terminal. */
const ESCAPES = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][0-9A-Za-z]|[=>])`,
  'g',
)

/** What cannot be seen, and carriage returns. */
const UNSEEN = /[^\P{Cc}\t]|[\p{Cf}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu

/**
 * A line without what pages, terminals and mail put into it: colours, entities of HTML, blanks that do not break, quotation
 * marks of a typesetter, marks of a quotation or a difference, and numbers of lines before it.
 */
export function cleanLine(written: string): CleanLine {
  const plain = (written.includes(ESCAPE) ? written.replace(ESCAPES, '') : written)
    .replace(UNSEEN, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/(^|\s)[\u2013\u2014](?=[A-Za-z\u2013\u2014-])/g, '$1-')
  const text = plain.includes('&') ? plain.replace(/&(?:[a-z]+|#x?[0-9a-f]+);|&gt/gi, entityText) : plain
  const [ahead = ''] = PREFIX.exec(text) ?? []
  const rest = text.slice(ahead.length)
  const source = withoutRemark(rest)
    .trimEnd()
    .replace(/^`{1,2}(?=[-*:[A-Za-z])|(?<!`)`{1,2}$/g, '')
  return { source, before: ahead.length + Math.max(0, rest.trimEnd().indexOf(source)) }
}

/** A remark behind a rule, which no tool prints there; within quotes it is text. */
function withoutRemark(line: string): string {
  if (!/^(?:\[\d+:\d+\]|-[A-Z] |:[A-Z]|Chain |[A-Z-]+\s+(?:all|tcp|udp|sctp)\s)/.test(line)) return line
  const [remark] = /\s(?:<[-=]{2,}|\u2190|\u21d0|#\s|\/\/\s|\/{2,}\s)[^"]*$/.exec(line) ?? []
  if (remark === undefined) return line
  const before = line.slice(0, -remark.length)
  return (before.split('"').length - 1) % 2 === 0 ? before : line
}

function entityText(entity: string): string {
  return ENTITIES[entity.toLowerCase()] ?? entity
}

/** Blanks; `> ` of a quotation; `+` or `-` of a difference; `12:` of a numbered text. */
const PREFIX =
  /^\s*(?:(?:>\s+)+(?=\S)|[|\u2502]\s+)?(?:\d{1,6}[:|)]\s*(?=-A |:[A-Z]|\*[a-z]|-[NP] ))?(?:[+-] ?(?=-A |:KUBE))?\s*/

/** `...`, `[...]`, `<snip>`, `(truncated)`, `-- more --`: somebody has left lines out here. */
export function isElision(source: string): boolean {
  const bare = source.replace(/^(?:#|\/\/|;)+\s*/, '').trim()
  return (
    /^[[({<"]*\s*(?:\.{2,}|\u2026+|(?:\. ){2,}\.?)\s*[\])}>"]*$/.test(bare) ||
    /^[[({<.\s\u2026*-]*(?:snip|snipped|snippet|cut|skip|skipped|omitted|truncated|output (?:omitted|truncated|cut)|(?:many |some )?(?:more|other)(?: (?:rules|lines|entries|chains|services))?(?: omitted| skipped)?|etc|more)[\])}>.\s\u2026*-]*$/i.test(
      bare,
    ) ||
    /^[[({<]*(?:\.{2,}|\u2026)\s*[^"]{0,60}$/.test(bare) ||
    /^\W*\d+ (?:more |other )?(?:lines|rules|chains|entries|services)\b[^"]{0,30}$/i.test(bare) ||
    bare === '--' ||
    /^(?:lines \d+-\d+|--More--|:$)/.test(bare)
  )
}

/** Whether a line ends in the middle, with a mark that says so. */
export function isCutLine(source: string): boolean {
  return /[^.](?:\.{3,}|\u2026)$/.test(source)
}

/** A fence of Markdown, or what pages put around code. */
export function isFence(source: string): boolean {
  return (
    /^(?:```|~~~)\s*[\w+-]*\s*$/.test(source) ||
    /^<\/?(?:pre|code|details|summary|p|br|div)\b[^>]*>\s*(?:<\/?\w+[^>]*>)*$/i.test(source)
  )
}
