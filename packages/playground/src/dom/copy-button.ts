import { createButton } from './create-element.js'

/** Creates a button that copies a text to the clipboard. `textOf` is called on each click and returns this text. */
export function createCopyButton(label: string, textOf: () => string): HTMLButtonElement {
  const button: HTMLButtonElement = createButton(label, () => void copy(), { class: 'small copy' })

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
