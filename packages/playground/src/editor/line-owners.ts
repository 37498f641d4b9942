import { type EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { createElement, setHue } from '../dom/create-element.js'

/** The owners of an editor's lines. Service ports are numbers from 1. */
export interface LineOwners {
  /** Returns the owners of a line; line numbers start at 0. */
  readonly ownersOf: (line: number) => readonly number[]
  /** Returns the hue of a service port. */
  readonly hueOf: (port: number) => number
}

export const NO_OWNERS: LineOwners = { ownersOf: () => [], hueOf: () => 0 }

/** Returns the owners of rules from the number of the service port of each line, 0 for none, and the hue of each port. */
export function lineOwnersOf(owners: Uint16Array, hues: readonly number[]): LineOwners {
  return { ownersOf: (line) => (owners[line] ? [owners[line]] : []), hueOf: (port) => hues[port - 1] ?? 0 }
}

/** Sets the owners of the lines. */
export const setOwners = StateEffect.define<LineOwners>()
/** The lines to highlight. */
export interface HighlightedLines {
  /** The service ports with highlighted lines. */
  readonly ports: ReadonlySet<number>
  /** Reports whether a highlighted line is linked to the line under the pointer in another editor. */
  readonly isLinked: (text: string) => boolean
}

/** Sets the highlighted lines. */
export const setHighlighted = StateEffect.define<HighlightedLines>()
/** Sets the lines of the selected rules, to mark them; line numbers start at 0. */
export const setMarked = StateEffect.define<ReadonlySet<number>>()

interface Shown {
  readonly owners: LineOwners
  readonly lit: HighlightedLines
  readonly marked: ReadonlySet<number>
}

const shownField = StateField.define<Shown>({
  create: () => ({ owners: NO_OWNERS, lit: { ports: new Set(), isLinked: () => false }, marked: new Set() }),
  update: (value, { effects }) => {
    let next = value
    for (const effect of effects) {
      if (effect.is(setOwners)) next = { ...next, owners: effect.value }
      if (effect.is(setHighlighted)) next = { ...next, lit: effect.value }
      if (effect.is(setMarked)) next = { ...next, marked: effect.value }
    }
    return next
  },
})

/** Returns the owners of the lines that an editor shows. */
export function ownersIn(state: EditorState): LineOwners {
  return state.field(shownField).owners
}

/** Maximum number of adjacent color stripes in a gutter. */
const MOST_STRIPES = 3

class PortMarker extends GutterMarker {
  readonly ports: readonly number[]
  readonly hues: readonly number[]

  constructor(ports: readonly number[], hues: readonly number[]) {
    super()
    this.ports = ports
    this.hues = hues
  }

  override eq(other: PortMarker): boolean {
    return this.ports.join() === other.ports.join() && this.hues.join() === other.hues.join()
  }

  override toDOM(): Node {
    const stripes = this.hues.map((hue) => setHue(createElement('span', { class: 'stripe' }), hue))
    return createElement(
      'span',
      { class: 'stripes' },
      ...stripes,
      createElement('span', { class: 'port-number' }, textOf(this.ports)),
    )
  }
}

function textOf(ports: readonly number[]): string {
  return ports.length > 1 ? `${ports[0]}+` : String(ports[0] ?? '')
}

const litLine = Decoration.line({ class: 'lit' })
const linkedLine = Decoration.line({ class: 'lit linked' })
const markedLine = Decoration.line({ class: 'marked' })

/** Creates a gutter with the color and number of each line's service port, and highlights the requested lines. */
export function createLineOwnersExtension(): Extension {
  return [
    shownField,
    gutter({
      class: 'port-gutter',
      lineMarker: (view, block) => {
        const { owners } = view.state.field(shownField)
        const ports = owners.ownersOf(view.state.doc.lineAt(block.from).number - 1)
        if (ports.length === 0) return null
        return new PortMarker(ports, ports.slice(0, MOST_STRIPES).map(owners.hueOf))
      },
      lineMarkerChange: (update) =>
        update.startState.field(shownField).owners !== update.state.field(shownField).owners,
      initialSpacer: () => new PortMarker([888], [0]),
    }),
    ViewPlugin.fromClass(Lights, { decorations: (lights) => lights.decorations }),
  ]
}

class Lights {
  decorations: DecorationSet

  constructor(view: EditorView) {
    this.decorations = lightsOf(view)
  }

  update(update: ViewUpdate): void {
    const changed = update.startState.field(shownField) !== update.state.field(shownField)
    if (changed || update.docChanged || update.viewportChanged) this.decorations = lightsOf(update.view)
  }
}

/** Highlights lines; processes only the visible lines. */
function lightsOf(view: EditorView): DecorationSet {
  const { owners, lit, marked } = view.state.field(shownField)
  const builder = new RangeSetBuilder<Decoration>()
  if (lit.ports.size === 0 && marked.size === 0) return builder.finish()
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at)
      if (marked.has(line.number - 1)) builder.add(line.from, line.from, markedLine)
      if (owners.ownersOf(line.number - 1).some((port) => lit.ports.has(port))) {
        builder.add(line.from, line.from, lit.isLinked(line.text) ? linkedLine : litLine)
      }
      at = line.to + 1
    }
  }
  return builder.finish()
}

/** Handlers that receive the service ports and the text of a line. */
export interface OwnerHandlers {
  /** Called with the line under the pointer. */
  readonly onHighlight: (ports: readonly number[], text: string) => void
  /** Called when a click or Enter selects a line. */
  readonly onChoose: (ports: readonly number[]) => void
  /** Called with the line of the cursor when the user jumps from a field to its rules or back with Ctrl Enter. */
  readonly onJump: (ports: readonly number[], text: string) => void
}

export function createOwnerEventsExtension(handlers: OwnerHandlers): Extension {
  const portsAt = (view: EditorView, position: number | null) =>
    position === null ? [] : view.state.field(shownField).owners.ownersOf(view.state.doc.lineAt(position).number - 1)
  return EditorView.domEventHandlers({
    mousemove: (event, view) => {
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY })
      handlers.onHighlight(portsAt(view, position), position === null ? '' : view.state.doc.lineAt(position).text)
    },
    mouseleave: () => handlers.onHighlight([], ''),
    click: (_event, view) => handlers.onChoose(portsAt(view, view.state.selection.main.head)),
    keydown: (event, view) => {
      if (event.key !== 'Enter') return false
      const { head } = view.state.selection.main
      const isJump = event.ctrlKey || event.metaKey
      if (isJump) handlers.onJump(portsAt(view, head), view.state.doc.lineAt(head).text)
      else if (view.state.readOnly) handlers.onChoose(portsAt(view, head))
      return isJump
    },
  })
}
