import { createButton, createElement } from './create-element.js'

/**
 * Creates a group of buttons. On a narrow page, the buttons appear only after a click on the button `⋯`. `label` is the
 * name of that button for screen readers.
 */
export function createMenu(label: string, ...items: readonly HTMLButtonElement[]): HTMLElement {
  const open: HTMLButtonElement = createButton('⋯', () => toggle(), {
    class: 'small icon',
    'aria-label': label,
    'aria-expanded': 'false',
  })
  const close = () => toggle(false)
  const menu = createElement(
    'span',
    { class: 'menu', onkeydown: (event: KeyboardEvent) => event.key === 'Escape' && close() },
    open,
    createElement('span', { class: 'items', onclick: close }, ...items),
  )

  function toggle(isOpen = open.getAttribute('aria-expanded') !== 'true'): void {
    open.setAttribute('aria-expanded', String(isOpen))
  }

  return menu
}
