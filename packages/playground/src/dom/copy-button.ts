import { createElement } from './create-element.js'

/** Creates a button that copies a text to the clipboard. `textOf` is called on each click and returns this text. */
export function createCopyButton(label: string, textOf: () => string): HTMLButtonElement {
  const button: HTMLButtonElement = createElement(
    'button',
    { type: 'button', class: 'small copy', onclick: () => void copy() },
    label,
  )

  async function copy(): Promise<void> {
    const isDone = await navigator.clipboard?.writeText(textOf()).then(
      () => true,
      () => false,
    )
    button.textContent = isDone ? 'Copied' : 'Cannot copy'
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  }

  return button
}
