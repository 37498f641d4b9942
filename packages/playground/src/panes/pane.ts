import type { EngineResults, ResultKind, RulesResult } from '../engine/results.js'

/** The results that a pane shows, each with the function that shows it. */
export type ResultHandlers = { readonly [K in ResultKind]?: (result: EngineResults[K]) => void }

/** A part of the page. The page passes each result to all panes in order. */
export interface Pane {
  readonly panel: HTMLElement
  readonly update: ResultHandlers
  /** Shows the request after the page opens another one. */
  load?(): void
}

/** A pane with a text field. */
export interface EditablePane extends Pane {
  load(): void
  focus(): void
}

/** An element with its own bar. The page adds buttons to the bar. */
export interface PaneWithBar {
  readonly panel: HTMLElement
  readonly bar: HTMLElement
}

/**
 * Decides whether a panel keeps its last result, in grey, instead of the next one, because the objects are invalid.
 * `know` receives the rules, which have the failure of the objects.
 */
export function createLastResult(panel: HTMLElement): {
  know(rules: RulesResult): void
  isKept(problem: string): boolean
} {
  let isInvalid = false
  let isFilled = false
  return {
    know: ({ failure }) => {
      isInvalid = failure !== ''
    },
    isKept: (problem) => {
      const isStale = isInvalid && problem !== '' && isFilled
      panel.classList.toggle('stale', isStale)
      if (problem === '') isFilled = true
      return isStale
    },
  }
}
