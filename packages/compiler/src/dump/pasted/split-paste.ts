import type { IpFamily } from '@kube-rules/types'
import { languageNames } from '../../dataplane/language-of.js'
import type { LanguageName } from '../../dataplane/languages.js'
import { liveLanguageOf } from '../../dataplane/live-language-of.js'
import type { Asked, GoesOn, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { cleanLine, isCutLine, isElision, isFence } from './clean-line.js'
import { isOtherCommand, readCommand } from './command-line.js'

/** The lines of one paste or several, by language. */
export interface SplitPaste {
  readonly lines: Readonly<Record<LanguageName, readonly PastedLine[]>>
  /** What no tool prints: words of the poster. */
  readonly strange: readonly PastedLine[]
}

/** Where a reader of one text is. */
interface Cursor {
  readonly lines: Record<LanguageName, PastedLine[]>
  readonly strange: PastedLine[]
  asked: Asked | undefined
  family: IpFamily | undefined
  open: { readonly name: LanguageName; readonly goesOn: GoesOn } | undefined
}

/** Asks the languages in turn whose each line is; one that goes on with what its language has begun is of that language. */
export function splitPaste(texts: readonly string[]): SplitPaste {
  const lines = Object.fromEntries(languageNames().map((name) => [name, [] as PastedLine[]])) as Cursor['lines']
  const strange: PastedLine[] = []
  for (const [text, source] of texts.entries()) {
    const cursor: Cursor = { lines, strange, asked: undefined, family: undefined, open: undefined }
    const written = source.split(/\r\n|\n|\r/)
    for (const [index, line] of written.entries()) takeLine(cursor, line, { text, line: index + 1 })
    closeAll(cursor, { text, line: written.length })
  }
  return { lines, strange }
}

type Place = Pick<PastedLine, 'text' | 'line'>

function takeLine(cursor: Cursor, written: string, place: Place): undefined {
  const { source, before } = cleanLine(written)
  const line: PastedLine = {
    ...place,
    kind: 'line',
    source,
    isCut: isCutLine(source),
    column: before + 1,
    written,
    asked: cursor.asked,
    family: cursor.family,
  }
  if (source === '') return blank(cursor, line)
  if (isFence(source)) return closeAll(cursor, place)
  if (isElision(source)) return leftOut(cursor, line)
  if (source.startsWith('#') && takeHeading(cursor, source)) return
  const asked = readCommand(source)
  if (asked !== undefined) return takeCommand(cursor, asked, line)
  const goesOn = cursor.open?.goesOn(source)
  const other = beginsOther(cursor, source)
  if (cursor.open !== undefined && goesOn !== undefined && other === undefined) {
    cursor.open = { name: cursor.open.name, goesOn }
    cursor.lines[cursor.open.name].push(line)
    return
  }
  if (other !== undefined) {
    cursor.open = other
    cursor.lines[other.name].push(line)
    return
  }
  if (isOtherCommand(source)) {
    closeAll(cursor, place)
    cursor.asked = undefined
    return
  }
  if (!source.startsWith('#')) cursor.strange.push(line)
}

/** The language, but for the one that is open, of which the line begins something. */
function beginsOther({ open, asked }: Cursor, source: string): Cursor['open'] {
  for (const name of languageNames()) {
    const goesOn = liveLanguageOf(name).pasted?.begins(source, asked)
    if (goesOn !== undefined)
      return name === open?.name && open.goesOn(source) !== undefined ? undefined : { name, goesOn }
  }
  return undefined
}

function blank(cursor: Cursor, line: PastedLine): undefined {
  const { open } = cursor
  if (open === undefined) return
  const goesOn = open.goesOn('')
  cursor.lines[open.name].push({ ...line, kind: 'blank' })
  cursor.open = goesOn === undefined ? undefined : { name: open.name, goesOn }
}

/** Whoever comes after it lacks something, too. */
function leftOut({ lines, asked }: Cursor, line: PastedLine): undefined {
  for (const name of languageNames()) lines[name].push({ ...line, kind: 'gap', asked })
}

/** Whether a comment line is one that says something of what follows. */
function takeHeading(cursor: Cursor, source: string): boolean {
  for (const name of languageNames()) {
    const heading = liveLanguageOf(name).headingOf?.(source)
    if (heading === undefined) continue
    cursor.family = heading === 'unknown' ? undefined : heading
    return true
  }
  return /^#\s*Warning: ip6?tables-legacy tables present/.test(source)
}

/** What was printed before ends here. A command that adds a rule is a line of its own. */
function takeCommand(cursor: Cursor, asked: Asked, line: PastedLine): undefined {
  closeAll(cursor, line)
  cursor.asked = asked
  cursor.family = undefined
}

function closeAll(cursor: Cursor, place: Place): undefined {
  for (const name of languageNames()) {
    const last = cursor.lines[name].at(-1)
    if (last === undefined || last.kind === 'end') continue
    cursor.lines[name].push({
      ...place,
      kind: 'end',
      source: '',
      column: 1,
      written: '',
      asked: cursor.asked,
      family: cursor.family,
    })
  }
  cursor.open = undefined
  cursor.family = undefined
}
