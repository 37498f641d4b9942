import { createButton, createElement } from '../dom/create-element.js'

/** Creates an offer to move a text to the editor that it belongs to. */
export function createMoveOffer(finding: string, label: string, move: () => void): HTMLElement {
  return createElement('p', { class: 'warning', role: 'status' }, finding, ' ', createButton(label, move))
}
