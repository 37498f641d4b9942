import type { BaseChain, Chain, Element, NamedObject, NamedSet, Table } from '../ast.js'
import { keyTypesOf } from '../keys/key-types.js'
import { printUnknownWords } from '../parse/unknown-words.js'
import { formatNftPriority } from '../priority.js'
import type { NftVersion } from '../version.js'
import { printName, printWord } from '../words.js'
import { NFT_FORMATS, type NftablesFormat } from './nftables-format.js'
import { printComment, printCounts, printFlags, printHook, printSetProperties, printWordsOf } from './properties.js'
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
  const head = [...printComment(table.comment), ...printFlags(table.flags)]
  const blocks = [
    ...table.objects.map(objectLines),
    ...table.sets.map((set) => setLines(set, NFT_FORMATS[version])),
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
  const name = printName(object.name)
  if (object.kind === 'counter') return block(`counter ${name}`, [...printComment(object.comment), printCounts(object)])
  return block(`${printWordsOf(object.type)} ${name}`, object.lines.map(printUnknownWords))
}

const SET_PROPERTIES = ['key', 'policy', 'size', 'flags', 'counts', 'autoMerge', 'timeout', 'gcInterval'] as const

function setLines(set: NamedSet, format: NftablesFormat): readonly string[] {
  const properties = printSetProperties(set, format, SET_PROPERTIES)
  const elements = set.elements.length === 0 ? [] : [formatElements(set, format)]
  return block(`${set.kind} ${printName(set.name)}`, [...properties, ...printComment(set.comment), ...elements])
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
  const base = chain.base === undefined ? [] : [printBaseChain(chain.base, family, version)]
  const rules = chain.rules.map((rule) => printRule(rule, NFT_FORMATS[version]))
  return block(`chain ${printName(chain.name)}`, [...printComment(chain.comment), ...base, ...rules])
}

/** Formats the hook of a chain as nft lists it: `type filter hook input priority filter; policy accept;`. */
export function printBaseChain(base: BaseChain, family: Table['family'], version: NftVersion): string {
  const { hook, priority, policy = 'accept' } = base
  const head = printHook(base, formatNftPriority(priority, family, hook, version), NFT_FORMATS[version])
  return `${head}; policy ${printWord(policy)};`
}
