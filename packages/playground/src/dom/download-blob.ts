import { createElement } from './create-element.js'

/** Saves content as a file, through a download of the browser. */
export function downloadBlob(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  createElement('a', { href: url, download: name }).click()
  // Revokes the URL later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
