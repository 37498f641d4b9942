import { yamlLanguage } from '@codemirror/lang-yaml'
import type { ObjectReference } from '@kube-rules/types'
import type { SyntaxNode } from '@lezer/common'
import { type DocumentText, documentsOf } from './documents.js'
import { isDeep } from './is-deep.js'

/** Lines of a text, from 0, both included. */
export interface Lines {
  readonly from: number
  readonly to: number
}

/** An object of a text, and where it is. */
export interface PlacedObject {
  readonly object: ObjectReference
  readonly lines: Lines
  /**
   * The lines of what is at a path such as `spec.ports[1].port`, as far as the path goes: those of the last part that is there.
   */
  linesOf(path: string): Lines
}

/** The objects of documents that were looked at before, by their text. */
export type KnownPlaces = Map<string, readonly PlacedObject[]>

/**
 * The objects of YAML or JSON text in their order, those in lists, too, found by their `kind` and `metadata`. Values are read
 * elsewhere; this tells places alone. What is no YAML has none, and neither has what is nested beyond reason. Of texts that
 * change little only the documents are looked at that `known` lacks, which is changed.
 */
export function placedObjects(text: string, known: KnownPlaces = new Map()): readonly PlacedObject[] {
  const documents = documentsOf(text)
  const next = documents.map(({ text: own, firstLine }) => {
    const found = known.get(own) ?? objectsIn({ text: own, firstLine: 0 })
    return { own, found, firstLine }
  })
  known.clear()
  for (const { own, found } of next) known.set(own, found)
  return next.flatMap(({ found, firstLine }) => found.map((each) => moved(each, firstLine)))
}

function moved({ object, lines, linesOf }: PlacedObject, by: number): PlacedObject {
  const move = ({ from, to }: Lines) => ({ from: from + by, to: to + by })
  return { object, lines: move(lines), linesOf: (path) => move(linesOf(path)) }
}

/** A document's text, with what tells its lines. */
interface Source {
  readonly text: string
  readonly lineAt: (position: number) => number
}

function objectsIn({ text, firstLine }: DocumentText): readonly PlacedObject[] {
  if (isDeep(text)) return []
  const source = { text, lineAt: lineFinder(text, firstLine) }
  const root = yamlLanguage.parser.parse(text).topNode
  const document = root.getChild('Document')
  return document === null ? [] : objectsAt(document, source)
}

/** A List of lists is none that anybody writes. */
function objectsAt(value: SyntaxNode, source: Source, depth = 0): readonly PlacedObject[] {
  const content = contentOf(value)
  const fields = fieldsOf(content, source)
  const items = fields.get('items')
  if (items !== undefined && depth === 0) {
    return itemsOf(contentOf(items.value)).flatMap((item) => objectsAt(item, source, depth + 1))
  }
  if (isSequence(content)) return itemsOf(content).flatMap((item) => objectsAt(item, source, depth + 1))
  const metadata = fields.get('metadata')
  const named = metadata === undefined ? undefined : fieldsOf(contentOf(metadata.value), source)
  const kind = scalarOf(fields.get('kind'), source)
  if (kind === undefined) return []
  const namespace = scalarOf(named?.get('namespace'), source)
  const name = scalarOf(named?.get('name'), source) ?? ''
  return [
    {
      object: { kind, name, ...(namespace !== undefined && { namespace }) },
      lines: linesOfNode(content, source),
      linesOf: (path) => linesOfNode(nodeAt(content, path, source), source),
    },
  ]
}

interface Field {
  readonly pair: SyntaxNode
  readonly value: SyntaxNode
}

function fieldsOf(node: SyntaxNode, source: Source): ReadonlyMap<string, Field> {
  if (!/^(?:Block|Flow)Mapping$/.test(node.name)) return new Map()
  return new Map(
    node.getChildren('Pair').flatMap((pair): [string, Field][] => {
      const key = pair.getChild('Key')
      const value = pair.lastChild
      if (key === null || value === null || value.name === 'Key' || value.name === ':') return []
      return [[unquoted(source.text.slice(key.from, key.to)), { pair, value }]]
    }),
  )
}

function isSequence({ name }: SyntaxNode): boolean {
  return name === 'BlockSequence' || name === 'FlowSequence'
}

function itemsOf(node: SyntaxNode): readonly SyntaxNode[] {
  return isSequence(node) ? node.getChildren('Item') : []
}

/** Behind wrappers: an item's or an anchored value's own content. */
function contentOf(node: SyntaxNode): SyntaxNode {
  if (!['Item', 'Tagged', 'Anchored', 'Document', 'Stream'].includes(node.name)) return node
  for (let child = node.lastChild; child !== null; child = child.prevSibling) {
    if (!['-', ',', '⚠', 'Comment', 'Anchor', 'Tag'].includes(child.name)) return contentOf(child)
  }
  return node
}

function scalarOf(field: Field | undefined, { text }: Source): string | undefined {
  if (field === undefined || !/Literal/.test(field.value.name)) return undefined
  return unquoted(text.slice(field.value.from, field.value.to).trim())
}

function unquoted(text: string): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/s.exec(text.trim()) ?? []
  return single ?? double ?? text.trim()
}

/** The last part of a path that is there: a pair, an item, or the object itself. */
function nodeAt(object: SyntaxNode, path: string, source: Source): SyntaxNode {
  let found = object
  let content = object
  for (const [, field, quoted, index] of path.matchAll(/([^.[\]]+)|\["([^"]*)"\]|\[(\d+)\]/g)) {
    const next = index === undefined ? fieldsOf(content, source).get(field ?? quoted ?? '') : undefined
    const item = index === undefined ? undefined : itemsOf(content)[Number(index)]
    const node = next?.pair ?? item
    if (node === undefined) return found
    found = node
    content = contentOf(next?.value ?? node)
  }
  return found
}

function linesOfNode(node: SyntaxNode, { text, lineAt }: Source): Lines {
  const { to } = node
  // A block begins with the comments before it.
  const { from } = (node.name === 'BlockMapping' ? node.getChild('Pair') : null) ?? node
  // A block ends where the next begins: the lines between are blank.
  const end = from + text.slice(from, to).trimEnd().length
  return { from: lineAt(from), to: lineAt(Math.max(from, end - 1)) }
}

function lineFinder(text: string, firstLine: number): (position: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (position) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return firstLine + low
  }
}
