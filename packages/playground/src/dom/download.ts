import { element } from './element.js'

/** Saves a file with the browser's download. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  element('a', { href: url, download: name }).click()
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
