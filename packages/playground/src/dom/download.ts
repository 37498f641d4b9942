import { element } from './element.js'

/** Saves a file with the browser's download. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  element('a', { href: url, download: name }).click()
  // Revokes the URL later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
