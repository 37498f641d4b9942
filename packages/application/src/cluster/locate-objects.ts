import { formatReference, type ObjectReference } from '@kube-rules/types'
import { splitYamlDocuments, splitYamlList } from './yaml-documents.js'
import { parseYamlNodes, type YamlNode } from './yaml-nodes.js'

/** A range of lines of a text, from 0, inclusive at both ends. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

/** An object of a text, with its location. */
export interface LocatedObject {
  readonly object: ObjectReference
  /** The name of the object in messages: `Service default/web`. */
  readonly name: string
  readonly lines: LineRange
  /**
   * Returns the lines of a path such as `spec.ports[1].port`. If the path does not exist in full, returns the lines of
   * its last existing part.
   */
  linesOf(path: string): LineRange
}

/** A cache of located objects. The key is the text of the YAML piece that contains the objects. */
export type LocatedObjectCache = Map<string, LocatedYamlDocument>

/** The objects of a YAML piece, with line numbers relative to the start of the piece. */
export interface LocatedYamlDocument {
  readonly objects: readonly LocatedObject[]
  readonly lineCount: number
}

/**
 * Locates the objects in YAML or JSON text, in order, including the items of lists. Objects are recognized by `kind`
 * and `metadata`.
 *
 * Editors use this function to show diagnostics at their location. Objects are not validated. A document that cannot be
 * parsed has no objects in the result. Parses only the pieces that are not in `known`, and updates `known`.
 */
export function locateObjects(text: string, known: LocatedObjectCache = new Map()): readonly LocatedObject[] {
  const pieces = splitYamlDocuments(text).flatMap((document) => placedDocument(document, known))
  known.clear()
  const placed: LocatedObject[] = []
  let firstLine = 0
  for (const [piece, { objects, lineCount }] of pieces) {
    known.set(piece, { objects, lineCount })
    for (const each of objects) placed.push(moved(each, firstLine))
    firstLine += lineCount
  }
  return placed
}

type PlacedPiece = readonly [piece: string, placed: LocatedYamlDocument]

/** Locates the objects of a document; those of a List item by item. */
function placedDocument(document: string, known: LocatedObjectCache): readonly PlacedPiece[] {
  const placed = (piece: string): PlacedPiece => [piece, known.get(piece) ?? placedPiece(piece)]
  const parts = splitYamlList(document)
  if (parts === undefined) return [placed(document)]
  const { head, items, tail } = parts
  const around = (piece: string): PlacedPiece => [piece, { objects: [], lineCount: countLines(piece) }]
  return [around(head), ...items.map(placed), around(tail)]
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

function moved({ object, name, lines, linesOf }: LocatedObject, by: number): LocatedObject {
  const move = ({ from, to }: LineRange) => ({ from: from + by, to: to + by })
  return { object, name, lines: move(lines), linesOf: (path) => move(linesOf(path)) }
}

function placedPiece(text: string): LocatedYamlDocument {
  const source = { text, lineAt: lineFinder(text) }
  return {
    objects: parseYamlNodes(text).flatMap((node) => objectsAt(node, source)),
    lineCount: countLines(text),
  }
}

/** An input, with a function that returns the line of a position. */
interface Source {
  readonly text: string
  readonly lineAt: (position: number) => number
}

/**
 * Returns the object of a YAML node, or the items of a List. Lists inside Lists are ignored, because `kubectl` never
 * prints them.
 */
function objectsAt(node: YamlNode, source: Source, depth = 0): readonly LocatedObject[] {
  const items = node.items ?? node.fields?.get('items')?.value.items
  if (items !== undefined) return depth > 1 ? [] : items.flatMap((item) => objectsAt(item, source, depth + 1))
  const { fields } = node
  const kind = fields?.get('kind')?.value.text
  if (kind === undefined) return []
  const named = fields?.get('metadata')?.value.fields
  const namespace = named?.get('namespace')?.value.text
  const name = named?.get('name')?.value.text ?? ''
  const object = { kind, name, ...(namespace !== undefined && { namespace }) }
  return [
    {
      object,
      name: formatReference(object),
      lines: linesOf(node, source),
      linesOf: (path) => linesOf(partAt(node, path), source),
    },
  ]
}

type Part = Pick<YamlNode, 'from' | 'to'>

/**
 * Returns the location of the field or item at a path. If the path does not exist in full, returns the location of its
 * last existing part.
 */
function partAt(object: YamlNode, path: string): Part {
  let part: Part = object
  let node = object
  for (const [, field, quoted, index] of path.matchAll(/([^.[\]]+)|\["([^"]*)"\]|\[(\d+)\]/g)) {
    const fieldPart = index === undefined ? node.fields?.get(field ?? quoted ?? '') : undefined
    const next = index === undefined ? fieldPart?.value : node.items?.[Number(index)]
    if (next === undefined) return part
    part = { from: fieldPart?.from ?? next.from, to: next.to }
    node = next
  }
  return part
}

/**
 * Returns the lines of a part without trailing blank lines. In YAML, a block ends where the next block starts. The
 * blank lines between two blocks belong to neither block.
 */
function linesOf({ from, to }: Part, { text, lineAt }: Source): LineRange {
  const end = from + text.slice(from, to).trimEnd().length
  return { from: lineAt(from), to: lineAt(Math.max(from, end - 1)) }
}

function lineFinder(text: string): (position: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (position) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}
