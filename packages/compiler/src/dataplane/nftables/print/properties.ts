import type { BaseChain, CounterValues, SetDefinition } from '../ast.js'
import { printUnknownWords } from '../parse/unknown-words.js'
import { formatCounterValue, printType, printWord, quoteText } from '../words.js'
import type { NftablesFormat } from './nftables-format.js'

// The properties of definitions. Commands and listings print the same properties, in different orders.

export function printComment(comment: string | undefined): readonly string[] {
  return comment === undefined ? [] : [`comment ${quoteText(comment)}`]
}

export function printFlags(flags: readonly string[] | undefined): readonly string[] {
  return flags === undefined ? [] : [`flags ${flags.map(printWord).join(',')}`]
}

export function printCounts({ packets, bytes }: CounterValues): string {
  return `packets ${formatCounterValue(packets)} bytes ${formatCounterValue(bytes)}`
}

/** Formats words that are separated by spaces, such as `ct helper`. */
export function printWordsOf(text: string): string {
  return text.split(' ').map(printWord).join(' ')
}

/** Formats a hook with its priority: `type filter hook input priority 0`. */
export function printHook({ type, hook, devices }: BaseChain, priority: string, { comma }: NftablesFormat): string {
  const words = [`type ${printWord(type)} hook ${printWord(hook)}`]
  const [first] = devices ?? []
  if (devices?.length === 1 && first !== undefined) words.push(`device ${quoteText(first)}`)
  else if (devices !== undefined) words.push(`devices = { ${devices.map(quoteText).join(comma)} }`)
  return [...words, `priority ${priority}`].join(' ')
}

/** Formats the properties of a set or map in the order of `names`, excluding the comment. */
export function printSetProperties(
  set: SetDefinition,
  { duration }: NftablesFormat,
  names: readonly (keyof SetDefinition)[],
): readonly string[] {
  const { key, data, flags, timeout, gcInterval, size, policy, autoMerge, counts } = set
  const types =
    key.kind === 'type' ? `type ${key.types.map(printType).join(' . ')}` : `typeof ${printUnknownWords(key.words)}`
  const properties: Partial<Record<keyof SetDefinition, readonly string[]>> = {
    key: [
      data === undefined ? types : `${types} : ${data.map((part) => printUnknownWords(part.split(' '))).join(' . ')}`,
    ],
    flags: printFlags(flags),
    timeout: timeout === undefined ? [] : [`timeout ${duration(timeout)}`],
    gcInterval: gcInterval === undefined ? [] : [`gc-interval ${duration(gcInterval)}`],
    size: size === undefined ? [] : [`size ${formatCounterValue(size)}`],
    policy: policy === undefined ? [] : [`policy ${printWord(policy)}`],
    autoMerge: autoMerge ? ['auto-merge'] : [],
    counts: counts ? ['counter'] : [],
  }
  return names.flatMap((name) => properties[name] ?? [])
}
