import { createElement } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import { createLabelledSelect } from './settings-bar.js'

export interface ServiceFilter {
  readonly setting: HTMLElement
  /** Sets the choices. The setting is hidden if there is only one choice. */
  offer(titles: readonly string[]): void
  /** Returns the chosen title; empty if all are chosen. */
  chosen(): string
}

/** Creates the choice of one Service. `pane` makes the ids unique. */
export function createServiceFilter(pane: string, onChange: () => void): ServiceFilter {
  const select = createElement('select', { onchange: onChange })
  const setting = createLabelledSelect('Service', select, pane)
  const offer = callWhenChanged((titles: readonly string[]) => {
    const before = select.value
    select.replaceChildren(
      createElement('option', { value: '' }, 'all'),
      ...titles.map((title) => createElement('option', { value: title }, title.replace(/^Service /, ''))),
    )
    select.value = titles.includes(before) ? before : ''
    setting.hidden = titles.length < 2
  })
  setting.hidden = true
  return { setting, offer, chosen: () => select.value }
}
