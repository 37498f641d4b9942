import { createElement } from './create-element.js'

/**
 * Returns a function that creates a maximize button for a pane of `main`. After a click, the pane fills the page until
 * a second click or the Escape key. `name` is the name of the pane for screen readers.
 */
export function createMaximizer(main: HTMLElement): (pane: HTMLElement, name: string) => HTMLButtonElement {
  let restore: (() => void) | undefined
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
    restore?.()
  })
  return (pane, name) => {
    const button: HTMLButtonElement = createElement('button', { type: 'button', class: 'small icon', onclick: toggle })
    show(false)

    function show(isMaximized: boolean): void {
      button.setAttribute('aria-pressed', String(isMaximized))
      button.setAttribute('aria-label', `Maximize ${name}`)
      button.title = isMaximized ? 'Restore (Escape)' : 'Maximize'
      button.textContent = isMaximized ? '⤡' : '⤢'
      pane.classList.toggle('maximized', isMaximized)
      main.classList.toggle('has-maximized', isMaximized)
    }

    function toggle(): void {
      if (restore === undefined) {
        show(true)
        restore = () => {
          restore = undefined
          show(false)
        }
      } else restore()
    }

    return button
  }
}
