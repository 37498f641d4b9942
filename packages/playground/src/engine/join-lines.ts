import type { TextLine } from '@kube-rules/application/print'
import type { TextWithOwners } from './results.js'

type OwnedLine = Pick<TextLine, 'text' | 'servicePort'>

/** Lines joined to one text, which `joinLines` reuses for the next version of the lines. */
export interface JoinedLines extends TextWithOwners {
  readonly lines: readonly OwnedLine[]
  readonly names: readonly string[]
  /** The start of each line in the text, followed by the length of the text. */
  readonly starts: Uint32Array
}

const NO_LINES: JoinedLines = { text: '', owners: new Uint16Array(), lines: [], names: [], starts: new Uint32Array(1) }

/**
 * Joins the lines to one text. The result also has the service port number of each line: its position in `names`, from
 * 1. Reuses the earlier text for lines that are the same objects: 1,000 Services have very many lines.
 */
export function joinLines(
  lines: readonly OwnedLine[],
  names: readonly string[],
  earlier: JoinedLines = NO_LINES,
): JoinedLines {
  const isNumberedAlike = names.length === earlier.names.length && names.every((name, at) => name === earlier.names[at])
  const known = isNumberedAlike ? earlier : NO_LINES
  const numbers = new Map(names.map((name, index) => [name, index + 1]))
  const owners = new Uint16Array(lines.length)
  const starts = new Uint32Array(lines.length + 1)
  let text = ''
  for (const { before, after, length } of findSharedRuns(known.lines, lines)) {
    if (before === undefined) {
      let end = text.length
      const texts = lines.slice(after, after + length).map(({ text: line, servicePort }, index) => {
        end += line.length + 1
        starts[after + index + 1] = end
        owners[after + index] = numbers.get(servicePort) ?? 0
        return `${line}\n`
      })
      text += texts.join('')
    } else {
      owners.set(known.owners.subarray(before, before + length), after)
      const shift = text.length - (known.starts[before] ?? 0)
      for (let index = 1; index <= length; index++) starts[after + index] = (known.starts[before + index] ?? 0) + shift
      text += known.text.slice(known.starts[before], known.starts[before + length])
    }
  }
  return { text, owners, lines, names, starts }
}

/**
 * A run of consecutive lines. If `before` is given, the lines are also consecutive in the earlier text; otherwise, they
 * are new.
 */
interface Run {
  readonly before?: number | undefined
  readonly after: number
  readonly length: number
}

/** The number of lines that an edit typically adds or removes at one place. After larger edits, less text is reused. */
const MOST_AHEAD = 32

/** Finds the runs of identical items in two lists, and the runs of new items between them. */
function findSharedRuns(old: readonly unknown[], lines: readonly unknown[]): readonly Run[] {
  const runs: Run[] = []
  let [before, after] = [0, 0]
  while (after < lines.length) {
    const length = lengthOfShared(old, before, lines, after)
    if (length > 0) runs.push({ before, after, length })
    before += length
    after += length
    const { removed, added } = findNextShared(old, before, lines, after)
    if (added > 0) runs.push({ after, length: added })
    before += removed
    after += added
  }
  return runs
}

function lengthOfShared(old: readonly unknown[], before: number, lines: readonly unknown[], after: number): number {
  const most = Math.min(old.length - before, lines.length - after)
  let length = 0
  while (length < most && old[before + length] === lines[after + length]) length++
  return length
}

/** Returns the numbers of removed and added items before the next identical items. */
function findNextShared(old: readonly unknown[], before: number, lines: readonly unknown[], after: number) {
  const [mostRemoved, mostAdded] = [
    Math.min(MOST_AHEAD, old.length - before),
    Math.min(MOST_AHEAD, lines.length - after),
  ]
  for (let added = 0; added < mostAdded; added++) {
    for (let removed = 0; removed < mostRemoved; removed++) {
      if (old[before + removed] === lines[after + added]) return { removed, added }
    }
  }
  return { removed: mostRemoved, added: mostAdded }
}
