import { element } from '../dom/element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import { createLabelledSelect } from './settings-bar.js'

export interface ServiceFilter {
  readonly setting: HTMLElement
  /** Sets the choices. The setting is hidden if there is only one choice. */
  offer(titles: readonly string[]): void
  /** Returns the chosen title; empty for all. */
  chosen(): string
}

/** Creates the choice of one Service. `pane` makes the ids unique. */
export function createServiceFilter(pane: string, onChange: () => void): ServiceFilter {
  const select = element('select', { onchange: onChange })
  const setting = createLabelledSelect('Service', select, pane)
  const offer = callWhenChanged((titles: readonly string[]) => {
    const before = select.value
    select.replaceChildren(
      element('option', { value: '' }, 'all'),
      ...titles.map((title) => element('option', { value: title }, title.replace(/^Service /, ''))),
    )
    select.value = titles.includes(before) ? before : ''
    setting.hidden = titles.length < 2
  })
  setting.hidden = true
  return { setting, offer, chosen: () => select.value }
}
