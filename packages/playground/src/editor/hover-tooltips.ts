import { RULE_WORDS } from 'virtual:rule-words'
import type { Extension } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { createElement } from '../dom/create-element.js'
import { type FoundWord, findRuleWord } from './find-rule-word.js'

/** Longer lines are not searched, because they are not for human readers. */
const MOST_CHARACTERS = 5_000
/** The time in milliseconds that the pointer rests on a word before its meaning is visible. */
const REST = 300

/** Shows the meaning of the word on which the pointer rests, until the pointer leaves the word and its meaning. */
export function createHoverTooltips(language: 'yaml' | 'rules'): Extension {
  return ViewPlugin.define((view) => createWordTooltip(view, language), {
    eventHandlers: {
      mousemove(event) {
        this.point(event)
      },
      mouseleave({ relatedTarget }) {
        this.leave(relatedTarget)
      },
      keydown() {
        this.hide()
      },
      wheel() {
        this.hide()
      },
    },
  })
}

interface WordTooltip {
  point(event: MouseEvent): void
  leave(target: EventTarget | null): void
  hide(): void
  update(update: ViewUpdate): void
  destroy(): void
}

function createWordTooltip(view: EditorView, language: 'yaml' | 'rules'): WordTooltip {
  let timer = 0
  let shown: FoundWord | undefined
  const tooltip = createElement('div', { class: 'meaning', popover: 'manual', onmouseleave: () => hide() })
  function hide(): void {
    clearTimeout(timer)
    shown = undefined
    tooltip.remove()
  }
  function show(word: FoundWord): void {
    shown = word
    tooltip.replaceChildren(word.meaning)
    view.dom.append(tooltip)
    tooltip.showPopover()
    const { left, top, bottom } = view.coordsAtPos(word.from) ?? { left: 0, top: 0, bottom: 0 }
    const { offsetHeight: height, offsetWidth: width } = tooltip
    tooltip.style.left = `${Math.max(0, Math.min(left, innerWidth - width))}px`
    tooltip.style.top = `${top < height ? bottom : top - height}px`
  }
  return {
    point: (event) => {
      clearTimeout(timer)
      const word = event.buttons === 0 ? findWordAt(view, language, event) : undefined
      if (word?.from === shown?.from) return
      if (shown !== undefined) hide()
      if (word !== undefined) timer = window.setTimeout(() => show(word), REST)
    },
    leave: (target) => {
      if (!tooltip.contains(target as Node | null)) hide()
    },
    hide,
    update: ({ docChanged, geometryChanged, viewportChanged }) => {
      if (docChanged || geometryChanged || viewportChanged) hide()
    },
    destroy: hide,
  }
}

/** Finds the word with a meaning under the pointer, with its position in the text. */
function findWordAt(view: EditorView, language: 'yaml' | 'rules', { clientX: x, clientY: y }: MouseEvent) {
  const position = view.posAtCoords({ x, y })
  if (position === null) return undefined
  const line = view.state.doc.lineAt(position)
  if (line.length > MOST_CHARACTERS) return undefined
  const word = findRuleWord(line.text, position - line.from, language, RULE_WORDS)
  // The position after the end of a line is not on its last word.
  if (word === undefined || x > (view.coordsAtPos(line.to)?.right ?? x)) return undefined
  return { ...word, from: line.from + word.from, to: line.from + word.to }
}
