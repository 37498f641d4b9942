import { checkList, checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import { checkComparison, checkSideNames } from '../arguments/check-results.js'
import { groupDifferences, type PacketChange } from './changes.js'
import type { Comparison } from './compare-sides.js'
import { formatExpectedDifferences, formatUncomparedDestinations, type SideNames } from './format-comparison.js'

/**
 * Prints comparisons for a pull request comment, one per address family: the number of changes, and a list item for
 * each change. Differences at one service port with the same old and new endpoints are one change. Unlike this
 * function, `printComparison` prints each difference.
 */
export function printComparisonMarkdown(comparisons: readonly Comparison[], names: SideNames): string {
  checkList('comparisons', comparisons, 'a list of comparisons').forEach((comparison) => {
    checkComparison('comparisons', comparison)
  })
  checkSideNames('names', names)
  const changes = comparisons.flatMap(({ differences }) => groupDifferences(differences))
  const undetermined = comparisons.flatMap(({ inconclusive }) => groupDifferences(inconclusive))
  const lines = [
    summaryLine(comparisons, changes.length, undetermined.length, names),
    ...listed(changes, ''),
    ...listed(undetermined, 'undetermined: '),
    ...comparisons
      .flatMap((each) =>
        [formatExpectedDifferences(each, names) ?? [], formatUncomparedDestinations(each) ?? []].flat(),
      )
      .map((text) => `- ${escapeMarkdown(text)}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function summaryLine(comparisons: readonly Comparison[], changes: number, unknown: number, [a, b]: SideNames): string {
  const classes = comparisons.reduce((sum, each) => sum + each.classes, 0)
  const inAll = `in ${classes} classes of packets`
  if (comparisons.every(({ equal }) => equal)) return `no difference ${inAll}`
  const isExpected = comparisons.some(({ expected }) => expected !== undefined)
  const isWhole = comparisons.every(({ notCompared }) => notCompared === undefined)
  if (changes + unknown === 0 && isExpected && isWhole) return `no unexpected difference ${inAll}`
  const counted = `${changes} ${changes === 1 ? 'change' : 'changes'}${unknown === 0 ? '' : `, ${unknown} undetermined`}`
  return `**${counted}** from ${escapeMarkdown(a)} to ${escapeMarkdown(b)} ${inAll}`
}

/** Maximum number of listed changes. The size of a pull request comment is limited. */
const MOST_CHANGES = 100

function listed(changes: readonly PacketChange[], prefix: string): readonly string[] {
  const more = changes.length - MOST_CHANGES
  return [
    ...changes.slice(0, MOST_CHANGES).map((change) => item(prefix, change)),
    ...(more > 0 ? [`- … and ${more} more`] : []),
  ]
}

function item(prefix: string, { services, destinations, senders, a, b, causes }: PacketChange): string {
  const subject = services.length === 0 ? '' : `**${services.map(escapeMarkdown).join(', ')}**: `
  const because = causes.length === 0 ? '' : `; because ${causes.join('; ')}`
  return `- ${prefix}${subject}${escapeMarkdown(`${destinations}, ${senders}: ${a} → ${b}${because}`)}`
}

/** Escapes the characters that have a meaning in Markdown or HTML, so that a name in the text cannot change the format. */
export function escapeMarkdown(text: string): string {
  checkString('text', text, 'a text')
  return escapeControlCharacters(text).replace(/[\\`*_{}[\]<>#|!~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
