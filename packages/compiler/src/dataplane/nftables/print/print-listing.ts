import type { BaseChain, Chain, Element, NamedObject, NamedSet, Table } from '../ast.js'
import { formatNftDuration } from '../duration.js'
import { keyTypesOf } from '../keys/key-types.js'
import { printWords } from '../parse/unknown-words.js'
import { formatNftPriority } from '../priority.js'
import type { NftVersion } from '../version.js'
import { formatCount, printName, printType, printWord, quoteText } from '../words.js'
import { NFT_FORMAT, type NftablesFormat } from './nftables-format.js'
import { printElement, printRule } from './statements.js'

/** Options of `printListing`. */
export interface ListingOptions {
  /** The version of nft. */
  readonly version: NftVersion
}

/**
 * Prints a table in the format of `nft list table`. If the table was parsed from such a listing, or returned by
 * `toListedForm`, the text is identical byte for byte. Throws for values without a text form.
 */
export function printListing(table: Table, options: ListingOptions): string {
  const { version } = options
  const head = [
    ...(table.comment === undefined ? [] : [`comment ${quoteText(table.comment)}`]),
    ...(table.flags === undefined ? [] : [`flags ${table.flags.map(printWord).join(',')}`]),
  ]
  const blocks = [
    ...table.objects.map(objectLines),
    ...table.sets.map((set) => setLines(set, NFT_FORMAT[version])),
    ...table.chains.map((chain) => chainLines(chain, table, version)),
  ]
  const lines = [`table ${table.family} ${printName(table.name)} {`, ...head.map((line) => `\t${line}`)]
  for (const [index, block] of blocks.entries()) {
    if (index > 0) lines.push('')
    for (const line of block) lines.push(line)
  }
  lines.push('}\n')
  return lines.join('\n')
}

/** Prints several tables like `nft list ruleset`. */
export function printListings(tables: readonly Table[], options: ListingOptions): string {
  return tables.map((table) => printListing(table, options)).join('')
}

function block(head: string, body: readonly string[]): readonly string[] {
  return [`\t${head} {`, ...body.map((line) => `\t\t${line}`), '\t}']
}

function objectLines(object: NamedObject): readonly string[] {
  if (object.kind === 'counter') {
    const comment = object.comment === undefined ? [] : [`comment ${quoteText(object.comment)}`]
    const counts = `packets ${formatCount(object.packets)} bytes ${formatCount(object.bytes)}`
    return block(`counter ${printName(object.name)}`, [...comment, counts])
  }
  const lines = object.lines.map(printWords)
  return block(`${object.type.split(' ').map(printWord).join(' ')} ${printName(object.name)}`, lines)
}

function setLines(set: NamedSet, format: NftablesFormat): readonly string[] {
  const { key, data, flags, timeout, gcInterval, size, policy, autoMerge, counts, comment } = set
  const types = key.kind === 'type' ? `type ${key.types.map(printType).join(' . ')}` : `typeof ${printWords(key.words)}`
  const lines = [
    data === undefined ? types : `${types} : ${data.map((part) => printWords(part.split(' '))).join(' . ')}`,
  ]
  if (policy !== undefined) lines.push(`policy ${printWord(policy)}`)
  if (size !== undefined) lines.push(`size ${formatCount(size)}`)
  if (flags !== undefined) lines.push(`flags ${flags.map(printWord).join(',')}`)
  if (counts === true) lines.push('counter')
  if (autoMerge === true) lines.push('auto-merge')
  if (timeout !== undefined) lines.push(`timeout ${formatNftDuration(timeout)}`)
  if (gcInterval !== undefined) lines.push(`gc-interval ${formatNftDuration(gcInterval)}`)
  if (comment !== undefined) lines.push(`comment ${quoteText(comment)}`)
  if (set.elements.length > 0) lines.push(formatElements(set, format))
  return block(`${set.kind} ${printName(set.name)}`, lines)
}

/** The separator between elements on different lines. */
const NEXT_LINE = ',\n\t\t\t     '

function formatElements(set: NamedSet, format: NftablesFormat): string {
  const types = keyTypesOf(set)
  const perLine = countElementsPerLine(types)
  const data = set.data ?? []
  const texts = set.elements.map((element: Element, index) => {
    const text = printElement(element, types, data, format)
    if (index === 0) return text
    return (index % perLine === 0 ? NEXT_LINE : ', ') + text
  })
  return `elements = { ${texts.join('')} }`
}

/** Returns the number of elements per line in nft listings, for keys of these types. */
export function countElementsPerLine(types: readonly string[]): number {
  if (types.length !== 1) return 1
  switch (types[0]) {
    case 'ipv4_addr':
    case 'ct_state':
    case 'ct_status':
      return 2
    case 'inet_proto':
    case 'inet_service':
    case 'mark':
    case 'integer':
      return 5
    default:
      return 1
  }
}

function chainLines(chain: Chain, { family }: Table, version: NftVersion): readonly string[] {
  const comment = chain.comment === undefined ? [] : [`comment ${quoteText(chain.comment)}`]
  const base = chain.base === undefined ? [] : [formatBaseChain(chain.base, family, version)]
  const rules = chain.rules.map((rule) => printRule(rule, NFT_FORMAT[version]))
  return block(`chain ${printName(chain.name)}`, [...comment, ...base, ...rules])
}

function formatBaseChain(
  { type, hook, devices, priority, policy }: BaseChain,
  family: Table['family'],
  version: NftVersion,
): string {
  const words = [`type ${printWord(type)} hook ${printWord(hook)}`]
  const [first] = devices ?? []
  if (devices?.length === 1 && first !== undefined) words.push(`device ${quoteText(first)}`)
  else if (devices !== undefined) words.push(`devices = { ${devices.map(quoteText).join(', ')} }`)
  words.push(`priority ${formatNftPriority(priority, family, hook, version)}; policy ${printWord(policy ?? 'accept')};`)
  return words.join(' ')
}
