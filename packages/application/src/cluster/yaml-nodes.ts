import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
} from 'js-yaml'

/**
 * A value in a YAML text with its location: from the first character of the value to the position after its last
 * character.
 */
export interface YamlNode {
  readonly from: number
  readonly to: number
  /** The fields by key; only for a mapping. */
  readonly fields?: ReadonlyMap<string, YamlField> | undefined
  /** The items of a sequence. */
  readonly items?: readonly YamlNode[] | undefined
  /** The text of a scalar of any type. */
  readonly text?: string | undefined
}

/** A field, from its key to the end of its value. */
export interface YamlField {
  readonly from: number
  readonly value: YamlNode
}

/** Parses the documents of a YAML text; returns none if the text is invalid. */
export function parseYamlNodes(text: string): readonly YamlNode[] {
  try {
    const reader = { text, events: parseEvents(text, {}).values(), end: 0 }
    const documents: YamlNode[] = []
    while (reader.events.next().done !== true) documents.push(...nodesUntilPop(reader))
    return documents
  } catch {
    return []
  }
}

/** The state of the parser. `end` is the position after the last parsed value. */
interface Reader {
  readonly text: string
  readonly events: Iterator<Event>
  end: number
}

function nodesUntilPop(reader: Reader): readonly YamlNode[] {
  const nodes: YamlNode[] = []
  for (;;) {
    const { value: event, done } = reader.events.next()
    if (done === true || event.type === EVENT_ID.POP) return nodes
    nodes.push(nodeOf(event, reader))
  }
}

function nodeOf(event: Event, reader: Reader): YamlNode {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return scalarNode(event, reader)
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING: {
      const { start: from, style: format } = event
      reader.end = from + (format === COLLECTION_STYLE.FLOW ? 1 : 0)
      const nodes = nodesUntilPop(reader)
      if (format === COLLECTION_STYLE.FLOW) reader.end = endOfFlow(reader)
      const to = reader.end
      return event.type === EVENT_ID.SEQUENCE ? { from, to, items: nodes } : { from, to, fields: fieldsOf(nodes) }
    }
    case EVENT_ID.ALIAS:
      reader.end = event.anchorEnd
      return { from: event.anchorStart - 1, to: event.anchorEnd }
    default:
      return { from: reader.end, to: reader.end }
  }
}

/** Returns the node of a scalar. An omitted scalar is located at the end of the preceding value. */
function scalarNode(event: ScalarEvent, reader: Reader): YamlNode {
  const { valueStart, valueEnd, style: format } = event
  if (valueStart < 0) return { from: reader.end, to: reader.end, text: '' }
  const quote = format === SCALAR_STYLE.SINGLE_QUOTED || format === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0
  reader.end = valueEnd + quote
  return { from: valueStart - quote, to: reader.end, text: getScalarValue(reader.text, event) }
}

/** Returns the position after the closing bracket of a flow collection. */
function endOfFlow({ text, end }: Reader): number {
  const rest = /(?:[\s,:?]|#.*)*[\]}]?/y
  rest.lastIndex = end
  rest.test(text)
  return rest.lastIndex
}

function fieldsOf(nodes: readonly YamlNode[]): ReadonlyMap<string, YamlField> {
  const fields = new Map<string, YamlField>()
  for (let index = 0; index + 1 < nodes.length; index += 2) {
    const [key, value] = nodes.slice(index, index + 2) as [YamlNode, YamlNode]
    if (key.text !== undefined) fields.set(key.text, { from: key.from, value })
  }
  return fields
}
