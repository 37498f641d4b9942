import { formatReference, type ObjectReference } from '@kube-rules/types'
import { type YamlNode, yamlNodes } from './yaml-nodes.js'
import { yamlPieces } from './yaml-pieces.js'

/** Lines of a text, from 0, both included. */
export interface Lines {
  readonly from: number
  readonly to: number
}

/** An object of a text, and where it is. */
export interface PlacedObject {
  readonly object: ObjectReference
  /** As messages name it: `Service default/web`. */
  readonly name: string
  readonly lines: Lines
  /**
   * The lines of what is at a path such as `spec.ports[1].port`, as far as the path goes: those of the last part that is there.
   */
  linesOf(path: string): Lines
}

/** What was found in pieces of texts that were looked at before, by their own text. */
export type KnownPlaces = Map<string, PlacedPiece>

/** The objects of a piece, with lines counted from its first. */
export interface PlacedPiece {
  readonly objects: readonly PlacedObject[]
  readonly lineCount: number
}

/**
 * The objects of YAML or JSON text in their order, those in lists, too, found by their `kind` and `metadata`: for editors, which show
 * at its place what is wrong with one. Nothing is checked; a document that cannot be read has none. Of texts that people edit only the
 * documents are looked at that `known` lacks, which is changed.
 */
export function placedObjects(text: string, known: KnownPlaces = new Map()): readonly PlacedObject[] {
  const found = yamlPieces(text).map((piece) => [piece, known.get(piece) ?? placedPiece(piece)] as const)
  known.clear()
  const placed: PlacedObject[] = []
  let firstLine = 0
  for (const [piece, { objects, lineCount }] of found) {
    known.set(piece, { objects, lineCount })
    for (const each of objects) placed.push(moved(each, firstLine))
    firstLine += lineCount
  }
  return placed
}

function moved({ object, name, lines, linesOf }: PlacedObject, by: number): PlacedObject {
  const move = ({ from, to }: Lines) => ({ from: from + by, to: to + by })
  return { object, name, lines: move(lines), linesOf: (path) => move(linesOf(path)) }
}

function placedPiece(text: string): PlacedPiece {
  const source = { text, lineAt: lineFinder(text) }
  return { objects: yamlNodes(text).flatMap((node) => objectsAt(node, source)), lineCount: text.split('\n').length - 1 }
}

/** A text, with what tells its lines. */
interface Source {
  readonly text: string
  readonly lineAt: (position: number) => number
}

/** A List of lists is none that anybody writes. */
function objectsAt(node: YamlNode, source: Source, depth = 0): readonly PlacedObject[] {
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

/** The last part of a path that is there: a field, an item, or the object itself. */
function partAt(object: YamlNode, path: string): Part {
  let part: Part = object
  let node = object
  for (const [, field, quoted, index] of path.matchAll(/([^.[\]]+)|\["([^"]*)"\]|\[(\d+)\]/g)) {
    const found = index === undefined ? node.fields?.get(field ?? quoted ?? '') : undefined
    const next = index === undefined ? found?.value : node.items?.[Number(index)]
    if (next === undefined) return part
    part = { from: found?.from ?? next.from, to: next.to }
    node = next
  }
  return part
}

/** A block of text ends where the next begins: the lines between are blank. */
function linesOf({ from, to }: Part, { text, lineAt }: Source): Lines {
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
