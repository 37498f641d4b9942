import { element } from './element.js'

/** A button that puts a text, as it is when it is pressed, on the clipboard. */
export function copyButton(label: string, textOf: () => string): HTMLButtonElement {
  const button: HTMLButtonElement = element(
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
