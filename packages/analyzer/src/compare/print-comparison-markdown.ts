import { checkOptions, checkStrings } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkComparisons, checkSideNames } from '../arguments/check-results.js'
import { groupDifferences, type PacketChange } from './changes.js'
import type { Comparison } from './comparison.js'
import { formatExpectedDifferences, formatUncomparedDestinations, type SideNames } from './format-comparison.js'
import { formatCodeSpan, limitItems, shortenName } from './markdown.js'

/** Lines to add to the Markdown of a comparison. */
export interface MarkdownOptions {
  /** Warnings that the change adds, most important first. They are listed before the changes. */
  readonly warnings?: readonly string[] | undefined
  /** Items for the end of the list, in Markdown, without the `- ` at the beginning. */
  readonly notes?: readonly string[] | undefined
}

/** GitHub rejects comments of more than 65,536 characters. */
const LONGEST_COMMENT = 60_000
const LONGEST_WARNINGS = 20_000
const LONGEST_NOTES = 10_000
const MAX_WARNINGS = 50
const MAX_CHANGES = 100
const MAX_NOTES = 20

/**
 * Prints comparisons for a pull request comment, one per address family: the number of changes, and a list item for
 * each change. Differences at one service port with the same old and new endpoints are one change. Changes that take
 * over an address come first. The text has at most 60,000 characters, and names and addresses are in code spans. Unlike
 * this function, `printComparison` prints each difference.
 */
export function printComparisonMarkdown(
  comparisons: readonly Comparison[],
  names: SideNames,
  options: MarkdownOptions = {},
): string {
  checkComparisons('comparisons', comparisons)
  checkSideNames('names', names)
  const { warnings = [], notes = [] } = checkMarkdownOptions(options)
  const changes = comparisons.flatMap(({ differences }) => groupDifferences(differences))
  const undetermined = comparisons.flatMap(({ inconclusive }) => groupDifferences(inconclusive))
  const contested = comparisons.flatMap((each) => groupDifferences(each.contested ?? []))
  const counts = { changes: changes.length, undetermined: undetermined.length, contested: contested.length }
  const first = summaryLine(comparisons, counts, names)
  const warned = warnings.map((text) => `- warning: ${formatCodeSpan(text)}`)
  const before = [first, ...limitItems(warned, LONGEST_WARNINGS, MAX_WARNINGS)]
  const noted = [...notesOf(comparisons, names), ...notes].map((text) => `- ${text}`)
  const after = limitItems(noted, LONGEST_NOTES, MAX_NOTES)
  const items = [
    ...takeoversFirst(changes).map((change) => formatItem('', change)),
    ...undetermined.map((change) => formatItem('undetermined: ', change)),
    ...contested.map((change) => formatItem(`contested in ${names.map(formatCodeSpan).join(' and ')}: `, change)),
  ]
  const room = LONGEST_COMMENT - toText([...before, ...after]).length
  return toText([...before, ...limitItems(items, room, MAX_CHANGES), ...after])
}

function checkMarkdownOptions(options: MarkdownOptions): MarkdownOptions {
  const fields = checkOptions<MarkdownOptions>(options, { warnings: 'other', notes: 'other' })
  for (const name of ['warnings', 'notes'])
    if (fields[name] !== undefined) checkStrings('options', fields[name], 'a list of texts', name)
  return options
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** Orders the changes of all families: takeovers first. Within a family, they have this order already. */
function takeoversFirst(changes: readonly PacketChange[]): readonly PacketChange[] {
  return [...changes].sort((a, b) => a.rank - b.rank)
}

/** The numbers of list items of each kind. */
interface ItemCounts {
  readonly changes: number
  readonly undetermined: number
  readonly contested: number
}

function summaryLine(
  comparisons: readonly Comparison[],
  { changes, undetermined, contested }: ItemCounts,
  names: SideNames,
): string {
  const classes = comparisons.reduce((sum, each) => sum + each.classes, 0)
  const inAll = `in ${classes} classes of packets`
  if (comparisons.every(({ equal }) => equal)) return `no difference ${inAll}`
  const isExpected = comparisons.some(({ expected }) => expected !== undefined)
  const isWhole = comparisons.every(({ notCompared }) => notCompared === undefined)
  const [a, b] = names.map(formatCodeSpan)
  const ofContested = contested === 0 ? '' : `, ${contested} contested in ${a} and ${b}`
  if (changes + undetermined === 0 && isExpected && isWhole) return `no unexpected difference${ofContested} ${inAll}`
  const ofUnknown = undetermined === 0 ? '' : `, ${undetermined} undetermined`
  const counted = `${changes} ${changes === 1 ? 'change' : 'changes'}${ofUnknown}`
  return `**${counted}** from ${a} to ${b}${ofContested} ${inAll}`
}

function notesOf(comparisons: readonly Comparison[], [a, b]: SideNames): readonly string[] {
  const names = [formatCodeSpan(a), formatCodeSpan(b)] as const
  return comparisons.flatMap((each) => {
    const uncompared = formatUncomparedDestinations(each)
    return [
      formatExpectedDifferences(each, names) ?? [],
      uncompared === undefined ? [] : formatCodeSpan(uncompared),
    ].flat()
  })
}

/** Maximum number of listed service ports of one change. */
const MAX_SERVICES = 12

function formatItem(prefix: string, { services, destinations, senders, a, b, causes }: PacketChange): string {
  const listed = services.slice(0, MAX_SERVICES).map((service) => formatCodeSpan(shortenName(service)))
  const more = services.length > listed.length ? ` and ${services.length - listed.length} more` : ''
  const subject = services.length === 0 ? '' : `**${listed.join(', ')}${more}**: `
  const packets = `${destinations.map(formatCodeSpan).join(', ')}, ${formatCodeSpan(senders)}`
  const because = causes.length === 0 ? '' : `; because ${causes.map(formatCodeSpan).join('; ')}`
  const outcome = a === b ? formatCodeSpan(a) : `${formatCodeSpan(a)} → ${formatCodeSpan(b)}`
  return `- ${prefix}${subject}${packets}: ${outcome}${because}`
}
